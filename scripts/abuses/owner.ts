import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "../running/report.ts";
import { addressOf, ask, json, type Reply } from "./ask.ts";
import type { Seen, Target } from "./attack.ts";

const EVERY_MS = 1_000;
/** A question waits for all that were asked before it, which may be about everything there is. */
const PATIENCE_MS = 5 * 60_000;
/** However weak the machine. */
const AT_LEAST_EVERY_MS = 30_000;

/** The address of the owner, which an attacker who guesses tokens shares. */
export function sharedAddress({ visitors }: Target): string {
  return addressOf(visitors, 0);
}

interface Looks {
  readonly ms: number[];
  readonly wrong: string[];
  largest: number;
}

/**
 * The owner opens the dashboard and signs in to the Web UI, once a second, or more rarely with a smaller attack, until
 * `signal` aborts.
 */
export async function beTheOwner(
  target: Target,
  scale: number,
  signal: AbortSignal,
): Promise<Seen> {
  const everyMs = Math.min(EVERY_MS / Math.min(1, scale), AT_LEAST_EVERY_MS);
  const dashboard = looks();
  const signIn = looks();
  while (!signal.aborted) {
    await look(dashboard, 200, () =>
      ask(target.origin, `/stats?site=${target.site}&from=first&series=1&daily=1`, {
        headers: { authorization: `Bearer ${target.token}`, "accept-encoding": "gzip" },
        from: sharedAddress(target),
        timeoutMs: PATIENCE_MS,
      }),
    );
    const { control } = target;
    if (control !== undefined)
      await look(signIn, 204, () => ask(control, "/api/session", json({ token: target.token })));
    await pause(everyMs, undefined, { signal }).catch(() => {});
  }
  const size = `, largest ${(dashboard.largest / 1_000).toFixed(0)} kB compressed`;
  return {
    figures: [
      ["the owner's dashboard", told(dashboard) + size],
      ...(target.control === undefined ? [] : [["the owner's sign-in", told(signIn)] as const]),
    ],
    problems: [
      ...problem("dashboard", dashboard),
      ...(target.control === undefined ? [] : problem("sign-in", signIn)),
    ],
  };
}

function looks(): Looks {
  return { ms: [], wrong: [], largest: 0 };
}

async function look(seen: Looks, expected: number, send: () => Promise<Reply>): Promise<void> {
  try {
    const { status, body, ms } = await send();
    if (status !== expected) seen.wrong.push(`answered ${status}`);
    else seen.ms.push(ms);
    seen.largest = Math.max(seen.largest, body.length);
  } catch (error) {
    seen.wrong.push((error as Error).message);
  }
}

function told({ ms, wrong }: Looks): string {
  if (ms.length === 0) return `none of ${wrong.length} answered`;
  const times = `median ${percentile(ms, 0.5).toFixed(0)} ms, longest ${Math.max(...ms).toFixed(0)} ms`;
  return `${ms.length} of ${ms.length + wrong.length}, ${times}`;
}

function problem(what: string, { wrong, ms }: Looks): string[] {
  if (wrong.length === 0) return [];
  return [
    `The owner's ${what} failed ${wrong.length} of ${wrong.length + ms.length} times: ${wrong[0]}.`,
  ];
}
