import { DAY_MS, type Day, HOUR_MS } from "../../base/calendar.ts";
import { markDay, TIME_RUN } from "../settling/day-marks.ts";
import type { Statement } from "../sql.ts";
import type { Database } from "./database.ts";

/** The time run is saved at most so often beside a commit of hits, where it costs a page of the write-ahead log. */
const BESIDE_MS = 60_000;
/** Alone it costs a commit, a hundred kilobytes on the card by the journal of its file system. */
const ALONE_MS = HOUR_MS;
const TIME_EVERY_MS = HOUR_MS;

/**
 * Measures and saves for how long the service has run with this data. It has one connection and one caller,
 * whose transactions it uses; after a rollback call `forget`. A crash loses a minute at most while hits come in,
 * an hour else, which only delays pruning.
 */
export class CountedDays {
  readonly #statements: ReturnType<typeof prepare>;
  #runMs: number;
  #savedMs: number;
  #savedTime: number;
  #at: number | undefined;
  /** The running time at the last count. */
  #countedMs: number;
  /** The running time that others may have read: whoever asks what was counted since finds all that is marked later. */
  #readMs: number;

  constructor(db: Database) {
    this.#statements = prepare(db);
    this.#runMs = runMs(db);
    this.#savedMs = this.#runMs;
    this.#countedMs = this.#runMs;
    this.#readMs = this.#runMs;
    this.#savedTime = savedTime(db);
  }

  /** Adds the time until `monotonic` (milliseconds); the first call begins to measure. */
  passTo(monotonic: number): void {
    this.#runMs += Math.max(0, Math.floor(monotonic - (this.#at ?? monotonic)));
    this.#at = Math.max(monotonic, this.#at ?? monotonic);
  }

  /** Notes that something is counted now. */
  count(): void {
    this.#countedMs = this.#runMs;
  }

  /** Marks a day on which something was counted at an unknown time that is not since the last `count`, or an hour later. */
  mark(day: Day): Statement {
    return markDay(day, Math.max(this.#countedMs, this.#readMs));
  }

  /** The wall clock is right and says `time` (epoch ms): saved now and then, see `newestTime`. */
  saveTime(time: number): void {
    if (time - this.#savedTime < TIME_EVERY_MS) return;
    this.#savedTime = time;
    this.#statements.raiseMeta.run("newest_time", Math.floor(time));
  }

  /** Saves the time run where it is worth it. @param isAlone whether nothing else is committed */
  save(isAlone = false): void {
    if (this.#runMs - this.#savedMs < (isAlone ? ALONE_MS : BESIDE_MS)) return;
    this.#savedMs = this.#runMs;
    this.#readMs = this.#runMs;
    this.#statements.raiseMeta.run("run_ms", this.#runMs);
    // A crash forgot some of the time run, or the marks are from elsewhere.
    this.#statements.bound.run({ runMs: this.#runMs });
  }

  /** Empties the caches. */
  forget(): void {
    this.#savedMs = -Infinity;
    this.#savedTime = -Infinity;
  }
}

function runMs(db: Database): number {
  return db.prepare(TIME_RUN).pluck().get() as number;
}

/** The newest time (epoch ms) in the data; 0 where it has none. */
export function newestTime(db: Database): number {
  const day = db.prepare("SELECT max(day) FROM counted_day").pluck().get() as Day | null;
  return Math.max(savedTime(db), (day ?? 0) * DAY_MS);
}

function savedTime(db: Database): number {
  const saved = db.prepare("SELECT value FROM meta WHERE key = 'newest_time'").pluck().get();
  return typeof saved === "number" ? saved : 0;
}

function prepare(db: Database) {
  return {
    raiseMeta: db.prepare(
      `INSERT INTO meta (key, value) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`,
    ),
    bound: db.prepare("UPDATE counted_day SET run_ms = :runMs WHERE run_ms > :runMs"),
  };
}
