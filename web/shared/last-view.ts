import { DAY_MS, type Day, dayOf, HOUR_MS, parseDay } from "../../appliance/base/calendar.ts";
import { longDay, shortDay } from "./dates.ts";
import { counted } from "./format.ts";

/** Older than this, a day of another year needs its year. */
const SHORT_DAYS = 300;

/**
 * The time of a site's newest view in words: `this hour`, `5 hours ago`, `on 3 Nov`.
 * @param last as `/overview` has it: `2026-03-04T12`, or the day alone
 * @param now the wall clock by which days are counted: milliseconds since 1970 there
 */
export function lastViewName(last: string, now: number): string {
  const [date = "", hour] = last.split("T");
  const day: Day = parseDay(date) ?? dayOf(now);
  const at = day * DAY_MS + Number(hour ?? 0) * HOUR_MS;
  const hours = Math.floor((now - at) / HOUR_MS);
  if (hour !== undefined && hours < 24)
    return hours < 1 ? "this hour" : `${counted(hours, "hour")} ago`;
  const days = dayOf(now) - day;
  if (days <= 1) return days === 1 ? "yesterday" : "today";
  return `on ${days < SHORT_DAYS ? shortDay(day) : longDay(day)}`;
}
