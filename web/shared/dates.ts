import { DAY_MS, type Day, formatDay } from "../../appliance/base/calendar.ts";
import { DayZone } from "../../appliance/base/day-zone.ts";

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
export const shortDay = (day: Day): string => SHORT.format(day * DAY_MS);
/** `3 Nov 2025` */
export const longDay = (day: Day): string => LONG.format(day * DAY_MS);
/** `Mon, 3 Nov 2025` */
export const weekdayAndDay = (day: Day): string => WITH_WEEKDAY.format(day * DAY_MS);
/** `Nov 2025` */
export const monthName = (day: Day): string => MONTH.format(day * DAY_MS);

/** `2025` */
export const yearName = (day: Day): string => formatDay(day).slice(0, 4);

/** `3 Nov 2025`, `3–9 Nov 2025`, `28 Oct – 3 Nov 2025`, `20 Dec 2024 – 3 Jan 2025` */
export function rangeName(from: Day, to: Day): string {
  return from === to ? longDay(from) : LONG.formatRange(from * DAY_MS, to * DAY_MS);
}

/**
 * The wall clock of a zone, in milliseconds since 1970 there. A browser that does not know the zone uses UTC.
 * @param moment epoch milliseconds
 */
export function wallOf(zone: string, moment: number): number {
  try {
    return new DayZone({ zone, before: null }).wall(moment);
  } catch {
    return moment;
  }
}

/** ` (Asia/Tokyo)` where this browser's clock shows another time than the zone's, so that "today" may be another day. */
export function zoneNote(zone: string, now = Date.now()): string {
  const own = now - new Date(now).getTimezoneOffset() * 60_000;
  return wallOf(zone, now) === own ? "" : ` (${zone})`;
}
