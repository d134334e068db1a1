import type { BlockReader } from "../blocks/block-reader.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import type { ValueCounts } from "../blocks/filter.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { HashSeed } from "../blocks/texts.ts";
import type { Dimension } from "../log/record.ts";
import type { SiteDays } from "./source.ts";
import { HashIndex } from "./value-table.ts";
import type { BlockSink, DimensionTotals, ValuePass, ValueTotals } from "./values.ts";

/** Offset in days from the first one, count, offset, count, … */
export type DayList = Float64Array | readonly number[];

/** Counts by day of the values that an answer carries, and of all others of their dimension together. */
export class ValueDays implements BlockSink {
  readonly #from: number;
  readonly #seed: HashSeed;
  readonly #tables = new Map<Dimension, DayTables>();
  /** The month that is being read. */
  #month: Month | undefined;

  private constructor({ from, to }: SiteDays, { seed, dimensions }: ValueTotals) {
    this.#from = from;
    this.#seed = seed;
    for (const dimension of dimensions)
      this.#tables.set(dimension.name, new DayTables(dimension, to - from + 1));
  }

  static async read(pass: ValuePass, range: SiteDays, totals: ValueTotals): Promise<ValueDays> {
    const days = new ValueDays(range, totals);
    await pass(new Set(totals.dimensions.map(({ name }) => name)), days);
    days.#endMonth();
    return days;
  }

  count(block: BlockReader, name: Dimension, counts: ValueCounts): void {
    if (block.month !== this.#month) this.#endMonth();
    this.#month = block.month;
    this.#tables.get(name)?.count(block, this.#seed, counts);
  }

  end(): void {
    for (const table of this.#tables.values()) table.endBlock();
  }

  /** Of a value that is kept, by its place there. */
  of(name: Dimension, place: number): DayList {
    return this.#tables.get(name)?.list(place) ?? [];
  }

  ofOthers(name: Dimension): DayList {
    return this.#tables.get(name)?.others() ?? [];
  }

  #endMonth(): void {
    if (this.#month === undefined) return;
    const offset = firstDayOf(this.#month) - this.#from;
    for (const table of this.#tables.values()) table.endMonth(offset);
  }
}

/** Those of one dimension. */
class DayTables {
  readonly #name: Dimension;
  readonly #index = new HashIndex();
  /** One piece of memory for all lists: as many small arrays would take ten times it. */
  readonly #lists: Float64Array;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** Sums of all that is not kept, by day. */
  readonly #others: Float64Array;
  /** Of the month that is being read: by value and day; and of the others by day. */
  #month: Float64Array | undefined;
  readonly #othersOfMonth = new Float64Array(MAX_DAYS);
  /** By place in the dictionary of the block that is being read, that in `kept`, or -1. */
  #places: Int32Array | undefined;

  constructor({ name, kept }: DimensionTotals, days: number) {
    this.#name = name;
    this.#starts = new Uint32Array(kept.length);
    let room = 0;
    for (const [place, value] of kept.entries()) {
      this.#index.put(value.low, value.high);
      this.#starts[place] = room;
      room += 2 * Math.min(value.days, days);
    }
    this.#ends = this.#starts.slice();
    this.#lists = new Float64Array(room);
    this.#others = new Float64Array(days);
  }

  count(block: BlockReader, seed: HashSeed, { day, length, places, counts }: ValueCounts): void {
    this.#places ??= this.#placesOf(block, seed);
    this.#month ??= new Float64Array(MAX_DAYS * this.#starts.length);
    for (let i = 0; i < length; i++) {
      const kept = this.#places[places[i] as number] as number;
      const sums = kept < 0 ? this.#othersOfMonth : this.#month;
      const at = kept < 0 ? day : MAX_DAYS * kept + day;
      sums[at] = (sums[at] as number) + (counts[i] as number);
    }
  }

  endBlock(): void {
    this.#places = undefined;
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
    for (const [offset, n] of this.#others.entries()) if (n > 0) list.push(offset, n);
    return list;
  }

  #placesOf(block: BlockReader, seed: HashSeed): Int32Array {
    const texts = block.dimension(this.#name)?.texts;
    const places = new Int32Array(texts?.size ?? 0);
    if (texts === undefined) return places;
    const [lows, highs] = texts.hashes(seed);
    for (let place = 0; place < places.length; place++)
      places[place] = this.#index.find(lows[place] as number, highs[place] as number);
    return places;
  }
}
