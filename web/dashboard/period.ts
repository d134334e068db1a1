import type { Day } from "../../appliance/base/calendar.ts";
import type { DayRange } from "./history.ts";

/** The periods of the selector with their key and length in days; `all` is the whole history. */
export const PERIODS = [
  { id: "day", key: "d", name: "Day", days: 1 },
  { id: "7d", key: "w", name: "7 days", days: 7 },
  { id: "30d", key: "m", name: "30 days", days: 30 },
  { id: "365d", key: "y", name: "365 days", days: 365 },
  { id: "all", key: "a", name: "All", days: 0 },
] as const;

type PeriodId = (typeof PERIODS)[number]["id"];

/**
 * What the owner chose: a period that ends today, a period that ends on a given day (after
 * shifting), or any range of days.
 */
export type Choice =
  | { period: PeriodId; end: Day | null }
  | { period: "custom"; from: Day; to: Day };

/** What figures are compared with: the days just before, or the same weekdays a year earlier. */
export type Compare = "prior" | "year";

/** The collector answers no longer range; an address may hold any, such as the year 1. */
export const MAX_RANGE_DAYS = 4_000;

/** A year back that keeps the weekdays in step. */
const YEAR = 364;

const lengthOf = (range: DayRange): number => range.to - range.from + 1;

/** Days after today and long before the first hold nothing to look at. */
function lastDay(day: Day, { first, last }: { first: Day; last: Day }): Day {
  return Math.max(Math.min(day, last), first - MAX_RANGE_DAYS);
}

/** The days a choice means, given the first and last day of the history. */
export function rangeOf(choice: Choice, history: { first: Day; last: Day }): DayRange {
  if (choice.period === "custom") {
    const to = lastDay(choice.to, history);
    return { from: Math.max(Math.min(choice.from, to), to - MAX_RANGE_DAYS + 1), to };
  }
  if (choice.period === "all") return { from: history.first, to: history.last };
  const days = PERIODS.find((period) => period.id === choice.period)?.days ?? 1;
  const to = lastDay(choice.end ?? history.last, history);
  return { from: to - days + 1, to };
}

/** The range that figures of `range` are compared with, of equal length. */
export function comparedRange(range: DayRange, compare: Compare): DayRange {
  const back = compare === "year" ? YEAR * Math.ceil(lengthOf(range) / YEAR) : lengthOf(range);
  return { from: range.from - back, to: range.to - back };
}

/**
 * The choice one period earlier (-1) or later (1), or null where there is nothing to see: the
 * whole history does not move, and neither does a range past the first or the last day.
 */
export function shifted(
  choice: Choice,
  direction: -1 | 1,
  history: { first: Day; last: Day },
): Choice | null {
  if (choice.period === "all") return null;
  const range = rangeOf(choice, history);
  if (direction < 0 ? range.from <= history.first : range.to >= history.last) return null;
  const by = direction * lengthOf(range);
  if (choice.period === "custom") {
    const to = Math.min(range.to + by, history.last);
    return { period: "custom", from: to - lengthOf(range) + 1, to };
  }
  const end = range.to + by;
  return { period: choice.period, end: end >= history.last ? null : end };
}
