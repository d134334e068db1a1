import type { Counter, SiteKey } from "./counting.ts";
import type { Connection } from "./database.ts";
import type { Day } from "./day.ts";
import { eachDay } from "./reports.ts";

/** A counter over the days that end today. */
export interface LiveNumbersQuery {
  readonly site: SiteKey;
  readonly counter: Counter;
  readonly days: 1 | 7 | 30;
  readonly today: Day;
  /** Hour of the day, 0–23. */
  readonly hour: number;
}

/** What a key shows of a counter. */
export interface LiveNumbers {
  readonly value: number;
  /** The same over the period before; null when nothing was counted before this period. */
  readonly previous: number | null;
  /** Views of a day by hour up to now; anything else by day, a week at least. Oldest first. */
  readonly series: readonly number[];
}

const HOURS = 24;
const SHORTEST_SERIES = 7;

/** Views of today stand against the same hours of yesterday, all else against whole days. */
export function liveNumbers(db: Connection, query: LiveNumbersQuery): LiveNumbers {
  const byHour = query.counter === "pv" && query.days === 1;
  return byHour ? viewsByHour(db, query) : countsByDay(db, query);
}

function countsByDay(
  db: Connection,
  { site, counter, days, today }: LiveNumbersQuery,
): LiveNumbers {
  const length = Math.max(2 * days, SHORTEST_SERIES);
  const first = today - length + 1;
  const sums = Array<number>(length).fill(0);
  const ids = new Set(
    db.prepare("SELECT id FROM value WHERE site = ? AND dimension = ?").pluck().all(site, counter),
  );
  eachDay(db, site, first, today, (day, id, n) => {
    if (ids.has(id)) sums[day - first] = (sums[day - first] ?? 0) + n;
  });
  const before = sum(sums.slice(-2 * days, -days));
  return {
    value: sum(sums.slice(-days)),
    previous: before === 0 ? null : before,
    series: sums.slice(-Math.max(days, SHORTEST_SERIES)),
  };
}

function viewsByHour(db: Connection, { site, today, hour }: LiveNumbersQuery): LiveNumbers {
  const hours = new Map(
    db
      .prepare("SELECT id, text FROM value WHERE site = ? AND dimension = 'hour'")
      .raw()
      .all(site) as [number, string][],
  );
  const sums = [today - 1, today].map(() => Array<number>(HOURS).fill(0));
  eachDay(db, site, today - 1, today, (day, id, n) => {
    const at = hours.get(id);
    const sumsOfDay = sums[day - today + 1];
    if (at !== undefined && sumsOfDay) sumsOfDay[Number(at)] = (sumsOfDay[Number(at)] ?? 0) + n;
  });
  const [yesterday = [], now = []] = sums;
  const before = sum(yesterday.slice(0, hour + 1));
  return {
    value: sum(now),
    previous: before === 0 ? null : before,
    series: now.slice(0, hour + 1),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
