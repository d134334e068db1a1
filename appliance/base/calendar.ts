/** A day as the number of days since 1970-01-01, which the database stores. */
export type Day = number;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The day a moment falls on. @param epochMs of any year, also before 1970 */
export function dayOf(epochMs: number): Day {
  return Math.floor(epochMs / DAY_MS);
}

/** `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day `text` names, or undefined when it is no `YYYY-MM-DD` or no day of the calendar. */
export function parseDay(text: string): Day | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = dayOf(Date.parse(`${text}T00:00:00Z`));
  return Number.isNaN(day) || formatDay(day) !== text ? undefined : day;
}

/** The hour of the day, 0–23. */
export function hourOf(epochMs: number): number {
  return Math.floor((epochMs - dayOf(epochMs) * DAY_MS) / HOUR_MS);
}

/** An hour of the day as it is counted: `00`–`23`. */
export function hourName(hour: number): string {
  return String(hour).padStart(2, "0");
}

/** Names of weekdays from Sunday on, as days are numbered. */
export const WEEKDAYS = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;

/** 0 = Sunday … 6 = Saturday. */
export function weekdayOf(day: Day): number {
  // 1970-01-01 was a Thursday.
  return (((day + 4) % 7) + 7) % 7;
}

/** The weekday and hour of a moment as they are counted: `<0-6>-<00-23>`, 0 = Sunday. */
export function dowhourOf(epochMs: number): string {
  return `${weekdayOf(dayOf(epochMs))}-${hourName(hourOf(epochMs))}`;
}

/** The Monday on or before a day. */
export function mondayOf(day: Day): Day {
  return day - ((weekdayOf(day) + 6) % 7);
}

/** The first day of the month a day falls in. */
export function monthStart(day: Day): Day {
  return startOfMonth(day, 0);
}

/** The first day of the month after the one a day falls in. */
export function nextMonthStart(day: Day): Day {
  return startOfMonth(day, 1);
}

/** The first of January of the year a day falls in. */
export function yearStart(day: Day): Day {
  return dayOf(Date.UTC(new Date(day * DAY_MS).getUTCFullYear(), 0, 1));
}

function startOfMonth(day: Day, months: number): Day {
  const date = new Date(day * DAY_MS);
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
}
