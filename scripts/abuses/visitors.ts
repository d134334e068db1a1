import { Agent } from "node:http";
import { atPace } from "../running/load.ts";
import { percentile } from "../running/report.ts";
import { beaconPath, USER_AGENTS, views } from "../running/traffic.ts";
import { addressOf, ask } from "./ask.ts";
import { type Seen, type Target, tally } from "./attack.ts";

const PAGES = 20;
const VISITORS = 200;
/** The hits after which a visitor leaves; the next hit from that address has a new connection. */
const HITS_A_VISIT = 3;
const PATIENCE_MS = 30_000;

export const HONEST_PATHS: readonly string[] = Array.from(
  { length: PAGES },
  (_, n) => `/honest/${n}`,
);

/**
 * Honest visitors with addresses and connections of their own, at an even pace. Each of their pages has a view before
 * `begin` resolves, so that it has its place among the values.
 */
export class Visitors {
  readonly #target: Target;
  readonly #before: Counted;
  readonly #agents: readonly Agent[];
  readonly #nextView: () => Record<string, string>;
  #sent = 0;
  #repeated = 0;

  private constructor(target: Target, before: Counted, seed: number) {
    this.#target = target;
    this.#before = before;
    this.#nextView = views(seed);
    this.#agents = Array.from({ length: VISITORS }, () => new Agent({ keepAlive: true }));
  }

  static async begin(target: Target, seed: number): Promise<Visitors> {
    const visitors = new Visitors(target, await countedOf(target), seed);
    for (let n = 0; n < PAGES; n++) await visitors.#hit(n);
    return visitors;
  }

  /** Sends hits, and checks that all were answered and counted. */
  async visit(perSecond: number, seconds: number): Promise<Seen> {
    const failures: string[] = [];
    const times = await atPace(perSecond, seconds, (n) =>
      this.#hit(n).catch((error: NodeJS.ErrnoException) => {
        failures.push(error.code ?? error.message);
      }),
    );
    for (const agent of this.#agents) agent.destroy();
    const [sent, repeated] = [this.#sent, this.#repeated];
    const missing = sent - (await this.#countedSince());
    return {
      figures: [
        ["honest hits", `${sent}, ${failures.length} not answered, ${missing} not counted`],
        ["honest hits sent again, their kept connection being closed", repeated],
        [
          "honest hits, time to answer",
          `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, longest ${percentile(times, 1).toFixed(0)} ms`,
        ],
      ],
      problems: [
        ...(failures.length > 0
          ? [`${failures.length} of ${sent} honest hits were not answered: ${tally(failures)}.`]
          : []),
        ...(missing > failures.length ? [`${missing} honest hits were not counted.`] : []),
        // A hit that was sent again may have been counted before its connection was closed.
        ...(-missing > repeated ? [`${-missing} hits were counted that nobody sent.`] : []),
      ],
    };
  }

  async #countedSince(): Promise<number> {
    const { day, views } = this.#before;
    const now = await countedOf(this.#target);
    if (now.day === day) return now.views - views;
    return now.views + (await countedOf(this.#target, { day })).views - views;
  }

  /** @throws {Error} when it is not answered with 200. */
  async #hit(n: number): Promise<void> {
    const path = HONEST_PATHS[n % PAGES] as string;
    const leaves = Math.floor(n / VISITORS) % HITS_A_VISIT === HITS_A_VISIT - 1;
    this.#sent++;
    const { status } = await ask(
      this.#target.origin,
      beaconPath({ ...this.#nextView(), p: path }, this.#target.site),
      {
        headers: {
          "user-agent": USER_AGENTS[n % USER_AGENTS.length] as string,
          ...(leaves && { connection: "close" }),
        },
        agent: this.#agents[n % VISITORS] as Agent,
        from: addressOf(this.#target.visitors, 1 + (n % VISITORS)),
        onClosed: () => this.#repeated++,
        timeoutMs: PATIENCE_MS,
      },
    );
    if (status !== 200) throw new Error(`answered ${status}`);
  }
}

interface Counted {
  readonly day: string;
  readonly views: number;
}

/**
 * Views of the honest pages that are counted today, by the clock of the box. An answer for more days
 * would leave the pages out where the attack and the past fill all places of its highest values.
 */
async function countedOf(
  { origin, site, token, visitors }: Target,
  asked: { day?: string } = {},
): Promise<Counted> {
  const { status, body } = await ask(origin, `/stats?${new URLSearchParams({ site, ...asked })}`, {
    headers: { authorization: `Bearer ${token}` },
    from: addressOf(visitors, VISITORS + 1),
    timeoutMs: 5 * 60_000,
  });
  if (status !== 200) throw new Error(`/stats answered ${status}: ${body}`);
  const { day, path = {} } = JSON.parse(body.toString());
  return { day, views: HONEST_PATHS.reduce((sum, each) => sum + (path[each] ?? 0), 0) };
}
