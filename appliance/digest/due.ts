import { DAY_MS, type Day, dayOf, HOUR_MS, weekdayOf } from "../base/calendar.ts";
import type { DayZone } from "../base/day-zone.ts";
import type { DigestSettings } from "../base/text/digest.ts";

type Times = Pick<DigestSettings, "every" | "weekday" | "hour">;

/** The last time until `now` at which a digest is due. */
export function lastDue(times: Times, zone: DayZone, now: number): { at: number; day: Day } {
  const wall = zone.wall(now);
  const today = dayOf(wall);
  const passed = (day: Day) => dueWall(day, times) <= wall;
  const day =
    [0, 1, 2, 3, 4, 5, 6, 7]
      .map((back) => today - back)
      .find((each) => isDay(each, times) && passed(each)) ?? today - 7;
  // The last day of the digest is the day before.
  return { at: now - (wall - dueWall(day, times)), day: day - 1 };
}

/** The time of the next digest, an hour off where summer time begins or ends before it. */
export function nextDue(times: Times, zone: DayZone, now: number): number {
  const wall = zone.wall(now);
  const today = dayOf(wall);
  const ahead = [0, 1, 2, 3, 4, 5, 6, 7].map((days) => today + days);
  const day = ahead.find((each) => isDay(each, times) && dueWall(each, times) > wall) ?? today + 7;
  return now + (dueWall(day, times) - wall);
}

function isDay(day: Day, { every, weekday }: Times): boolean {
  return every === "day" || weekdayOf(day) === weekday;
}

function dueWall(day: Day, { hour }: Times): number {
  return day * DAY_MS + hour * HOUR_MS;
}
