import { DAY_MS, HOUR_MS } from "../base/calendar.ts";
import { timeOfDay } from "../base/time-zone.ts";

/** When no owner looks, and hardly a visitor comes. */
const NIGHT_HOUR = 4;
const MINUTE_MS = 60_000;

/**
 * The next time that it is so many minutes past four.
 * @param minute 0–59, by which boxes that restart at night do not do so together
 * @returns epoch milliseconds, later than `now`
 */
export function nextNight(now: number, minute: number, timeZone: string): number {
  const wanted = NIGHT_HOUR * HOUR_MS + minute * MINUTE_MS;
  const ahead = (at: number) => (wanted - timeOfDay(at, timeZone) + DAY_MS) % DAY_MS;
  const night = now + (ahead(now) || DAY_MS);
  // Where the clocks change in between it is an hour off.
  const off = ahead(night);
  const right = off > DAY_MS / 2 ? night + off - DAY_MS : night + off;
  return right > now ? right : right + DAY_MS;
}
