import { HOUR_MS } from "../../base/calendar.ts";
import { type Clock, every } from "../../base/clock.ts";
import type { DayZone } from "../../base/day-zone.ts";
import type { Log } from "../../base/log.ts";
import { messageOf } from "../../base/message-of.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import type { Engine, EngineAnswer, SettlementAsked } from "../engine.ts";
import type { UpkeepTime } from "../queries.ts";

/** The interval of the upkeep. */
const UPKEEP_EVERY_MS = 10 * 60_000;
/** The log is settled once it has so many bytes, and at the latest before its oldest batch is an hour old. */
const SETTLED_BYTES = 1_048_576;
/** A fleet has more memory, and sites enough that each settlement writes a block for thousands. */
const FLEET_SETTLED_BYTES = 4 * 1_048_576;
const SETTLED_AFTER_MS = HOUR_MS - UPKEEP_EVERY_MS;
/**
 * A node does not know the commits of others in its fleet, so it asks the database: often enough that the unfolded
 * log stays small for readers even at 100,000 hits a second.
 */
const FLEET_LOOK_MS = 5_000;
/** The shortest interval: each settlement leaves a part for each counted site, and too many parts have to be merged. */
const FLEET_SETTLED_AFTER_MS = 60_000;

/** A settlement may be void so often in a row, due to changes by others; then it waits for the next time. */
const MOST_IN_VAIN = 8;

const UNREADABLE =
  "Some of what was counted last could not be read and is lost. The card or disk that keeps it may be failing: make " +
  "a backup, and try another one";

const ALWAYS_CHANGED = "what was to be settled was changed by others each time";

interface UpkeepOptions {
  /** The engine, once it is open. */
  engine: () => Pick<Engine, "send" | "settlement">;
  clock: Clock;
  log: Pick<Log, "warn" | "error">;
  /** The zone in which days begin now. */
  zone: () => DayZone;
  retentionDays: number;
  /** Days that keep detail; 0 for none. */
  detailDays: number;
  /** See SettlementQuery. */
  placeKeepDays?: number | undefined;
  /** Whether others count there, too. */
  isShared: boolean;
  /** See SettlementQuery; all is settled unless given. */
  upTo?: () => ReadonlyMap<number, number> | undefined;
}

