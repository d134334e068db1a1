import type { Cancel, Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { Batch, StorageUnavailable } from "./batch.ts";
import type { CommitterAnswer, CommitterRequest } from "./committer.ts";
import type { SiteKey, Stamp } from "./counting.ts";

/** After this long without a commit, hits are answered and wait in memory. */
export const PATIENCE_MS = 5_000;
const RETRY_LOCKED_MS = 50;
const RETRY_FAILED_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Dimension and value, one increment each. */
export type Counts = readonly (readonly [dimension: string, value: string])[];

export interface IntakeOptions {
  clock: Clock;
  log: Log;
  send: (request: CommitterRequest) => Promise<CommitterAnswer>;
  lowSpace: () => boolean;
  /** Hits were stored. */
  onCommitted?: () => void;
}

/**
 * Group commit: hits that arrive while a commit runs form the next one, and everybody is answered
 * once what he sent is synced. While nothing can be stored, counts pile up in the open batch,
 * hits are answered at once and surveys are refused, and a retry a second finds out when it ends.
 */
export class Intake {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #send: IntakeOptions["send"];
  readonly #lowSpace: () => boolean;
  readonly #onCommitted: () => void;
  #open = new Batch();
  #inFlight: Batch | undefined;
  #scheduled = false;
  #unavailable = false;
  #giveUp: Cancel | undefined;
  #retry: Cancel | undefined;
  #idle: (() => void) | undefined;

  constructor({ clock, log, send, lowSpace, onCommitted = () => {} }: IntakeOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#send = send;
    this.#lowSpace = lowSpace;
    this.#onCommitted = onCommitted;
  }

  /** True while nothing can be stored. */
  get unavailable(): boolean {
    return this.#unavailable;
  }

  /**
   * Counts one hit; null stands for a site that does not exist and writes nothing. Resolves when
   * the hit may be answered.
   */
  async count(site: SiteKey | null, counts: Counts, view: boolean): Promise<void> {
    const batch = this.#open;
    if (site === null) batch.want();
    else batch.add(site, this.#stamp(), counts, view);
    this.#schedule();
    if (!this.#unavailable) await batch.stored;
  }

  /** Stores one survey response. @throws StorageUnavailable when it was not stored. */
  async addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void> {
    if (this.#unavailable) throw new StorageUnavailable();
    if (site === null) {
      await this.count(null, [], false);
      if (this.#unavailable) throw new StorageUnavailable();
      return;
    }
    const stored = this.#open.addSurvey({ site, stamp: this.#stamp(), version, payload });
    this.#schedule();
    await stored;
  }

  /** Resolves when all that was counted is stored, or a last attempt at it failed. */
  async drain(): Promise<void> {
    if (this.#inFlight === undefined && !this.#open.wanted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    if (this.#retry !== undefined) {
      this.#retry();
      this.#commit();
    }
    await promise;
  }

  #stamp(): Stamp {
    const now = this.#clock.now();
    if (this.#clock.sure) return { hour: Math.floor(now / HOUR_MS) };
    return {
      boot: this.#clock.boot,
      at: Math.floor(this.#clock.monotonic()),
      savedClock: Math.floor(now),
    };
  }

  /** What was stamped before the clock was sure, and is committed after, can be told its hour now. */
  readonly #settle = (stamp: Stamp): Stamp => {
    if ("hour" in stamp || !this.#clock.sure) return stamp;
    const receivedAt = this.#clock.now() - this.#clock.monotonic() + stamp.at;
    return { hour: Math.floor(receivedAt / HOUR_MS) };
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
    this.#open = new Batch();
    this.#inFlight = batch;
    this.#giveUp ??= this.#clock.after(PATIENCE_MS, () => this.#stopWaiting("no commit for 5 s"));
    void this.#send({ kind: "commit", batch: batch.data(this.#lowSpace(), this.#settle) }).then(
      (answer) => {
        this.#inFlight = undefined;
        if (answer.ok) this.#committed(batch, answer.surveys);
        else this.#failed(batch, answer);
      },
    );
  }

  #committed(batch: Batch, surveyIds: readonly number[]): void {
    this.#giveUp?.();
    this.#giveUp = undefined;
    if (this.#unavailable) this.#log.info("Storage is back; what waited in memory is stored");
    this.#unavailable = false;
    this.#open.withdraw(batch.commit(surveyIds));
    this.#onCommitted();
    if (this.#open.wanted) this.#schedule();
    else this.#becomeIdle();
  }

  #failed(batch: Batch, { busy, message }: { busy: boolean; message: string }): void {
    this.#open.absorb(batch);
    if (!busy || this.#unavailable) this.#stopWaiting(message);
    if (this.#unavailable) this.#becomeIdle();
    this.#scheduled = true;
    const wait = busy ? RETRY_LOCKED_MS : RETRY_FAILED_MS;
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
