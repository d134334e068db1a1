import {
  type Day,
  monthStart,
  nextMonthStart,
  yearStart,
} from "../../../appliance/base/calendar.ts";
import { daysBack } from "../../../appliance/base/comparison.ts";
import {
  type Choice,
  isFixed,
  PERIOD_LENGTHS,
  type Selection,
} from "../../../appliance/base/input/selection.ts";
import { longDay, monthName, rangeName, yearName } from "../../shared/dates.ts";
import type { DayRange } from "../history.ts";

export type Compare = Selection["compare"];

/** The longest range that the collector answers. An address may have any, like the year 1. */
export const MAX_RANGE_DAYS = 4_000;

/** A year back that keeps the weekdays in step. */
const YEAR = 364;

type Bounds = { first: Day; last: Day };

const lengthOf = (range: DayRange): number => range.to - range.from + 1;

/** Days after today and long before the first hold nothing to look at. */
function lastDay(day: Day, { first, last }: Bounds): Day {
  return Math.max(Math.min(day, last), first - MAX_RANGE_DAYS);
}

/** The days a choice means, given the first and last day of the history, and the hour of the day. */
export function rangeOf(choice: Choice, history: Bounds, hour = 0): DayRange {
  if (choice.period === "custom") {
    const to = lastDay(choice.to, history);
    return { from: Math.max(Math.min(choice.from, to), to - MAX_RANGE_DAYS + 1), to };
  }
  const { period, end } = choice;
  if (period === "all") return { from: history.first, to: history.last };
  const to = lastDay(end ?? history.last, history);
  if (period === "month" || period === "year") {
    const whole = wholeOf(period, to);
    return { from: whole.from, to: Math.min(whole.to, history.last) };
  }
  const from = to - PERIOD_LENGTHS[period] + 1;
  return { from, to, hour: period === "24h" ? hour : undefined };
}

/** The calendar's month or year with a day in it. */
function wholeOf(period: "month" | "year", day: Day): DayRange {
  if (period === "month") return { from: monthStart(day), to: nextMonthStart(day) - 1 };
  const from = yearStart(day);
  return { from, to: yearStart(from + 366) - 1 };
}

/** The range that figures of `range` are compared with, of equal length; null when with nothing. */
export function comparedRange(range: DayRange, compare: Compare): DayRange | null {
  if (compare === "off") return null;
  const length = lengthOf(range);
  const back = compare === "year" ? YEAR * Math.ceil(length / YEAR) : daysBack(length);
  return { ...range, from: range.from - back, to: range.to - back };
}

/** The choice of these days, in either order: one day is that day, so that it moves day by day. */
export function choiceOf(one: Day, other: Day, { last }: { last: Day }): Choice {
  const [from, to] = one <= other ? [one, other] : [other, one];
  if (from === to) return { period: "day", end: to >= last ? null : to };
  return { period: "custom", from, to };
}

/**
 * The choice one period earlier (-1) or later (1), or null where there is nothing to see: the
 * whole history does not move, and neither does a range past the first or the last day.
 */
export function shifted(choice: Choice, direction: -1 | 1, history: Bounds): Choice | null {
  if (isFixed(choice)) return null;
  const range = rangeOf(choice, history);
  if (direction < 0 ? range.from <= history.first : range.to >= history.last) return null;
  const by = direction * lengthOf(range);
  if (choice.period === "custom") {
    const to = Math.min(range.to + by, history.last);
    return { period: "custom", from: to - lengthOf(range) + 1, to };
  }
  const { period } = choice;
  const isCalendar = period === "month" || period === "year";
  const beside = direction < 0 ? range.from - 1 : range.to + 1;
  const end = isCalendar ? wholeOf(period, beside).to : range.to + by;
  return { period, end: end >= history.last ? null : end };
}

interface Preset {
  name: string;
  /** the key that chooses it, if any */
  key?: string;
  choice: Choice;
}

/** The ranges that are offered by name, given the last day of the history. */
export function presetsOf(last: Day): Preset[] {
  return [
    { name: "Today", key: "d", choice: { period: "day", end: null } },
    { name: "24 hours", key: "h", choice: { period: "24h", end: null } },
    { name: "Yesterday", choice: { period: "day", end: last - 1 } },
    { name: "7 days", key: "w", choice: { period: "7d", end: null } },
    { name: "14 days", choice: { period: "14d", end: null } },
    { name: "30 days", key: "m", choice: { period: "30d", end: null } },
    { name: "90 days", key: "q", choice: { period: "90d", end: null } },
    { name: "This month", choice: { period: "month", end: null } },
    { name: "Last month", choice: { period: "month", end: monthStart(last) - 1 } },
    { name: "This year", choice: { period: "year", end: null } },
    { name: "Last year", choice: { period: "year", end: yearStart(last) - 1 } },
    { name: "365 days", key: "y", choice: { period: "365d", end: null } },
    { name: "All", key: "a", choice: { period: "all", end: null } },
  ];
}

export function isSame(a: Choice, b: Choice): boolean {
  if (a.period === "custom" || b.period === "custom")
    return a.period === "custom" && b.period === "custom" && a.from === b.from && a.to === b.to;
  return a.period === b.period && a.end === b.end;
}

/** The name of a choice: `30 days`, `Oct 2026`, `3 Nov 2026`, `1–7 Nov 2026`. */
export function choiceName(choice: Choice, history: Bounds): string {
  const preset = presetsOf(history.last).find((preset) => isSame(preset.choice, choice));
  if (preset) return preset.name;
  const { from, to } = rangeOf(choice, history);
  if (choice.period === "month") return monthName(from);
  if (choice.period === "year") return yearName(from);
  return from === to ? longDay(from) : rangeName(from, to);
}

/** The name of one step with the arrows. */
export function stepName(choice: Choice): string {
  const { period } = choice;
  return period === "day" || period === "month" || period === "year" ? period : "period";
}
