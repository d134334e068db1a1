import { OTHER } from "../../base/names.ts";
import { dimensionOf, type ListName } from "../../base/text/dimensions.ts";
import type { BlockReader } from "../blocks/block-reader.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import type { ValueCounts } from "../blocks/filter.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import type { SiteDays } from "./site-counts.ts";

/** The most values of a dimension in an answer. The rest becomes OTHER. */
export const MAX_ANSWERED_VALUES = 2_000;
/** The most values of a dimension that are summed up at once; beyond it, the rarest become OTHER. */
const MAX_SUMS = 50_000;
/** The memory that sums take; beyond it, some dimensions are summed up after the others, reading all again. */
const MAX_SUM_BYTES = 16 * 1_048_576;
/** A place in a map, two numbers, and the head of a string. */
const SUM_BYTES = 128;

/** Takes the counts of blocks, one block after the other, ascending by month. */
export interface BlockSink {
  /** Counts of some dimensions follow of this block. */
  begin(block: BlockReader, names: Iterable<ListName>): Promise<void>;
  /** Takes the counts of a day, each value once. The arrays are valid during the call only. */
  count(name: ListName, counts: ValueCounts): void;
  /** Called after the last values of this block. */
  end(block: BlockReader): Promise<void>;
}

/** Reads all of a range: the same each time that it is called. */
export type ValuePass = (names: ReadonlySet<ListName>, sink: BlockSink) => Promise<void>;

/** The counts of a value in all. */
export interface ValueSum {
  readonly text: string;
  readonly total: number;
  /** The number of days with counts, or a few more. */
  readonly days: number;
}

/**
 * The values of a dimension in an answer, highest first; equal ones in the order of their texts.
 */
export interface DimensionTotals {
  readonly name: ListName;
  readonly kept: ValueSum[];
  /** The sum of all values that are not in `kept`; undefined where there are none. */
  other: number | undefined;
}

/**
 * Sums up the values of dimensions, in memory that is bounded however many there are.
 * @param bound cuts what was found so far
 */
export async function valueTotals(
  pass: ValuePass,
  names: readonly ListName[],
  bound: (found: readonly DimensionTotals[]) => void = () => {},
): Promise<DimensionTotals[]> {
  const totals = new Map<ListName, DimensionTotals>();
  for (let left = [...names], most = left.length; left.length > 0; ) {
    const sink = new SumSink(left.slice(0, most));
    await pass(sink.names, sink);
    // The next pass begins with as many as have fitted, and one more where there was room.
    most = sink.names.size + (sink.hasLeft ? 0 : 1);
    left = left.filter((name) => !sink.names.has(name));
    for (const [name, sums] of sink.sums)
      totals.set(name, sums.isWhole ? sums.highest() : await summedAgain(pass, sums.highest()));
    bound([...totals.values()]);
  }
  return names.flatMap((name) => {
    const found = totals.get(name);
    return found === undefined || (found.kept.length === 0 && found.other === undefined)
      ? []
      : [found];
  });
}

/** The same values with all their counts, where some counts of theirs were added up as OTHER for want of room. */
async function summedAgain(pass: ValuePass, { name, kept }: DimensionTotals) {
  const sink = new SumSink([name], new Set(kept.map(({ text }) => text)));
  await pass(sink.names, sink);
  return (sink.sums.get(name) as Sums).highest();
}

function compareSums(a: ValueSum, b: ValueSum): number {
  if (a.total !== b.total) return b.total - a.total;
  return a.text < b.text ? -1 : 1;
}

/** Cuts a dimension to so many values, and adds the others to OTHER. */
export function cut(dimension: DimensionTotals, length: number): void {
  for (const { total } of dimension.kept.splice(length))
    dimension.other = (dimension.other ?? 0) + total;
}

/** V8 copies what is cut from a text where that is shorter. */
const SHORTEST_CUT = 13;

/** The sums of a dimension's values. */
class Sums {
  readonly #name: ListName;
  readonly #only: ReadonlySet<string> | undefined;
  #sums = new Map<string, { readonly text: string; total: number; days: number }>();
  #other: number | undefined;
  /** The memory that they take, about. */
  bytes = 0;
  /** False once values were left out. */
  isWhole = true;

  /** @param only takes no other value by name */
  constructor(name: ListName, only?: ReadonlySet<string>) {
    this.#name = name;
    this.#only = only;
  }

  add(text: string, total: number, days: number): void {
    if (text === OTHER || this.#only?.has(text) === false) {
      this.#other = (this.#other ?? 0) + total;
      return;
    }
    let sum = this.#sums.get(text);
    if (sum === undefined) {
      // A copy: a text cut from a longer one keeps all of that in memory, unless V8 copies it for being short.
      const own = text.length < SHORTEST_CUT ? text : Buffer.from(text).toString();
      sum = { text: own, total: 0, days: 0 };
      this.#sums.set(sum.text, sum);
      this.bytes += bytesOf(text);
    }
    sum.total += total;
    sum.days += days;
  }

