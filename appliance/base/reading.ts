/** Readings of pages, as each is told once it is left. */

/** The classes of time in sight, in seconds, ascending: values of the dimension `time`. */
export const TIMES = ["<10", "10-30", "30-60", "60-180", "180-600", ">600"] as const;
type Time = (typeof TIMES)[number];

/** The upper bounds of all of them but the last, seconds. */
const BOUNDS = [10, 30, 60, 180, 600] as const;

/** Something for each class. */
export const byTime = <T>(of: (time: Time) => T): Record<Time, T> =>
  Object.fromEntries(TIMES.map((time) => [time, of(time)])) as Record<Time, T>;

/** The classes of the lowest part of a page in sight, in percent of its height, ascending: values of `depth`. */
export const DEPTHS: readonly string[] = ["<25", "25", "50", "75", "100"];

/**
 * The median of times that are known by their classes: in the class that it falls in, times are taken to be spread evenly.
 * @param counts how many are of each class, as in TIMES
 * @returns seconds, at most the last bound, which stands for all beyond it; null where there are none
 */
export function medianTime(counts: readonly number[]): number | null {
  const half = counts.reduce((sum, n) => sum + n, 0) / 2;
  if (half === 0) return null;
  let before = 0;
  for (const [i, to] of BOUNDS.entries()) {
    const n = counts[i] ?? 0;
    const from = i === 0 ? 0 : (BOUNDS[i - 1] as number);
    if (before + n >= half) return from + ((half - before) / n) * (to - from);
    before += n;
  }
  return BOUNDS.at(-1) as number;
}

/** `8 s`, `1 min 5 s`, `4 min`, `over 10 min` */
export function timeText(seconds: number): string {
  const all = Math.round(seconds);
  if (all >= (BOUNDS.at(-1) as number)) return "over 10 min";
  const [minutes, rest] = [Math.floor(all / 60), all % 60];
  if (minutes === 0) return `${rest} s`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}
