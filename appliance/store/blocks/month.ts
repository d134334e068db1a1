import { type Day, dayOf } from "../../base/calendar.ts";

/** A month as it is numbered: years since 1970, times 12, and months since January. */
export type Month = number;

/** Inclusive. */
export interface Months {
  readonly from: Month;
  readonly to: Month;
}

/** The highest month, in the year 2399; clocks beyond it are not believed. */
export const MAX_MONTH: Month = 430 * 12 - 1;

export const ALL_MONTHS: Months = { from: 0, to: MAX_MONTH };

export function monthOf(day: Day): Month {
  const date = new Date(day * 86_400_000);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

export function firstDayOf(month: Month): Day {
  return dayOf(Date.UTC(1970, month, 1));
}

/** The last day of all months. */
export const LAST_DAY: Day = firstDayOf(MAX_MONTH + 1) - 1;

/** The number of days of a month. */
export function daysIn(month: Month): number {
  return firstDayOf(month + 1) - firstDayOf(month);
}
