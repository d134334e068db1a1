// The rule by which a period is compared with one before, wherever that is shown: a day with the same weekday a week before,
// days of less than four weeks with the same weekdays, longer ones with as many days just before. While the last day runs,
// that of the period before counts up to the same hour only; where its hours are not known, both are left out.

const WEEK = 7;
const FOUR_WEEKS = 28;

/** The days that the period to compare with lies back. @param length days of the period */
export function daysBack(length: number): number {
  const step = length < FOUR_WEEKS ? WEEK : 1;
  return step * Math.ceil(length / step);
}

/** Counts that can be compared. */
export interface Compared {
  readonly now: number;
  readonly before: number;
}

interface Running {
  /** A counter by day, the oldest first; the last day is the one that runs. */
  readonly days: readonly number[];
  /** The same of the days to compare with. */
  readonly before: readonly number[];
  /** The counter of the last of them by hour, 00 to 23, where it is known. */
  readonly hours: readonly number[] | undefined;
  /** The present hour of the day, 0–23. */
  readonly hour: number;
}

/** @returns null where nothing can be compared */
export function comparedOf({ days, before, hours, hour }: Running): Compared | null {
  const part = samePart(before, hours, hour);
  if (part !== null) return { now: sum(days), before: part };
  return days.length === 1
    ? null
    : { now: sum(days.slice(0, -1)), before: sum(before.slice(0, -1)) };
}

/**
 * The count of some days, with the last of them only up to an hour, so that an afternoon is not compared with a whole day.
 *
 * @param days a counter by day, the oldest first
 * @param hoursOfLast the counter of the last day by hour, 00 to 23, where it is known
 * @param hour the hour of the day, 0–23
 * @returns null where the counts of the last day by hour are unknown
 */
export function samePart(
  days: readonly number[],
  hoursOfLast: readonly number[] | undefined,
  hour: number,
): number | null {
  const last = days.at(-1) ?? 0;
  const before = sum(days) - last;
  if (last === 0) return before;
  // Days from before hours were kept have none, the day on which that began only some.
  if (hoursOfLast === undefined || sum(hoursOfLast) < last) return null;
  return before + sum(hoursOfLast.slice(0, hour + 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
