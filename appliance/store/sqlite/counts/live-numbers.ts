import type { Day } from "../../../base/calendar.ts";
import type { Counter, SiteKey } from "../../counting.ts";
import type { Database } from "../database.ts";
import { counterByDay } from "./day-totals.ts";

/** A counter over the days that end today. */
interface LiveNumbersQuery {
  readonly site: SiteKey;
  readonly counter: Counter;
  readonly days: 1 | 7 | 30;
  readonly today: Day;
  /** Hour of the day, 0–23. */
  readonly hour: number;
}

/** What a key shows of a counter. */
interface LiveNumbers {
  readonly value: number;
  /** The same over the period before; null when nothing was counted before this period. */
  readonly previous: number | null;
  /** Views of a day by hour up to now; anything else by day, a week at least. Oldest first. */
  readonly series: readonly number[];
}

const HOURS = 24;
const SHORTEST_SERIES = 7;

/** Views of today stand against the same hours of yesterday, all else against whole days. */
export function liveNumbers(db: Database, query: LiveNumbersQuery): LiveNumbers {
  const byHour = query.counter === "pv" && query.days === 1;
  return byHour ? viewsByHour(db, query) : countsByDay(db, query);
}

function countsByDay(db: Database, { site, counter, days, today }: LiveNumbersQuery): LiveNumbers {
  const length = Math.max(2 * days, SHORTEST_SERIES);
  const sums = counterByDay(db, { site, counter, from: today - length + 1, to: today });
  const before = sum(sums.slice(-2 * days, -days));
  return {
    value: sum(sums.slice(-days)),
    previous: before === 0 ? null : before,
    series: sums.slice(-Math.max(days, SHORTEST_SERIES)),
  };
}

function viewsByHour(db: Database, { site, today, hour }: LiveNumbersQuery): LiveNumbers {
  const sums = [today - 1, today].map((day) => viewsOfHours(db, site, day));
  const [yesterday = [], now = []] = sums;
  const before = sum(yesterday.slice(0, hour + 1));
  return {
    value: sum(now),
    previous: before === 0 ? null : before,
    series: now.slice(0, hour + 1),
  };
}

/** Looks only at the few values that are hours, however many others the day has. */
function viewsOfHours(db: Database, site: SiteKey, day: Day): number[] {
  const views = Array<number>(HOURS).fill(0);
  const rows = db
    .prepare(
      `SELECT text, coalesce(n, 0) + iif(counts IS NULL, 0, packed_count(counts, id))
       FROM value
       LEFT JOIN count ON count.site = :site AND count.day = :day AND count.value = id
       LEFT JOIN packed_day ON packed_day.site = :site AND packed_day.day = :day
       WHERE value.site = :site AND dimension = 'hour'`,
    )
    .raw()
    .all({ site, day }) as [string, number][];
  for (const [hour, n] of rows) views[Number(hour)] = n;
  return views;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
