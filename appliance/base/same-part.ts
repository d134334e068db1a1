/**
 * The count for comparison with a running period: that of the days before, with the last of them only up to the
 * present hour, so that an afternoon is not compared with a whole day.
 *
 * @param days a counter by day, the oldest first, with as many days as the running period
 * @param hoursOfLast the counter of the last day by hour, 00 to 23, where it is known
 * @param hour the present hour of the day, 0–23
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
