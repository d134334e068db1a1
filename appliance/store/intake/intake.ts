import type { Clock } from "../../base/clock.ts";
import { DayZone } from "../../base/day-zone.ts";
import type { Log } from "../../base/log.ts";
import { Histogram } from "../../base/metrics/histogram.ts";
import type { Cancel } from "../../base/signal.ts";
import { datedStamp, NOBODY, type SiteKey, type Stamp } from "../counting.ts";
import { maskedHit } from "../counts/nobody.ts";
import type { EngineAnswer, EngineRequest, IntakeFigures } from "../engine.ts";
import { MAX_BYTES } from "../log/batch.ts";
import type { Hit } from "../log/record.ts";
import { CommitGroup, storageUnavailable } from "./commit-group.ts";
import { WaitingHits } from "./waiting-hits.ts";

/** The time without a commit after which hits are answered and wait in memory. */
export const PATIENCE_MS = 5_000;
const RETRY_LOCKED_MS = 50;
const RETRY_FAILED_MS = 1_000;
const LONGEST_RETRY_MS = 64_000;
/**
 * From so many hits in a turn of the event loop on, a commit waits while each turn brings more: until there are so many,
 * or for so many turns.
 */
const BUSY_HITS = 8;
const ENOUGH_HITS = 256;
const MOST_TURNS = 8;
/** Bounds of a histogram. */
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];
const AT_ONCE = Promise.resolve();
const UTC = new DayZone();
const NONE: Committed = { bytes: 0, areLate: false };

/** Hits were stored. */
interface Committed {
  /** The size in bytes of the log. */
  readonly bytes: number;
  /** Whether there are hits from before the clock was sure, while it is sure by now. */
  readonly areLate: boolean;
}

interface IntakeOptions {
  clock: Clock;
  /** The zone in which days begin now; UTC unless given. */
  zone?: () => DayZone;
  log: Log;
  send: (request: EngineRequest) => Promise<EngineAnswer>;
  lowSpace: () => boolean;
  onCommitted?: (committed: Committed) => void;
}

/**
 * Group commit: hits that arrive while a commit runs form the next one, and a request is answered once its hit is
 * synced. While nothing can be stored, hits wait in memory and are answered at once, surveys are refused, and
 * ever rarer retries find out when storage is back.
 */
export class Intake {
  readonly #options: Required<IntakeOptions>;
  /** All hits that are not committed, those of a running commit included. */
  readonly #hits = new WaitingHits();
  /** The requests that wait for the next commit. */
  #open = new CommitGroup();
  #failures = 0;
  #inFlight: CommitGroup | undefined;
  #scheduled = false;
  #unavailable = false;
  /** The commits since all were answered last. */
  #stored: Committed = NONE;
  readonly #commitSeconds = new Histogram(COMMIT_SECONDS);
  #failedBatches = 0;
  #giveUp: Cancel | undefined;
  #retry: Cancel | undefined;
  #idle: (() => void) | undefined;

  constructor(options: IntakeOptions) {
    this.#options = { zone: () => UTC, onCommitted: () => {}, ...options };
  }

  /** Whether nothing can be stored now. */
  get unavailable(): boolean {
    return this.#unavailable;
  }

  /** Figures of the work since the start, and of hits that wait now. */
  get figures(): IntakeFigures {
    return {
      commitSeconds: this.#commitSeconds,
      failedBatches: this.#failedBatches,
      waitingHits: this.#hits.hits,
      waitingBytes: this.#hits.bytes,
    };
  }

