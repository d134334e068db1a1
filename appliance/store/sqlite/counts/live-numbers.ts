import type { Day } from "../../../base/calendar.ts";
import { samePart } from "../../../base/same-part.ts";
import { hourDimension } from "../../counting.ts";
import type { LiveNumbers, LiveNumbersQuery } from "../../queries.ts";
import type { Database } from "../database.ts";
import { counterByDay } from "./day-totals.ts";

const HOURS = 24;
const SHORTEST_SERIES = 7;

/** What runs stands against the same part of what was before. */
export function liveNumbers(db: Database, query: LiveNumbersQuery): LiveNumbers {
  const { site, counter, days, today, hour } = query;
  const length = Math.max(2 * days, SHORTEST_SERIES);
  const sums = counterByDay(db, { site, counter, from: today - length + 1, to: today });
  const before = samePart(sums.slice(-2 * days, -days), byHour(db, query, today - days), hour);
  const hasHours = counter === "pv" && days === 1;
  return {
    value: sum(sums.slice(-days)),
    previous: before || null,
    series: hasHours
      ? byHour(db, query, today).slice(0, hour + 1)
      : sums.slice(-Math.max(days, SHORTEST_SERIES)),
  };
}

/**
 * A counter of a day from 00 to 23 UTC. Looks only at the few values that are hours, however many
 * others the day has.
 */
export function byHour(
  db: Database,
  { site, counter }: Pick<LiveNumbersQuery, "site" | "counter">,
  day: Day,
): number[] {
  const hours = Array<number>(HOURS).fill(0);
  const dimension = counter === "pv" ? "hour" : hourDimension(counter);
  const rows = db
    .prepare(
      `SELECT text, coalesce(n, 0) + iif(counts IS NULL, 0, packed_count(counts, id))
       FROM value
       LEFT JOIN count ON count.site = :site AND count.day = :day AND count.value = id
       LEFT JOIN packed_day ON packed_day.site = :site AND packed_day.day = :day
       WHERE value.site = :site AND dimension = :dimension`,
    )
    .raw()
    .all({ site, day, dimension }) as [string, number][];
  for (const [hour, n] of rows) hours[Number(hour)] = n;
  return hours;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
