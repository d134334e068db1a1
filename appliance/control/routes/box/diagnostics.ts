import { dayOf, formatDay } from "../../../base/calendar.ts";
import type { Clock } from "../../../base/clock.ts";
import type { RecentProblems } from "../../../base/log.ts";
import { oldReleaseText } from "../../../base/text/release-age.ts";
import type { Decks } from "../../../deck/decks.ts";
import type { Warning } from "../../../store/reports.ts";
import type { Store } from "../../../store/store.ts";
import type { Handler } from "../../route.ts";
import type { Diagnostics, Machine, UpdateView } from "../../wire.ts";
import type { PublicParts } from "./public-address.ts";
import type { UpdateParts } from "./update.ts";

interface DiagnosticsParts {
  clock: Clock;
  decks: Decks;
  store: Store;
  problems: RecentProblems;
  address: PublicParts["address"];
  updates: UpdateParts["updates"];
  /** The problems that the box has now. */
  warnings: () => readonly Warning[];
  version: string;
  /** The time of the release, in epoch ms. */
  made: number;
  startedAt: number;
  connections: () => { collector: number; control: number };
}

/**
 * `GET /api/diagnostics`: facts for finding a problem, without secrets, so that strangers may see them: no token, hash,
 * address or serial number, and nothing about visitors.
 */
export const showDiagnostics: Handler<DiagnosticsParts> = async (
  ctx,
  parts,
): Promise<Diagnostics> => {
  const { clock, decks, store, problems } = parts;
  const space = await store.local.space().catch(() => undefined);
  ctx.attachment("tallydeck-diagnostics.json");
  ctx.set("Cache-Control", "no-store");
  return {
    ...machine(parts, clock.sure ? clock.now() : undefined),
    time: new Date(clock.now()).toISOString(),
    clockSet: clock.sure,
    upSeconds: Math.round((clock.monotonic() - parts.startedAt) / 1_000),
    connections: parts.connections(),
    decks: decks.list().map(({ model, connected, virtual, evidence, slots }) => ({
      model,
      connected,
      virtual,
      evidence,
      widgets: slots.map(({ widget }) => widget.type),
    })),
    deckProblems: decks.problems().map(({ code, deck, port }) => ({ code, deck, port })),
    publicAddress: parts.address.view().state,
    ...updateOf(parts.updates?.view()),
    warnings: parts.warnings(),
    storage: {
      ...(space && { freeBytes: space.free, totalBytes: space.total }),
      sites: store.numbers.directory.sites.length,
    },
    errors: problems.list().map(({ at, level, message }) => ({
      time: new Date(at).toISOString(),
      level,
      message: withoutSecrets(message),
    })),
  };
};

function updateOf(view: UpdateView | undefined): Pick<Diagnostics, "update"> {
  if (view === undefined) return {};
  const { running, other, mode, updates, last } = view;
  return { update: { running, other, mode, updates, last: last?.kind ?? null } };
}

/**
 * The versions of the software, and the machine it runs on.
 * @param now epoch ms; undefined while no clock is sure
 */
export function machine(
  { version, made }: Pick<DiagnosticsParts, "made" | "version">,
  now: number | undefined,
): Machine {
  const { node, sqlite } = process.versions;
  const old = now === undefined ? undefined : oldReleaseText(made, now);
  return {
    tallydeck: version,
    made: formatDay(dayOf(made)),
    ...(old !== undefined && { old }),
    node,
    ...(sqlite !== undefined && { sqlite }),
    system: `${process.platform} ${process.arch}`,
    memoryBytes: process.memoryUsage.rss(),
  };
}

/** Messages should hold neither; this makes sure. */
function withoutSecrets(message: string): string {
  return message
    .replaceAll(/\bt[dr][a-z]_[\w-]{20,}/g, "[token]")
    .replaceAll(/\b[0-9a-f]{32,}\b/gi, "[hash]")
    .replaceAll(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, "[address]")
    .replaceAll(/\b(?:[0-9a-f]{0,4}:){3,}[0-9a-f]{0,4}/gi, "[address]");
}