/** Regular work on a place with numbers: settling its log, and the steps of `upkeep`. */
export class Upkeep {
  /** Held from preparing blocks to writing them: by turns, neither settling nor who brings others does so in vain. */
  readonly blocks = new Mutex();
  readonly #options: UpkeepOptions;
  #running: Promise<boolean> | undefined;
  #isClosing = false;
  /** Bytes of the log that were committed since it was settled last, and when the first of them were. */
  #bytes = 0;
  #since: number | undefined;
  /** The time of the last settlement; undefined when that was before the start, or failed. */
  #settledOn: number | undefined;
  /** Monotonic ms when nothing was left to settle. */
  #settledAt = -Infinity;
  #first = Promise.resolve(true);
  readonly #stops: Cancel[] = [];
  /** Emits after an upkeep that ran by itself; false where some of it failed. */
  readonly #ended = new Signal<boolean>();

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Does the work now and regularly. */
  begin(): void {
    const { clock, isShared } = this.#options;
    const tend = async () => this.#ended.emit(await this.#once());
    this.#stops.push(
      every(clock, UPKEEP_EVERY_MS, () => void tend()),
      clock.becameSure.on(() => void this.anew()),
    );
    if (isShared) this.#stops.push(every(clock, FLEET_LOOK_MS, () => void this.#look()));
    this.restart();
  }

  /** The same with other data, from now on. */
  restart(): void {
    this.#first = this.anew();
  }

  /** The first with the data that is there. False where some of it failed, as of all others. */
  get first(): Promise<boolean> {
    return this.#first;
  }

  /** The next regular run; never resolves once this is closed. */
  next(): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#ended.on((isWhole) => {
        cancel();
        resolve(isWhole);
      });
    });
  }

  /** Notes a commit. @param bytes that it added to the log */
  committed(bytes: number): void {
    this.#bytes += bytes;
    this.#since ??= this.#options.clock.monotonic();
    if (this.#bytes >= this.#settledBytes) void this.#once();
  }

  /** Does the work, or joins a run that is under way. */
  #once(): Promise<boolean> {
    return this.#unlessRunning(() => this.#run());
  }

  /** Settles the commits of a fleet, once there are enough. */
  async #look(): Promise<void> {
    await this.#unlessRunning(async () => {
      const age = this.#options.clock.monotonic() - this.#settledAt;
      const isDue = this.#isSettlingDue() || age >= FLEET_SETTLED_AFTER_MS;
      // Others report a database that is away, and the next upkeep reports any other failure.
      return this.#settle(isDue ? 0 : this.#settledBytes).then(
        () => true,
        () => false,
      );
    });
  }

  /**
   * Waits for a run that is under way, since that may have looked at the clock before, and then does all work.
   * Never rejects.
   * @returns false where some of it failed, which the next run does
   */
  async anew(): Promise<boolean> {
    await this.#running;
    this.#settledOn = undefined;
    return this.#once();
  }

  close(): void {
    this.#isClosing = true;
    for (const stop of this.#stops) stop();
  }

  #unlessRunning(work: () => Promise<boolean>): Promise<boolean> {
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<boolean> {
    try {
      await this.#step();
      // Settling leaves traces, which a step takes away.
      if (this.#isSettlingDue() && (await this.#settle(0))) await this.#step();
      return true;
    } catch (error) {
      // The next start goes on with it.
      if (this.#isClosing) return false;
      const reason = messageOf(error);
      this.#options.log.warn({ reason }, "Upkeep failed; it is tried again later");
      return false;
    }
  }

  /**
   * @param minBytes see SettlementQuery; 0 settles everything
   * @returns true when something was settled
   */
  async #settle(minBytes: number): Promise<boolean> {
    if (minBytes === 0) {
      this.#bytes = 0;
      this.#since = undefined;
      this.#settledOn = undefined;
    }
    let inVain = 0;
    for (let isFirst = true; ; isFirst = false) {
      const time = this.#time();
      const { detailDays, placeKeepDays, upTo = () => undefined } = this.#options;
      const asked = {
        ...{ ...time, detailDays, placeKeepDays, isFirst, minBytes },
        upTo: isFirst ? upTo() : undefined,
      };
      const done = await this.blocks.runExclusive(() => this.#settleOnce(asked));
      if (done === null) {
        if (minBytes === 0) this.#settledOn = time.today;
        if (minBytes === 0 || !isFirst) this.#settledAt = this.#options.clock.monotonic();
        return !isFirst;
      }
      inVain = done.isInVain ? inVain + 1 : 0;
      if (inVain >= MOST_IN_VAIN) throw new Error(ALWAYS_CHANGED);
    }
  }

  /** @returns null where nothing is due */
  async #settleOnce(asked: SettlementAsked): Promise<{ readonly isInVain: boolean } | null> {
    const { engine, clock, log } = this.#options;
    const settlement = await engine().settlement(asked);
    if (settlement === null) return null;
    const request = { kind: "settle", at: clock.monotonic(), settlement } as const;
    const { isInVain = false } = expectDone(await engine().send(request));
    const { unreadable = 0 } = settlement;
    if (unreadable > 0 && !isInVain) log.error({ batches: unreadable }, UNREADABLE);
    return { isInVain };
  }

  get #settledBytes(): number {
    return this.#options.isShared ? FLEET_SETTLED_BYTES : SETTLED_BYTES;
  }

  #isSettlingDue(): boolean {
    const { clock, zone } = this.#options;
    return (
      this.#settledOn !== zone().today(clock.now()) ||
      this.#bytes >= this.#settledBytes ||
      clock.monotonic() - (this.#since ?? Infinity) >= SETTLED_AFTER_MS
    );
  }

  async #step(): Promise<void> {
    const { clock, engine } = this.#options;
    for (let more = true; more; )
      more = expectDone(
        await engine().send({ kind: "upkeep", at: clock.monotonic(), time: this.#time() }),
      ).more;
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
}

function expectDone(answer: EngineAnswer): EngineAnswer & { ok: true } {
  if (!answer.ok) throw new Error(answer.message);
  return answer;
}
