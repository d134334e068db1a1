import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import { FIXED_DIMENSIONS, type SiteKey } from "../../counting.ts";
import { IdTable } from "../../counts/id-table.ts";
import type { Database } from "../database.ts";
import { eachDay } from "./each-day.ts";

/** An answer carries at most so many values of a dimension, the highest; the rest is OTHER. */
export const MAX_ANSWERED_VALUES = 2_000;
/** What all values of an answer may take together; beyond it, the lowest are OTHER, too. */
const MAX_ANSWERED_TEXT_BYTES = 1_048_576;
/** The same for counts by day: two years of a busy site, or some megabytes. */
export const MAX_ANSWERED_DAY_COUNTS = 1_000_000;

/** From so many values on, reading through all of a site's is quicker than finding each. */
const MANY_VALUES = 5_000;

/** Which counts; days are inclusive. */
export interface TallyRange {
  readonly site: SiteKey;
  readonly from: Day;
  readonly to: Day;
}

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

/** By value id: how often it was counted, and on how many days, or a few more. */
function sumUp(db: Database, { site, from, to }: TallyRange): IdTable {
  const sums = new IdTable();
  eachDay(db, site, from, to, (_day, id, n) => sums.add(id, n, 1));
  return sums;
}

/**
 * Sums up a range by dimension, the highest value of each first. Holds a few numbers for each value,
 * however many days.
 */
export function tally(db: Database, range: TallyRange): DimensionTally[] {
  const dimensions = new Map<string, DimensionTally>();
  const sums = sumUp(db, range);
  for (const [id, name, bytes, isOther] of describe(db, range.site, sums)) {
    const total = sums.first(id) ?? 0;
    const days = sums.second(id) ?? 0;
    let dimension = dimensions.get(name);
    if (dimension === undefined) {
      dimension = { name, kept: [], otherIds: [], other: 0 };
      dimensions.set(name, dimension);
    }
    if (isOther === 1) addToOther(dimension, { id, total });
    else dimension.kept.push({ id, total, days, bytes });
    // Data from before values were bounded may hold millions.
    if (dimension.kept.length >= 2 * MAX_ANSWERED_VALUES && !FIXED_DIMENSIONS.has(name)) {
      sortHighest(dimension);
      cut(dimension, MAX_ANSWERED_VALUES);
    }
  }
  const all = [...dimensions.values()];
  for (const dimension of all) sortHighest(dimension);
  return all;
}

function sortHighest({ kept }: DimensionTally): void {
  kept.sort((a, b) => b.total - a.total || a.id - b.id);
}

type Description = [id: number, dimension: string, bytes: number, isOther: 0 | 1];

/** What the values of `sums` are: each asked for, or, where they are many, all read in a row. */
function describe(db: Database, site: SiteKey, sums: IdTable): Iterable<Description> {
  const select = "SELECT id, dimension, octet_length(text), text = ? FROM value";
  if (sums.size > MANY_VALUES) return describeAll(db, `${select} WHERE site = ?`, { site, sums });
  // In one go: a statement for each would take five times as long.
  const ids = JSON.stringify(Array.from(sums, ([id]) => id));
  const those = db.prepare(`${select} WHERE id IN (SELECT value FROM json_each(?))`).raw();
  return those.all(OTHER, ids) as Description[];
}

function* describeAll(
  db: Database,
  select: string,
  { site, sums }: { site: SiteKey; sums: IdTable },
): Iterable<Description> {
  const all = db.prepare(select).raw();
  for (const value of all.iterate(OTHER, site) as IterableIterator<Description>)
    if (sums.has(value[0])) yield value;
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
