import type { Clock } from "../base/clock.ts";
import { DayZone } from "../base/day-zone.ts";
import { Histogram } from "../base/histogram.ts";
import type { Log } from "../base/log.ts";
import type { Cancel } from "../base/signal.ts";
import { Batch, storageUnavailable } from "./batch.ts";
import { NOBODY, type SiteKey, type Stamp } from "./counting.ts";
import { incrementsOf } from "./counts/group.ts";
import type { EngineAnswer, EngineRequest } from "./engine.ts";
import type { IntakeFigures } from "./figures.ts";
import type { Hit } from "./log/record.ts";

/** After this long without a commit, hits are answered and wait in memory. */
export const PATIENCE_MS = 5_000;
const RETRY_LOCKED_MS = 50;
const RETRY_FAILED_MS = 1_000;
const LONGEST_RETRY_MS = 64_000;
/** Bounds of a histogram. */
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];
const AT_ONCE = Promise.resolve();
const UTC = new DayZone();

interface IntakeOptions {
  clock: Clock;
  /** By which days begin now; UTC unless given. */
  zone?: () => DayZone;
  log: Log;
  send: (request: EngineRequest) => Promise<EngineAnswer>;
  lowSpace: () => boolean;
  /** Hits were stored. */
  onCommitted?: () => void;
}

/**
 * Group commit: hits that arrive while a commit runs form the next one, and everybody is answered
 * once what he sent is synced. While nothing can be stored, counts pile up in the open batch,
 * hits are answered at once and surveys are refused, and retries that become rarer find out when
 * it ends.
 */
export class Intake {
  readonly #clock: Clock;
  readonly #zone: () => DayZone;
  readonly #log: Log;
  readonly #send: IntakeOptions["send"];
  readonly #lowSpace: () => boolean;
  readonly #onCommitted: () => void;
  #open = this.#newBatch();
  #failures = 0;
  #inFlight: Batch | undefined;
  #scheduled = false;
  #unavailable = false;
  readonly #commitSeconds = new Histogram(COMMIT_SECONDS);
  #failedBatches = 0;
  #giveUp: Cancel | undefined;
  #retry: Cancel | undefined;
  #idle: (() => void) | undefined;

  constructor({
    clock,
    zone = () => UTC,
    log,
    send,
    lowSpace,
    onCommitted = () => {},
  }: IntakeOptions) {
    this.#clock = clock;
    this.#zone = zone;
    this.#log = log;
    this.#send = send;
    this.#lowSpace = lowSpace;
    this.#onCommitted = onCommitted;
  }

  /** True while nothing can be stored. */
  get unavailable(): boolean {
    return this.#unavailable;
  }

  /** What it has done since the start, and what waits now. */
  get figures(): IntakeFigures {
    return {
      commitSeconds: this.#commitSeconds,
      failedBatches: this.#failedBatches,
      waitingHits: this.#open.hits + (this.#inFlight?.hits ?? 0),
      waitingBytes: this.#open.bytes + (this.#inFlight?.bytes ?? 0),
    };
  }

