import type { Worker } from "node:worker_threads";
import { formatDay } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Cancel } from "../../base/signal.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import type { QueryInput, QueryName, QueryResult } from "../queries.ts";
import { ReaderEnded, readRefused } from "../reads/read-queue.ts";
import type { ThreadAnswer, ThreadKind, ThreadRequest, Threads } from "./threads.ts";

export interface ReaderRequest {
  readonly kind: "read";
  readonly query: QueryName;
  readonly input: unknown;
}

export type ReaderAnswer =
  /** The data is damaged; an error follows. */
  | { readonly kind: "damaged"; readonly message: string }
  /** Counts of a month cannot be read; the result has the rest. */
  | { readonly kind: "passedOver"; readonly site: SiteKey; readonly month: Month }
  | { readonly kind: "result"; readonly result: unknown }
  /** It could not be read, and who asked is told a sentence; the message is for the log. */
  | { readonly kind: "refused"; readonly reason: "away" | "failed"; readonly message: string }
  | { readonly kind: "error"; readonly message: string };

interface ReaderThreadOptions {
  thread: ThreadKind;
  /** The database that it opens: a file, or what else the thread takes. */
  database: unknown;
  /** Told whenever it met damage to the data. */
  onDamaged: (message: string) => void;
  clock: Clock;
  log: Log;
  threads: Threads;
}

/** A reader that lived this long before it died is started anew at once. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * A box whose numbers are not read has no use for a reader and its 13 MB: the next question
 * starts one.
 */
const IDLE_MS = 2 * 60_000;
/** Of more months of sites nothing more is told. */
const MOST_TOLD = 100;
const PASSED_OVER =
  "Counts of a month cannot be read and are in no answer. The card may be failing: try another card, and " +
  "restore a backup that is older than the damage";

/**
 * The reader's worker, behind a ReadQueue. When it dies of a question, the asker is told, and another
 * one is started at once: no other asker notices. One that dies by itself is started anew at first at
 * once, and then after growing pauses.
 */
export class ReaderThread {
  readonly #options: ReaderThreadOptions;
  #worker: Worker | undefined;
  /** Set while a worker is being started. */
  #starting: Promise<void> | undefined;
  #startedAt = 0;
  #pauseMs = 0;
  #cancelPause: Cancel = () => {};
  #cancelRest: Cancel = () => {};
  #isResting = false;
  /** Resolves when the one that was let go last is gone. */
  #leaving: Promise<void> | undefined;
  #asked: PromiseWithResolvers<unknown> | undefined;
  #closing = false;
  /** Months of sites that cannot be read. */
  readonly #told = new Set<string>();

  private constructor(options: ReaderThreadOptions) {
    this.#options = options;
  }

  /** Starts it; the first question waits for it. */
  static start(options: ReaderThreadOptions): ReaderThread {
    const reader = new ReaderThread(options);
    reader.#startAgain();
    return reader;
  }

  /** The same, but the first question starts it. */
  static atRest(options: ReaderThreadOptions): ReaderThread {
    const reader = new ReaderThread(options);
    reader.#isResting = true;
    return reader;
  }

