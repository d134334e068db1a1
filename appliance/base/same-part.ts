/**
 * The count that a running period is compared with: that of the days before it, up to the same
 * hour. The last of them is counted only through that hour of the day, so that an afternoon stands
 * against no whole day.
 *
 * @param days a counter day by day, oldest first: as many days as the running period has
 * @param hoursOfLast the counter of the last day by the hour, 00 to 23 UTC, where that was kept
 * @param hour the hour of the day that runs now, 0–23 UTC
 * @returns null where it is unknown how much of the last day had been counted by then
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
