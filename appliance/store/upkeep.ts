import { HOUR_MS } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import type { DayZone } from "../base/day-zone.ts";
import type { Log } from "../base/log.ts";
import type { EngineAnswer, EngineRequest } from "./engine.ts";
import type { FoldPlan, SettlementQuery, UpkeepTime } from "./queries.ts";
import type { Settlement } from "./snapshot.ts";

/** Sites that are folded at most in one go. */
const MAX_FOLDS = 20;
/** How often somebody is to ask for it. */
export const UPKEEP_EVERY_MS = 10 * 60_000;
/** The log is settled once it has so many bytes, or before its oldest batch is an hour old. */
const SETTLED_BYTES = 4 * 1_048_576;
const SETTLED_AFTER_MS = HOUR_MS - UPKEEP_EVERY_MS;

const UNREADABLE =
  "Some of what was counted last could not be read and is lost. The card may be failing: make a backup, and " +
  "try another card";

/** What a reader prepared, whose steps are the engine's. */
export interface Prepared<Work> {
  readonly work: Work;
  /**
   * Does it.
   * @throws {Refusal} `storage_unavailable` when it is about another file
   */
  send(request: EngineRequest): Promise<EngineAnswer>;
}

interface UpkeepOptions {
  clock: Clock;
  log: Pick<Log, "warn" | "error">;
  /** By which days begin now. */
  zone: () => DayZone;
  retentionDays: number;
  /** Asks the engine, once it is there. */
  send: (request: EngineRequest) => Promise<EngineAnswer>;
  /** What is to be settled next; null when nothing is due. */
  settlement: (
    time: UpkeepTime & Pick<SettlementQuery, "isFirst">,
  ) => Promise<Prepared<Settlement> | null>;
  /** What is too many of values, as of a day; null when nothing is. */
  plan: (today: number) => Promise<Prepared<FoldPlan> | null>;
}

/** What is done for the data from time to time: settling the log, pruning, and folding what is too many. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #running: Promise<void> | undefined;
  #isClosing = false;
  /** Bytes of the log that were committed since it was settled last, and when the first of them were. */
  #bytes = 0;
  #since: number | undefined;
  /** When it was settled last; undefined when that was before the start, or failed. */
  #settledOn: number | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Something was committed: so many bytes of the log. */
  committed(bytes: number): void {
    this.#bytes += bytes;
    this.#since ??= this.#options.clock.monotonic();
    if (this.#bytes >= SETTLED_BYTES) void this.once();
  }

  /** Does what is due, or joins who does it already. Never rejects. */
  once(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Settles all there is, and does what else is due: what runs may have looked at the clock already. */
  async anew(): Promise<void> {
    await this.#running;
    this.#settledOn = undefined;
    await this.once();
  }

  close(): void {
    this.#isClosing = true;
  }

  async #run(): Promise<void> {
    await this.#try("Upkeep failed", async () => {
      await this.#step();
      // What is settled leaves traces, which a step takes away.
      if (await this.#settle()) await this.#step();
    });
    await this.#try("Values could not be folded", () => this.#fold());
  }

  /** @returns true when there was anything to settle */
  async #settle(): Promise<boolean> {
    if (!this.#isSettlingDue()) return false;
    this.#bytes = 0;
    this.#since = undefined;
    this.#settledOn = undefined;
    for (let isFirst = true; ; isFirst = false) {
      const time = this.#time();
      const next = await this.#options.settlement({ ...time, isFirst });
      if (next === null) {
        this.#settledOn = time.today;
        return !isFirst;
      }
      const at = this.#options.clock.monotonic();
      expectDone(await next.send({ kind: "settle", at, settlement: next.work }));
      const { unreadable = 0 } = next.work;
      if (unreadable > 0) this.#options.log.error({ batches: unreadable }, UNREADABLE);
    }
  }

  #isSettlingDue(): boolean {
    const { clock, zone } = this.#options;
    return (
      this.#settledOn !== zone().today(clock.now()) ||
      this.#bytes >= SETTLED_BYTES ||
      clock.monotonic() - (this.#since ?? Infinity) >= SETTLED_AFTER_MS
    );
  }

  async #step(): Promise<void> {
    const { clock, send } = this.#options;
    for (let more = true; more; )
      more = expectDone(
        await send({ kind: "upkeep", at: clock.monotonic(), time: this.#time() }),
      ).more;
  }

  async #fold(): Promise<void> {
    const { clock, plan, zone } = this.#options;
    for (let round = 0; clock.sure && round < MAX_FOLDS; round++) {
      const next = await plan(zone().today(clock.now()));
      if (next === null) return;
      let { more } = expectDone(await next.send({ kind: "fold", plan: next.work }));
      while (more) ({ more } = expectDone(await next.send({ kind: "fold", plan: null })));
    }
  }

  #time(): UpkeepTime {
    const { clock, retentionDays, zone } = this.#options;
    return {
      boot: clock.boot,
      bootedAt: clock.sure ? clock.now() - clock.monotonic() : null,
      today: zone().today(clock.now()),
      zone: zone().setting,
      retentionDays,
    };
  }

  async #try(problem: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      // Then the next start does it.
      if (this.#isClosing) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn({ reason }, `${problem}; it is tried again later`);
    }
  }
}

function expectDone(answer: EngineAnswer): EngineAnswer & { ok: true } {
  if (!answer.ok) throw new Error(answer.message);
  return answer;
}