  /** Leaves out the rarest values where there are too many, of equal ones those that came last. */
  bound(): void {
    if (this.#sums.size <= MAX_SUMS) return;
    let { least, room } = this.#leastOf(MAX_SUMS);
    for (const [text, { total }] of this.#sums) {
      if (total > least || (total === least && room-- > 0)) continue;
      this.#sums.delete(text);
      this.#other = (this.#other ?? 0) + total;
      this.bytes -= bytesOf(text);
      this.isWhole = false;
    }
  }

  /** The highest values. The memory of the others is free then. */
  highest(most = MAX_ANSWERED_VALUES): DimensionTotals {
    const { least } = this.#leastOf(most);
    const kept: ValueSum[] = [];
    let other = this.#other;
    for (const sum of this.#sums.values())
      if (sum.total >= least) kept.push(sum);
      else other = (other ?? 0) + sum.total;
    this.#sums = new Map();
    const highest = { name: this.#name, kept: kept.sort(compareSums), other };
    cut(highest, most);
    return highest;
  }

  /** The least total of the `most` highest ones, and how many of these have just that. */
  #leastOf(most: number): { readonly least: number; readonly room: number } {
    const { size } = this.#sums;
    if (size <= most) return { least: Number.NEGATIVE_INFINITY, room: 0 };
    const totals = Float64Array.from(this.#sums.values(), ({ total }) => total).sort();
    const least = totals[size - most] as number;
    const above = size - 1 - totals.findLastIndex((total) => total <= least);
    return { least, room: most - above };
  }
}

const bytesOf = (text: string): number => SUM_BYTES + 2 * text.length;

/** Sums by place in a dictionary. */
interface PlaceSums {
  readonly totals: Float64Array;
  /** The number of days on which each value was counted. */
  readonly days: Uint16Array;
  /** One more than the last place with a count. */
  size: number;
}

function roomier(size: number, sums: PlaceSums | undefined): PlaceSums {
  const roomy = { totals: new Float64Array(2 * size), days: new Uint16Array(2 * size), size };
  if (sums !== undefined) {
    roomy.totals.set(sums.totals);
    roomy.days.set(sums.days);
  }
  return roomy;
}

/** Sums up the values of each dimension; where they take too much, some dimensions are for a later pass. */
class SumSink implements BlockSink {
  readonly sums = new Map<ListName, Sums>();
  /** Fewer as soon as some are left to a later pass. */
  readonly names: Set<ListName>;
  hasLeft = false;
  /** Sums of the block that is being read, by place in its dictionary. */
  readonly #open = new Map<ListName, PlaceSums>();
  /** The sums of earlier blocks, all zero again. */
  readonly #spare: PlaceSums[] = [];

  constructor(names: readonly ListName[], only?: ReadonlySet<string>) {
    this.names = new Set(names);
    for (const name of names) this.sums.set(name, new Sums(name, only));
  }

  async begin(): Promise<void> {}

  count(name: ListName, { length, places, counts }: ValueCounts): void {
    if (!this.sums.has(name) || length === 0) return;
    const { totals, days } = this.#sumsOf(name, 1 + (places[length - 1] as number));
    for (let i = 0; i < length; i++) {
      const n = counts[i] as number;
      if (n === 0) continue;
      const place = places[i] as number;
      totals[place] = (totals[place] as number) + n;
      days[place] = (days[place] as number) + 1;
    }
  }

  async end(block: BlockReader): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    try {
      for (const [name, sums] of open) await this.#add(block, name, sums);
    } finally {
      for (const [, sums] of open) {
        sums.totals.fill(0, 0, sums.size);
        sums.days.fill(0, 0, sums.size);
        sums.size = 0;
        this.#spare.push(sums);
      }
    }
    while (this.sums.size > 1 && this.#bytes > MAX_SUM_BYTES) this.#postpone();
  }

  /** @throws {NoBlock} when something was counted that its dictionary has not */
  async #add(block: BlockReader, name: ListName, { totals, days, size }: PlaceSums): Promise<void> {
    const sums = this.sums.get(name);
    const texts = sums && (await textsOf(block, name));
    if (sums === undefined || texts === undefined) return;
    if (size > texts.length) throw new NoBlock("it counts what its dictionary has not");
    for (let place = 0; place < size; place++) {
      const total = totals[place] as number;
      if (total !== 0) sums.add(texts[place] as string, total, days[place] as number);
    }
    sums.bound();
  }

  /** The sums of a dimension, with room for `size` places. */
  #sumsOf(name: ListName, size: number): PlaceSums {
    const open = this.#open.get(name) ?? this.#spare.pop();
    const sums = open !== undefined && open.totals.length >= size ? open : roomier(size, open);
    sums.size = Math.max(size, sums.size);
    this.#open.set(name, sums);
    return sums;
  }

  get #bytes(): number {
    return [...this.sums.values()].reduce((all, { bytes }) => all + bytes, 0);
  }

  /** Leaves the largest dimension to a later pass. */
  #postpone(): void {
    const [largest] = [...this.sums].sort(([, a], [, b]) => b.bytes - a.bytes);
    if (largest === undefined) return;
    this.sums.delete(largest[0]);
    this.names.delete(largest[0]);
    this.hasLeft = true;
  }
}