  /**
   * Asks one question at a time: an answer does not say which one it is of.
   * @throws {Refusal} `read_failed` when there is no reader, `ReaderEnded` when this ended it; as the reader refuses; Error
   * when the query failed
   */
  async read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    this.#cancelRest();
    // Nothing would end it any more.
    if (this.#isResting && !this.#closing) this.#wake();
    await this.#starting;
    if (this.#worker === undefined) throw readRefused("failed");
    const asked = Promise.withResolvers<QueryResult<Q>>();
    this.#asked = asked as PromiseWithResolvers<unknown>;
    this.#worker.postMessage({ kind: "read", query, input } satisfies ReaderRequest);
    try {
      return await asked.promise;
    } finally {
      this.#restLater();
    }
  }

  /** Ends it after what it was asked. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#cancelPause();
    this.#cancelRest();
    await this.#starting;
    await Promise.all([this.#leaving, this.#letGo()]);
  }

  #restLater(): void {
    this.#cancelRest();
    if (this.#closing) return;
    this.#cancelRest = this.#options.clock.after(IDLE_MS, () => {
      this.#isResting = this.#worker !== undefined;
      this.#leaving = this.#letGo();
    });
  }

  #wake(): void {
    this.#isResting = false;
    this.#startAgain();
  }

  /** Has it close the database, and ends it. */
  async #letGo(): Promise<void> {
    const worker = this.#worker;
    const asked = this.#asked;
    this.#worker = undefined;
    if (worker === undefined) return;
    const isClosed = await new Promise<boolean>((closed) => {
      worker.once("exit", () => closed(false));
      worker.on("message", ({ kind }: ThreadAnswer) => kind === "closed" && closed(true));
      worker.postMessage({ kind: "close" } satisfies ThreadRequest);
    });
    // The question asked by now may be another's to answer.
    if (asked !== undefined && asked === this.#asked)
      this.#takeAsked()?.reject(readRefused("failed"));
    if (isClosed) await this.#options.threads.end(worker);
  }

  /** Resolves when it has opened the database. */
  async #start(): Promise<void> {
    const { thread, database, clock, threads, onDamaged } = this.#options;
    const worker = threads.start(thread);
    const ready = Promise.withResolvers<void>();
    let reason = "it ended by itself";
    worker.on("message", (answer: ReaderAnswer | ThreadAnswer) => {
      if (answer.kind === "ready") ready.resolve();
      else if (answer.kind === "damaged") onDamaged(answer.message);
      else if (answer.kind === "passedOver") this.#passedOver(answer.site, answer.month);
      else if (answer.kind === "result") this.#takeAsked()?.resolve(answer.result);
      else if (answer.kind === "refused") this.#refused(answer);
      else if (answer.kind === "error") this.#takeAsked()?.reject(new Error(answer.message));
    });
    worker.on("error", (error) => {
      reason = error.message;
      ready.reject(error);
    });
    worker.once("exit", () => {
      ready.reject(new Error(reason));
      if (this.#worker === worker) this.#died(reason);
    });
    worker.postMessage({ kind: "open", database } satisfies ThreadRequest);
    await ready.promise;
    this.#worker = worker;
    this.#startedAt = clock.monotonic();
  }

  /** Each question meets them again: they are told of once. */
  #passedOver(site: SiteKey, month: Month): void {
    const name = formatDay(firstDayOf(month)).slice(0, "2026-01".length);
    const key = `${site} ${name}`;
    if (this.#told.has(key) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(key);
    this.#options.log.error({ site, month: name }, PASSED_OVER);
  }

  #refused({ reason, message }: Extract<ReaderAnswer, { kind: "refused" }>): void {
    this.#options.log.warn({ reason: message }, "A question to the database was not answered");
    this.#takeAsked()?.reject(readRefused(reason));
  }

  #takeAsked(): PromiseWithResolvers<unknown> | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    return asked;
  }

  #died(reason: string): void {
    const { clock, log } = this.#options;
    this.#worker = undefined;
    const asked = this.#takeAsked();
    asked?.reject(this.#closing ? readRefused("failed") : new ReaderEnded());
    if (this.#closing) return;
    log.error(
      { reason },
      "The reader ended and is started anew; what it was asked is not answered",
    );
    if (asked !== undefined) {
      this.#startAgain();
      return;
    }
    if (clock.monotonic() - this.#startedAt >= STEADY_MS) this.#pauseMs = 0;
    this.#startLater();
  }

  #startLater(): void {
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pause));
    if (pause === 0) this.#startAgain();
    else this.#cancelPause = this.#options.clock.after(pause, () => this.#startAgain());
  }

  #startAgain(): void {
    this.#starting = this.#start()
      .catch((error: Error) => {
        this.#options.log.error({ reason: error.message }, "The reader cannot be started");
        if (!this.#closing) this.#startLater();
      })
      .finally(() => {
        this.#starting = undefined;
      });
  }
}
