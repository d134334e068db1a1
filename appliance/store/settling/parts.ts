import type { Day } from "../../base/calendar.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { firstDayOf, monthOf } from "../blocks/month.ts";

/** More parts than any day has before they are merged. */
const PARTS_OF_DAY = 65_536;

/** The part with the settled counts of a month. */
export const SETTLED = 0;

/** The number of a part of a running day: `day` of the month from 0, `n` from 0. */
export function runningPart(day: number, n: number): number {
  return (day + 1) * PARTS_OF_DAY + n;
}

/** The last part that any day may have. */
export const LAST_PART: number = runningPart(MAX_DAYS, 0) - 1;

/** The first part that a day may have, and the last. */
export function partsOf(day: Day): readonly [first: number, last: number] {
  const at = day - firstDayOf(monthOf(day));
  return [runningPart(at, 0), runningPart(at + 1, 0) - 1];
}

/** The day of a part in its month, from 0; -1 for the settled part. */
export function dayOfPart(part: number): number {
  return Math.floor(part / PARTS_OF_DAY) - 1;
}
