/**
 * What a copy still has to bring of a day. `taken` is what it has brought before, all of it: it only
 * grows, for nothing is ever taken back from the target.
 */

import { OTHER } from "../../base/names.ts";
import { FIXED_DIMENSIONS } from "../counting.ts";

/** Dimension → value → how often it was counted. */
export type DayCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

const NONE: ReadonlyMap<string, number> = new Map();

/**
 * What is to be added to the target, where `now` is what the source says today. A value that was
 * counted more often since counts so much more. One that was counted less often was folded into OTHER
 * there: its own count stays, and OTHER counts more only by what that does not explain. So the sum of
 * each dimension grows by what it grew in the source, and by nothing where counts are gone for good.
 */
export function difference(now: DayCounts, taken: DayCounts): DayCounts {
  const all = new Map<string, Map<string, number>>();
  for (const [dimension, values] of now) {
    const added = addedTo(values, taken.get(dimension) ?? NONE);
    if (added.size > 0) all.set(dimension, added);
  }
  return all;
}

function addedTo(
  now: ReadonlyMap<string, number>,
  taken: ReadonlyMap<string, number>,
): Map<string, number> {
  const more = new Map<string, number>();
  for (const [text, n] of now) {
    const added = n - (taken.get(text) ?? 0);
    if (text !== OTHER && added > 0) more.set(text, added);
  }
  let folded = 0;
  for (const [text, n] of taken)
    if (text !== OTHER) folded += Math.max(0, n - (now.get(text) ?? 0));
  const other = (now.get(OTHER) ?? 0) - (taken.get(OTHER) ?? 0) - folded;
  if (other > 0) more.set(OTHER, other);
  return more;
}

/** Some `size` values of it; counters and their hours, which are some hundreds, come together. */
export function portion(counts: DayCounts, size: number): DayCounts {
  const part = new Map<string, Map<string, number>>();
  let room = size;
  const [fixed, open] = [true, false].map((isFixed) =>
    [...counts].filter(([dimension]) => FIXED_DIMENSIONS.has(dimension) === isFixed),
  );
  for (const [dimension, values] of [...(fixed ?? []), ...(open ?? [])]) {
    if (room <= 0) break;
    part.set(dimension, new Map([...values].slice(0, room)));
    room -= values.size;
  }
  return part;
}

/** How many values it has. */
export function sizeOf(counts: DayCounts): number {
  let size = 0;
  for (const values of counts.values()) size += values.size;
  return size;
}

/** Each value as often as in all of them together. */
export function merged(all: readonly DayCounts[]): DayCounts {
  const sums = new Map<string, Map<string, number>>();
  for (const counts of all)
    for (const [dimension, values] of counts) {
      const sum = sums.get(dimension) ?? new Map<string, number>();
      sums.set(dimension, sum);
      for (const [text, n] of values) sum.set(text, (sum.get(text) ?? 0) + n);
    }
  return sums;
}

/** How often each of some dimensions was counted; only those that were. */
export function sumsOf(
  counts: DayCounts,
  dimensions: Iterable<string> = counts.keys(),
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const dimension of dimensions) {
    const sum = [...(counts.get(dimension)?.values() ?? [])].reduce((all, n) => all + n, 0);
    if (sum > 0) sums.set(dimension, sum);
  }
  return sums;
}
