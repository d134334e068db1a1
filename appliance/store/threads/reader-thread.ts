import type { Worker } from "node:worker_threads";
import { formatDay } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Cancel } from "../../base/signal.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { ReaderEnded, readRefused } from "../reads/read-queue.ts";
import type { QueryInput, QueryName, QueryResult } from "../reads/reads.ts";
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
  /** The data could not be read. The asker gets a sentence; the message is for the log. */
  | { readonly kind: "refused"; readonly reason: "away" | "failed"; readonly message: string }
  | { readonly kind: "error"; readonly message: string };

interface ReaderThreadOptions {
  thread: ThreadKind;
  /** The database to open: a file, or other data that the thread understands. */
  database: unknown;
  /** Called when the reader finds damage in the data. */
  onDamaged: (message: string) => void;
  clock: Clock;
  log: Log;
  threads: Threads;
}

/** A reader that ran for so long before it failed is started again at once. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** An idle reader is ended after so long, which saves 13 MB. The next question starts one. */
const IDLE_MS = 2 * 60_000;
/** The same when nobody but a settlement asked: a busy site has one each minute. */
const IDLE_AFTER_SETTLEMENT_MS = 10_000;
/** The most months of sites that are logged as unreadable. */
const MOST_TOLD = 100;
const PASSED_OVER =
  "Counts of a month cannot be read and are in no answer. The card may be failing: try another card, and " +
  "restore a backup that is older than the damage";

/**
 * The reader's worker, behind a ReadQueue. When a question ends it, its asker gets an error, and another worker
 * starts at once, which no other asker notices. One that fails by itself is started again at once, and after
 * growing pauses when it goes on failing.
 */
export class ReaderThread {
  readonly #options: ReaderThreadOptions;
  #worker: Worker | undefined;
  /** Set while a worker is being started. */
  #starting: Promise<void> | undefined;
  #startedAt = 0;
  /** Monotonic ms of the last answer, but for settlements. */
  #answeredAt = -Infinity;
  #pauseMs = 0;
  #cancelPause: Cancel = () => {};
  #cancelRest: Cancel = () => {};
  #isResting = false;
  /** Resolves when the worker that was closed last is gone. */
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
   * Asks one question at a time, since an answer does not name its question.
   * @throws {Refusal} `read_failed` when there is no reader; `ReaderEnded` when the question ended it; the refusals of
   *   the reader
   * @throws {Error} when the query failed
   */
  async read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    this.#cancelRest();
    // A thread woken during closing would never end.
    if (this.#isResting && !this.#closing) this.#wake();
    await this.#starting;
    if (this.#worker === undefined) throw readRefused("failed");
    const asked = Promise.withResolvers<QueryResult<Q>>();
    this.#asked = asked as PromiseWithResolvers<unknown>;
    this.#worker.postMessage({ kind: "read", query, input } satisfies ReaderRequest);
    try {
      return await asked.promise;
    } finally {
      if (query !== "settlement") this.#answeredAt = this.#options.clock.monotonic();
      this.#restLater();
    }
  }

  /** Ends the reader once it has answered. */
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
    const { clock } = this.#options;
    const idleMs = this.#answeredAt + IDLE_MS - clock.monotonic();
    this.#cancelRest = clock.after(Math.max(IDLE_AFTER_SETTLEMENT_MS, idleMs), () => {
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
    // By now the question may have gone to another reader.
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

  /** Logs an unreadable month once, although each question finds it again. */
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
