/** A UTC day as the number of days since 1970-01-01. */
export type DayNumber = number;

const DAY_MS = 86_400_000;

/** `YYYY-MM-DD` → day number, or null when the text names no day that exists. */
export function parseDay(text: string): DayNumber | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms)) return null;
  const day = ms / DAY_MS;
  return formatDay(day) === text ? day : null;
}

/** Day number → `YYYY-MM-DD`. */
export function formatDay(day: DayNumber): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The UTC day an instant (epoch milliseconds) falls on. */
export function dayOf(ms: number): DayNumber {
  return Math.floor(ms / DAY_MS);
}

/** The UTC hour, 0–23, of an instant (epoch milliseconds). */
export function hourOf(ms: number): number {
  return Math.floor((ms - dayOf(ms) * DAY_MS) / 3_600_000);
}

/** 0 = Sunday … 6 = Saturday; 1970-01-01 was a Thursday. */
export function weekdayOf(day: DayNumber): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** The Monday on or before a day. */
export function mondayOf(day: DayNumber): DayNumber {
  return day - ((weekdayOf(day) + 6) % 7);
}

/** The first day of the month a day falls in. */
export function monthStart(day: DayNumber): DayNumber {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / DAY_MS;
}

/** The first day of the month after the one a day falls in. */
export function nextMonthStart(day: DayNumber): DayNumber {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
}

const SHORT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const LONG = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const WITH_WEEKDAY = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const MONTH = new Intl.DateTimeFormat("en-GB", {
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** `3 Nov` */
export const shortDay = (day: DayNumber): string => SHORT.format(day * DAY_MS);
/** `3 Nov 2025` */
export const longDay = (day: DayNumber): string => LONG.format(day * DAY_MS);
/** `Mon, 3 Nov 2025` */
export const weekdayAndDay = (day: DayNumber): string => WITH_WEEKDAY.format(day * DAY_MS);
/** `Nov 2025` */
export const monthName = (day: DayNumber): string => MONTH.format(day * DAY_MS);

/** `3 Nov 2025`, `3–9 Nov 2025`, `28 Oct – 3 Nov 2025`, `20 Dec 2024 – 3 Jan 2025` */
export function rangeName(from: DayNumber, to: DayNumber): string {
  return from === to ? longDay(from) : LONG.formatRange(from * DAY_MS, to * DAY_MS);
}
