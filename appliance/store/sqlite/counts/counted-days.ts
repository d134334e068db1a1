import { DAY_MS, type Day, HOUR_MS } from "../../../base/calendar.ts";
import type { Database } from "../database.ts";

/** A mark is renewed, and the time run is saved, at most so often: each costs a page of the log. */
const EVERY_MS = 60_000;
const MAX_REMEMBERED = 64;
const TIME_EVERY_MS = HOUR_MS;

/**
 * What retention goes by besides the calendar: how long the service has run with this data, over all
 * starts, and when, by that measure, each day was last counted on. A wall clock that is wrong moves
 * neither. One connection, one caller, inside the caller's transactions; after a rollback call
 * `forget`. What a crash loses of the time run, a minute at most while hits come in, delays pruning.
 */
export class CountedDays {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #marks = new Map<Day, number>();
  #runMs: number;
  #savedMs: number;
  #savedTime: number;
  #at: number | undefined;

  constructor(db: Database) {
    this.#statements = prepare(db);
    this.#runMs = numberIn(db, "run_ms");
    this.#savedMs = this.#runMs;
    this.#savedTime = numberIn(db, "newest_time");
  }

  /** It is `monotonic` (milliseconds) now; the first call begins to measure. */
  passTo(monotonic: number): void {
    this.#runMs += Math.max(0, Math.floor(monotonic - (this.#at ?? monotonic)));
    this.#at = Math.max(monotonic, this.#at ?? monotonic);
  }

  /** Something is counted on `day` now. */
  mark(day: Day): void {
    if (this.#runMs - (this.#marks.get(day) ?? -Infinity) < EVERY_MS) return;
    if (this.#marks.size >= MAX_REMEMBERED) this.#marks.clear();
    this.#marks.set(day, this.#runMs);
    this.#statements.mark.run(day, this.#runMs);
  }

  /** Something was counted on `day` when the service had run `ms` less with this data. */
  markEarlier(day: Day, ms: number): void {
    this.#statements.markEarlier.run({ day, ms: Math.floor(ms) });
  }

  /** The wall clock is right and says `time` (epoch ms): saved now and then, see `newestTime`. */
  saveTime(time: number): void {
    if (time - this.#savedTime < TIME_EVERY_MS) return;
    this.#savedTime = time;
    this.#statements.raiseMeta.run("newest_time", Math.floor(time));
  }

  /** Saves the time run where it is worth it. */
  save(): void {
    if (this.#runMs - this.#savedMs < EVERY_MS) return;
    this.#savedMs = this.#runMs;
    this.#statements.raiseMeta.run("run_ms", this.#runMs);
    // A crash forgot some of the time run, or the marks are from elsewhere.
    this.#statements.bound.run({ runMs: this.#runMs });
  }

  /** The days before `first` that were last counted on before the last `days` × 24 hours of running. */
  over(first: Day, days: number): Day[] {
    return this.#statements.over.all(first, this.#runMs - days * DAY_MS) as Day[];
  }

  /** The first of all days that are not before `first` or not in `over`. */
  firstKept(first: Day, over: readonly Day[]): Day {
    const gone = JSON.stringify(over);
    return (this.#statements.firstKept.get(first, gone) as Day | null) ?? first;
  }

  /** Nothing is left of these days. */
  drop(over: readonly Day[]): void {
    this.#statements.drop.run(JSON.stringify(over));
    for (const day of over) this.#marks.delete(day);
  }

  /** Drops what is remembered of the database. */
  forget(): void {
    this.#marks.clear();
    this.#savedMs = -Infinity;
    this.#savedTime = -Infinity;
  }
}

/**
 * Makes the marks that are missing, in data from an older version or from elsewhere: as if the
 * service had run all the time up to the newest day. Writes nothing where none is missing.
 */
export function markUnmarkedDays(db: Database): void {
  const unmarked = db
    .prepare(
      `SELECT day FROM (SELECT day FROM count UNION SELECT day FROM packed_day)
       WHERE day NOT IN (SELECT day FROM counted_day) ORDER BY day DESC`,
    )
    .pluck()
    .all() as Day[];
  const runMs = numberIn(db, "run_ms");
  if (unmarked.length === 0) return;
  const marked = db.prepare("SELECT max(day) FROM counted_day").pluck().get() as Day | null;
  const newest = Math.max(unmarked[0] ?? -Infinity, marked ?? -Infinity);
  const mark = db.prepare("INSERT INTO counted_day (day, run_ms) VALUES (?, ?)");
  db.transaction(() => {
    for (const day of unmarked) mark.run(day, runMs - (newest - day) * DAY_MS);
  }).immediate();
}

/** The newest time (epoch ms) that the data knows has been; 0 when it knows none. */
export function newestTime(db: Database): number {
  const day = db.prepare("SELECT max(day) FROM counted_day").pluck().get() as Day | null;
  return Math.max(numberIn(db, "newest_time"), (day ?? 0) * DAY_MS);
}

function numberIn(db: Database, key: "run_ms" | "newest_time"): number {
  const saved = db.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(key);
  return typeof saved === "number" ? saved : 0;
}

function prepare(db: Database) {
  return {
    mark: db.prepare(
      `INSERT INTO counted_day (day, run_ms) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET run_ms = excluded.run_ms`,
    ),
    // Not by the time run that is remembered: whoever brings days from elsewhere is not who runs.
    markEarlier: db.prepare(
      `INSERT INTO counted_day (day, run_ms)
       VALUES (:day, coalesce((SELECT value FROM meta WHERE key = 'run_ms'), 0) - :ms)
       ON CONFLICT DO UPDATE SET run_ms = max(run_ms, excluded.run_ms)`,
    ),
    raiseMeta: db.prepare(
      `INSERT INTO meta (key, value) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`,
    ),
    bound: db.prepare("UPDATE counted_day SET run_ms = :runMs WHERE run_ms > :runMs"),
    over: db
      .prepare("SELECT day FROM counted_day WHERE day < ? AND run_ms <= ? ORDER BY day")
      .pluck(),
    firstKept: db
      .prepare(
        `SELECT min(day) FROM counted_day
         WHERE day < ? AND day NOT IN (SELECT value FROM json_each(?))`,
      )
      .pluck(),
    drop: db.prepare("DELETE FROM counted_day WHERE day IN (SELECT value FROM json_each(?))"),
  };
}
