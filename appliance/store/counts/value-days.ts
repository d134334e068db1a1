import { dimensionOf, type ListName } from "../../base/text/dimensions.ts";
import type { BlockReader } from "../blocks/block-reader.ts";
import { MAX_DAYS, type Texts } from "../blocks/dictionary.ts";
import type { ValueCounts } from "../blocks/filter.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { SiteDays } from "./source.ts";
import { HashIndex } from "./value-table.ts";
import type { BlockSink, DimensionTotals, ValuePass } from "./values.ts";

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
    for (const name of names) {
      await block.load(dimensionOf(name));
      this.#tables.get(name)?.begin(block.dimension(dimensionOf(name))?.texts);
      block.release();
    }
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
  readonly #index = new HashIndex();
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
      this.#index.put(value.low, value.high);
      this.#starts[place] = room;
      room += 2 * Math.min(value.days, days);
    }
    this.#ends = this.#starts.slice();
    this.#lists = new Float64Array(room);
    this.#others = new Float64Array(days);
  }

  begin(texts: Texts | undefined): void {
    const size = texts?.size ?? 0;
    if (this.#places.length < size) this.#places = new Int32Array(size);
    for (let place = 0; texts !== undefined && place < size; place++) {
      texts.hash(place, HASH);
      this.#places[place] = this.#index.find(HASH[0] as number, HASH[1] as number);
    }
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
    for (const [offset, n] of this.#others.entries()) if (n > 0) list.push(offset, n);
    return list;
  }
}

const HASH = new Uint32Array(2);