async function textsOf(block: BlockReader, name: ListName): Promise<string[] | undefined> {
  await block.load(dimensionOf(name));
  const texts = block.dimension(dimensionOf(name))?.texts.all();
  block.release();
  return texts;
}

/** Offset in days from the first one, count, offset, count, … */
export type DayList = Float64Array | readonly number[];

/** Counts by day of the values that an answer carries, and of all others of their dimension together. */
export class ValueDays implements BlockSink {
  readonly #from: number;
  readonly #tables = new Map<ListName, DayTables>();
  /** The month that is being read. */
  #month: Month | undefined;

  private constructor({ from, to }: SiteDays, dimensions: readonly DimensionTotals[]) {
    this.#from = from;
    for (const dimension of dimensions)
      this.#tables.set(dimension.name, new DayTables(dimension, to - from + 1));
  }

  static async read(
    pass: ValuePass,
    range: SiteDays,
    dimensions: readonly DimensionTotals[],
  ): Promise<ValueDays> {
    const days = new ValueDays(range, dimensions);
    await pass(new Set(dimensions.map(({ name }) => name)), days);
    days.#endMonth();
    return days;
  }

  async begin(block: BlockReader, names: Iterable<ListName>): Promise<void> {
    if (block.month !== this.#month) this.#endMonth();
    this.#month = block.month;
    for (const name of names) this.#tables.get(name)?.begin(await textsOf(block, name));
  }

  count(name: ListName, counts: ValueCounts): void {
    this.#tables.get(name)?.count(counts);
  }

  async end(): Promise<void> {}

  /** The days of a kept value, by its place in `kept`. */
  of(name: ListName, place: number): DayList {
    return this.#tables.get(name)?.list(place) ?? [];
  }

  ofOthers(name: ListName): DayList {
    return this.#tables.get(name)?.others() ?? [];
  }

  #endMonth(): void {
    if (this.#month === undefined) return;
    const offset = firstDayOf(this.#month) - this.#from;
    for (const table of this.#tables.values()) table.endMonth(offset);
  }
}

/** The lists of days of one dimension. */
class DayTables {
  /** Text → place in `kept`. */
  readonly #kept = new Map<string, number>();
  /** One piece of memory for all lists: as many small arrays would take ten times it. */
  readonly #lists: Float64Array;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** Sums of all values that are not kept, by day. */
  readonly #others: Float64Array;
  /** Sums of the month that is being read: by value and day, and by day for all others. */
  #month: Float64Array | undefined;
  readonly #othersOfMonth = new Float64Array(MAX_DAYS);
  /** The place in `kept` by place in the dictionary of the block that is being read, or -1. */
  #places = new Int32Array();

  constructor({ kept }: DimensionTotals, days: number) {
    this.#starts = new Uint32Array(kept.length);
    let room = 0;
    for (const [place, value] of kept.entries()) {
      this.#kept.set(value.text, place);
      this.#starts[place] = room;
      room += 2 * Math.min(value.days, days);
    }
    this.#ends = this.#starts.slice();
    this.#lists = new Float64Array(room);
    this.#others = new Float64Array(days);
  }

  begin(texts: readonly string[] = []): void {
    if (this.#places.length < texts.length) this.#places = new Int32Array(texts.length);
    for (const [place, text] of texts.entries()) this.#places[place] = this.#kept.get(text) ?? -1;
  }

  count({ day, length, places, counts }: ValueCounts): void {
    this.#month ??= new Float64Array(MAX_DAYS * this.#starts.length);
    for (let i = 0; i < length; i++) {
      const kept = this.#places[places[i] as number] ?? -1;
      const sums = kept < 0 ? this.#othersOfMonth : this.#month;
      const at = kept < 0 ? day : MAX_DAYS * kept + day;
      sums[at] = (sums[at] as number) + (counts[i] as number);
    }
  }

  /** @param offset of the first day of the month */
  endMonth(offset: number): void {
    const month = this.#month;
    if (month === undefined) return;
    this.#month = undefined;
    for (let kept = 0; kept < this.#starts.length; kept++)
      for (let day = 0; day < MAX_DAYS; day++) {
        const n = month[MAX_DAYS * kept + day] as number;
        if (n === 0) continue;
        const end = this.#ends[kept] as number;
        this.#lists[end] = offset + day;
        this.#lists[end + 1] = n;
        this.#ends[kept] = end + 2;
      }
    for (let day = 0; day < MAX_DAYS; day++) {
      const at = offset + day;
      if (at >= 0 && at < this.#others.length)
        this.#others[at] = this.#othersOfMonth[day] as number;
    }
    this.#othersOfMonth.fill(0);
  }

  list(kept: number): DayList {
    return this.#lists.subarray(this.#starts[kept], this.#ends[kept]);
  }

  others(): DayList {
    const list: number[] = [];
    for (const [offset, n] of this.#others.entries()) if (n !== 0) list.push(offset, n);
    return list;
  }
}
