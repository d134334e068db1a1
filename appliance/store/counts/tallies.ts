import { FIXED_DIMENSIONS } from "../counting.ts";
import { IdTable } from "./id-table.ts";
import type { CountsSource, SiteDays } from "./source.ts";

/** An answer carries at most so many values of a dimension, the highest; the rest is OTHER. */
export const MAX_ANSWERED_VALUES = 2_000;
/** What all values of an answer may take together; beyond it, the lowest are OTHER, too. */
const MAX_ANSWERED_TEXT_BYTES = 1_048_576;
/** The same for counts by day: two years of a busy site, or some megabytes. */
export const MAX_ANSWERED_DAY_COUNTS = 1_000_000;

/** A value that an answer carries. */
export interface Tally {
  readonly id: number;
  readonly total: number;
  /** On so many days it was counted, or a few more. */
  readonly days: number;
  readonly bytes: number;
}

/** What an answer carries of a dimension, highest first. */
export interface DimensionTally {
  readonly name: string;
  readonly kept: Tally[];
  /** The ids of all that is not in `kept`, that of OTHER among them, and their sum. */
  readonly otherIds: number[];
  other: number;
}

/**
 * Sums up a range by dimension, the highest value of each first. Holds a few numbers for each value,
 * however many days.
 */
export async function tally(source: CountsSource, range: SiteDays): Promise<DimensionTally[]> {
  const sums = new IdTable();
  if (source.eachSum === undefined)
    await source.eachDay(range, (_day, id, n) => sums.add(id, n, 1));
  else await source.eachSum(range, (id, n, days) => sums.add(id, n, days));
  const dimensions = new Map<string, SeenDimension>();
  await source.eachValue(range.site, sums, (id, name, bytes, isOther) => {
    let dimension = dimensions.get(name);
    if (dimension === undefined) {
      dimension = { name, kept: [], otherIds: [], other: 0, firstId: id };
      dimensions.set(name, dimension);
    }
    dimension.firstId = Math.min(dimension.firstId, id);
    const total = sums.first(id) ?? 0;
    if (isOther) addToOther(dimension, { id, total });
    else dimension.kept.push({ id, total, days: sums.second(id) ?? 0, bytes });
    // Data from before values were bounded may hold millions.
    if (dimension.kept.length >= 2 * MAX_ANSWERED_VALUES && !FIXED_DIMENSIONS.has(name)) {
      sortHighest(dimension);
      cut(dimension, MAX_ANSWERED_VALUES);
    }
  });
  const all = [...dimensions.values()].sort((a, b) => a.firstId - b.firstId);
  for (const dimension of all) sortHighest(dimension);
  return all;
}

interface SeenDimension extends DimensionTally {
  /** The least id of its values: dimensions come in its order, whatever order values come in. */
  firstId: number;
}

function sortHighest({ kept }: DimensionTally): void {
  kept.sort((a, b) => b.total - a.total || a.id - b.id);
}

/** Leaves the highest values that an answer has room for, and adds the others to `other`. */
export function leaveHighest(dimensions: readonly DimensionTally[], byDay: boolean): void {
  const open = dimensions.filter(({ name }) => !FIXED_DIMENSIONS.has(name));
  for (const dimension of open) cut(dimension, MAX_ANSWERED_VALUES);
  share(open, MAX_ANSWERED_TEXT_BYTES, ({ bytes }) => bytes);
  if (byDay) share(open, MAX_ANSWERED_DAY_COUNTS, ({ days }) => days);
}

/** Each dimension gets its part of the room; what one does not need is for the others. */
function share(
  dimensions: readonly DimensionTally[],
  room: number,
  costOf: (tally: Tally) => number,
): void {
  const needs = dimensions.map((dimension) => ({
    dimension,
    need: dimension.kept.reduce((sum, tally) => sum + costOf(tally), 0),
  }));
  needs.sort((a, b) => a.need - b.need);
  let left = room;
  for (const [i, { dimension, need }] of needs.entries()) {
    const part = left / (needs.length - i);
    left -= Math.min(need, part);
    if (need <= part) continue;
    let cost = 0;
    cut(
      dimension,
      dimension.kept.findIndex((tally) => {
        cost += costOf(tally);
        return cost > part;
      }),
    );
  }
}

function cut(dimension: DimensionTally, length: number): void {
  for (const tally of dimension.kept.splice(length)) addToOther(dimension, tally);
}

function addToOther(
  dimension: DimensionTally,
  { id, total }: { readonly id: number; readonly total: number },
): void {
  dimension.otherIds.push(id);
  dimension.other += total;
}