  /**
   * Counts one hit; null stands for a site that does not exist. Resolves when the hit may be
   * answered.
   */
  count(site: SiteKey | null, { kind, flags, values }: Hit): Promise<void> {
    // Then nothing is waited for, and memory is for sites that are there.
    if (site === null && this.#unavailable) return AT_ONCE;
    const batch = this.#open;
    const increments = incrementsOf(kind, flags, values);
    batch.add(site ?? NOBODY, this.#stamp(), increments, kind === "view");
    this.#schedule();
    return this.#unavailable ? AT_ONCE : batch.stored;
  }

  /** Stores one survey response. @throws {Refusal} `storage_unavailable`, `surveys_full` */
  async addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void> {
    if (this.#unavailable) throw storageUnavailable();
    const row = { site: site ?? NOBODY, stamp: this.#stamp(), version, payload };
    const stored = this.#open.addSurvey(row);
    this.#schedule();
    await stored;
  }

  /** Tries again at once where nothing could be stored: something may be better now. */
  retry(): void {
    if (this.#retry === undefined) return;
    this.#retry();
    this.#commit();
  }

  /** Resolves when all that was counted is stored, or a last attempt at it failed. */
  async drain(): Promise<void> {
    if (this.#inFlight === undefined && !this.#open.wanted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    this.retry();
    await promise;
  }

  #stamp(): Stamp {
    const now = this.#clock.now();
    if (this.#clock.sure) return { hour: this.#zone().hourAt(now) };
    return {
      boot: this.#clock.boot,
      at: Math.floor(this.#clock.monotonic()),
      savedClock: Math.floor(now),
    };
  }

  /** What was stamped before the clock was sure, and is committed after, can be told its hour now. */
  readonly #dated = (stamp: Stamp): Stamp => {
    if ("hour" in stamp || !this.#clock.sure) return stamp;
    const receivedAt = this.#clock.now() - this.#clock.monotonic() + stamp.at;
    return { hour: this.#zone().hourAt(receivedAt) };
  };

  #schedule(): void {
    if (this.#scheduled || this.#inFlight !== undefined) return;
    this.#scheduled = true;
    // Not at once: all hits that this turn of the event loop reads go together.
    setImmediate(() => this.#commit());
  }

  #commit(): void {
    this.#scheduled = false;
    this.#retry = undefined;
    const batch = this.#open;
    this.#open = this.#newBatch();
    this.#inFlight = batch;
    this.#sendNext(batch);
  }

  /** One batch waits while another is committed: the memory is for both. */
  #newBatch(): Batch {
    return new Batch(() => this.#inFlight?.bytes ?? 0);
  }

  #sendNext(batch: Batch): void {
    this.#giveUp ??= this.#clock.after(PATIENCE_MS, () => this.#stopWaiting("no commit for 5 s"));
    const next = batch.next(this.#lowSpace(), this.#dated);
    const at = this.#clock.monotonic();
    void this.#send({ kind: "commit", at, batch: next }).then((answer) => {
      if (answer.ok) this.#goesOn((this.#clock.monotonic() - at) / 1_000);
      if (answer.ok && batch.hasMore) {
        this.#sendNext(batch);
        return;
      }
      this.#inFlight = undefined;
      if (answer.ok) this.#committed(batch, answer.surveys);
      else this.#failed(batch, answer);
    });
  }

  /** A commit was made. */
  #goesOn(seconds: number): void {
    this.#commitSeconds.observe(seconds);
    this.#giveUp?.();
    this.#giveUp = undefined;
    this.#failures = 0;
  }

  #committed(batch: Batch, surveyIds: readonly (number | null)[]): void {
    if (this.#unavailable) this.#log.info("Storage is back; what waited in memory is stored");
    this.#unavailable = false;
    const restOfDayMs = () => this.#zone().nextMidnight(this.#clock.now()) - this.#clock.now();
    this.#open.withdraw(batch.commit(surveyIds, restOfDayMs));
    this.#onCommitted();
    if (this.#open.wanted) this.#schedule();
    else this.#becomeIdle();
  }

  #failed(batch: Batch, { busy, message }: { busy: boolean; message: string }): void {
    this.#failedBatches++;
    this.#open.absorb(batch);
    if (!busy || this.#unavailable) this.#stopWaiting(message);
    if (this.#unavailable) this.#becomeIdle();
    this.#scheduled = true;
    // A lock is gone in a moment; a full disk stays so for longer.
    const wait = busy
      ? RETRY_LOCKED_MS
      : Math.min(LONGEST_RETRY_MS, RETRY_FAILED_MS * 2 ** this.#failures++);
    this.#retry = this.#clock.after(wait, () => this.#commit());
  }

  #stopWaiting(reason: string): void {
    if (!this.#unavailable)
      this.#log.error({ reason }, "Nothing can be stored; counts wait in memory");
    this.#unavailable = true;
    this.#inFlight?.releaseHits();
    this.#inFlight?.refuseSurveys({ inFlight: true });
    this.#open.releaseHits();
    this.#open.refuseSurveys({ inFlight: false });
  }

  #becomeIdle(): void {
    this.#idle?.();
    this.#idle = undefined;
  }
}