  /**
   * Counts one hit. Resolves when it may be answered.
   * @param site null for a site that does not exist
   */
  count(site: SiteKey | null, hit: Hit): Promise<void> {
    // Unknown sites wait for nothing then, and memory is for the known ones.
    if (site === null && this.#unavailable) return AT_ONCE;
    if (site === null) this.#hits.add(NOBODY, this.#stamp(), maskedHit(hit));
    else this.#hits.add(site, this.#stamp(), hit);
    this.#schedule();
    return this.#unavailable ? AT_ONCE : this.#open.stored;
  }

  /** Stores one survey response. @throws {Refusal} `storage_unavailable`, `surveys_full` */
  async addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void> {
    if (this.#unavailable) throw storageUnavailable();
    const row = { site: site ?? NOBODY, stamp: this.#stamp(), version, payload };
    const stored = this.#open.addSurvey(row);
    this.#schedule();
    await stored;
  }

  /** Tries again at once where storage is unavailable. */
  retry(): void {
    if (this.#retry === undefined) return;
    this.#retry();
    this.#commit();
  }

  /** Resolves when all hits are stored, or a last attempt has failed. */
  async drain(): Promise<void> {
    if (this.#inFlight === undefined && !this.#isWanted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    this.retry();
    await promise;
  }

  #stamp(): Stamp {
    const { clock, zone } = this.#options;
    const now = clock.now();
    if (clock.sure) return { hour: zone().hourAt(now) };
    return {
      boot: clock.boot,
      at: Math.floor(clock.monotonic()),
      savedClock: Math.floor(now),
    };
  }

  #schedule(): void {
    if (this.#scheduled || this.#inFlight !== undefined) return;
    this.#scheduled = true;
    // The commit starts after this turn of the event loop, so that all hits of the turn share it.
    setImmediate(() => this.#commitOnceFewCome(0, 0));
  }

  #commitOnceFewCome(before: number, turns: number): void {
    const { hits } = this.#hits;
    const isBusy = hits >= BUSY_HITS && hits > before;
    if (isBusy && hits < ENOUGH_HITS && turns < MOST_TURNS)
      setImmediate(() => this.#commitOnceFewCome(hits, turns + 1));
    else this.#commit();
  }

  /** Whether a commit is due. */
  get #isWanted(): boolean {
    return this.#open.wanted || !this.#hits.isEmpty;
  }

  #commit(): void {
    this.#scheduled = false;
    this.#retry = undefined;
    const group = this.#open;
    this.#open = new CommitGroup();
    this.#inFlight = group;
    // While nothing can be stored, the open batch goes on merging equal hits.
    if (!this.#unavailable || this.#hits.parts.length === 0) this.#hits.close();
    this.#sendNext(group, this.#hits.parts.length);
  }

  /** Commits parts in slices of about a megabyte. Waiting requests are answered after the last one. */
  #sendNext(group: CommitGroup, left: number): void {
    const { clock, zone, lowSpace, send } = this.#options;
    this.#giveUp ??= clock.after(PATIENCE_MS, () => this.#stopWaiting("no commit for 5 s"));
    const parts = this.#nextParts(left);
    const isLast = parts.length === left;
    const at = clock.monotonic();
    const data = {
      log: parts.map(({ bytes }) => bytes),
      hits: parts.reduce((sum, { hits }) => sum + hits, 0),
      surveys: isLast ? group.rows((stamp) => datedStamp(stamp, clock, zone())) : [],
      lowSpace: lowSpace(),
    };
    void send({ kind: "commit", at, batch: data }).then((answer) => {
      if (answer.ok) {
        this.#hits.drop(parts.length);
        const { bytes, areLate } = this.#stored;
        this.#stored = {
          bytes: parts.reduce((sum, part) => sum + part.bytes.length, bytes),
          areLate: areLate || (clock.sure && parts.some(({ isUndated }) => isUndated)),
        };
        this.#goesOn((clock.monotonic() - at) / 1_000);
      }
      if (answer.ok && !isLast) {
        this.#sendNext(group, left - parts.length);
        return;
      }
      this.#inFlight = undefined;
      if (answer.ok) this.#committed(group, answer.surveys);
      else this.#failed(group, answer);
    });
  }

  /** The oldest parts, about a megabyte, so that a copy for the worker and a retry stay small. */
  #nextParts(most: number): WaitingHits["parts"] {
    let bytes = 0;
    const { parts } = this.#hits;
    const end = parts.findIndex((part, n) => {
      bytes += part.bytes.length;
      return n >= most || (n > 0 && bytes > MAX_BYTES);
    });
    return parts.slice(0, end < 0 ? most : end);
  }

  /** A commit was made. */
  #goesOn(seconds: number): void {
    this.#commitSeconds.observe(seconds);
    this.#giveUp?.();
    this.#giveUp = undefined;
    this.#failures = 0;
  }

  #committed(group: CommitGroup, taken: readonly boolean[]): void {
    if (this.#unavailable) this.#waitAgain();
    const { clock, zone, onCommitted } = this.#options;
    const restOfDayMs = () => zone().nextMidnight(clock.now()) - clock.now();
    group.commit(taken, restOfDayMs);
    onCommitted(this.#stored);
    this.#stored = NONE;
    if (this.#isWanted) this.#schedule();
    else this.#becomeIdle();
  }

  #failed(group: CommitGroup, { busy, message }: { busy: boolean; message: string }): void {
    this.#failedBatches++;
    this.#open.absorb(group);
    if (!busy || this.#unavailable) this.#stopWaiting(message);
    if (this.#unavailable) this.#becomeIdle();
    this.#scheduled = true;
    // A lock is released within moments, while a full disk takes longer.
    const wait = busy
      ? RETRY_LOCKED_MS
      : Math.min(LONGEST_RETRY_MS, RETRY_FAILED_MS * 2 ** this.#failures++);
    this.#retry = this.#options.clock.after(wait, () => this.#commit());
  }

  #stopWaiting(reason: string): void {
    if (!this.#unavailable)
      this.#options.log.error({ reason }, "Nothing can be stored; counts wait in memory");
    this.#unavailable = true;
    this.#inFlight?.releaseHits();
    this.#inFlight?.refuseSurveys();
    this.#open.releaseHits();
    this.#open.refuseSurveys();
  }

  /** Storage is back: new requests wait for their commit again. */
  #waitAgain(): void {
    this.#options.log.info("Storage is back; what waited in memory is stored");
    this.#unavailable = false;
    const released = this.#open;
    this.#open = new CommitGroup();
    this.#open.absorb(released);
  }

  #becomeIdle(): void {
    this.#idle?.();
    this.#idle = undefined;
  }
}
