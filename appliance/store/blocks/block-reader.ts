import { MAX_VALUES_PER_DAY } from "../counting.ts";
import { DIMENSIONS, type Dimension, FLAGS } from "../log/record.ts";
import type { BlockPieces } from "../snapshot.ts";
import { Block, NO_HOUR } from "./block.ts";
import type { CountsOf } from "./day-table.ts";
import { IS_EVENT, MAX_DETAIL_ROWS, type Sample } from "./detail.ts";
import { MAX_DAYS, MAX_DICTIONARY, MAX_DICTIONARY_BYTES } from "./dictionary.ts";
import { FrameReader } from "./frames.ts";
import {
  BITS_KEY,
  COUNTS_KEYS,
  columnKey,
  countsKey,
  DETAIL_KEYS,
  HOURS_KEY,
  keyOfDay,
  textsKey,
} from "./keys.ts";
import { daysIn, MAX_MONTH, type Month } from "./month.ts";
import { Texts } from "./texts.ts";
import { VarintReader } from "./varints.ts";

const MAX_COUNTERS_BYTES = 262_144;
/** A dictionary at its bound, or the counts of all days at theirs. */
const MAX_COUNTS_BYTES = MAX_DICTIONARY_BYTES + MAX_DICTIONARY;
const MAX_COLUMN_BYTES = 2 * MAX_DETAIL_ROWS;
const MAX_EVERY = 2 ** 32;
const NOTHING = new Float64Array();

/** How values of a dimension were counted on a day; what was not asked for is empty. */
interface DayColumns {
  /** Of the month, from 0. */
  readonly day: number;
  /** Places in the dictionary, ascending. */
  readonly values: Uint16Array;
  readonly views: Float64Array;
  readonly visitors: Float64Array;
  readonly sessions: Float64Array;
}

/** A dimension of a block as it is kept. */
export interface DimensionReader {
  readonly name: Dimension;
  readonly texts: Texts;
  /**
   * How its values were counted on inclusive days of the month, ascending.
   * @param of the one column that is read beside the values
   * @throws {RangeError} when the bytes are no block
   */
  counts(days: readonly [from: number, to: number], of?: CountsOf): DayColumns[];
}

/**
 * A block as it is kept, of which only what is asked for is unpacked. What it hands out is valid until it
 * is asked for another dimension after `release`, or for another day. Bytes that are no block cost a RangeError, and no more memory than the item that was asked for.
 */
export class BlockReader {
  readonly month: Month;
  /** All of its counters, and of how it was sampled; nothing else. */
  readonly counters: Block;
  readonly #counts: FrameReader;
  readonly #detail: FrameReader;
  /** By place in DIMENSIONS, of those that were looked at. */
  readonly #sizes = new Map<number, number>();

  /** @throws {RangeError} when the bytes are no block */
  constructor({ month, counters, counts, detail }: BlockPieces & { readonly month: Month }) {
    if (!(month >= 0 && month <= MAX_MONTH)) throw noBlock(`nobody counts in month ${month}`);
    this.month = month;
    const frames = new FrameReader(counters, { keys: 1, itemBytes: MAX_COUNTERS_BYTES });
    const item = frames.item(0);
    this.counters =
      item === undefined ? new Block(month) : readCounters(month, new VarintReader(item));
    frames.close();
    this.#counts = new FrameReader(counts, { keys: COUNTS_KEYS, itemBytes: MAX_COUNTS_BYTES });
    this.#detail = new FrameReader(detail, { keys: DETAIL_KEYS, itemBytes: MAX_COLUMN_BYTES });
  }

  /** Those there are, in their order; those of a later release are passed over. */
  *dimensions(): Generator<DimensionReader> {
    for (const name of DIMENSIONS) {
      const dimension = this.dimension(name);
      if (dimension !== undefined) yield dimension;
    }
  }

  dimension(name: Dimension): DimensionReader | undefined {
    const place = DIMENSIONS.indexOf(name);
    const bytes = this.#counts.item(textsKey(place));
    if (bytes === undefined) return undefined;
    const texts = new Texts(bytes);
    this.#sizes.set(place, texts.size);
    return {
      name,
      texts,
      counts: (days, of) => {
        const item = this.#counts.item(countsKey(place));
        return item === undefined
          ? []
          : readCounts(new VarintReader(item), this.month, { size: texts.size, days, of });
      },
    };
  }

  /** What is kept of a day's views and events; undefined where nothing is, or none of it was read. */
  sample(day: number): Sample | undefined {
    const sample = this.counters.sample(day);
    if (sample === undefined || this.#detail.length(keyOfDay(day, HOURS_KEY)) !== sample.rows)
      return undefined;
    return sample;
  }

  /** The hour of each row of a day. */
  hours(day: number): Uint8Array {
    return this.#bytes(day, HOURS_KEY, NO_HOUR);
  }

  /** FLAG and IS_EVENT of each. */
  bits(day: number): Uint8Array {
    return this.#bytes(day, BITS_KEY, FLAGS | IS_EVENT);
  }

  /**
   * What rows of a day have of a dimension: one more than a place in its dictionary, or 0.
   * @param rows which, ascending; all unless given
   * @param into where they are put, as many as there are rows
   * @returns false where no row of the day has any
   */
  column(day: number, name: Dimension, into: Uint16Array, rows?: Uint32Array): boolean {
    const place = DIMENSIONS.indexOf(name);
    const planes = this.#detail.item(keyOfDay(day, columnKey(place)));
    if (planes === undefined) return false;
    const all = this.#rows(day);
    if (planes.length !== all && planes.length !== 2 * all) throw noBlock("its detail is off");
    const isWide = planes.length > all;
    const count = rows?.length ?? all;
    let highest = 0;
    for (let i = 0; i < count; i++) {
      const row = rows === undefined ? i : (rows[i] as number);
      const low = planes[row] as number;
      const value = isWide ? low | ((planes[all + row] as number) << 8) : low;
      into[i] = value;
      if (value > highest) highest = value;
    }
    if (highest > this.size(name)) throw noBlock("its detail names what it has not");
    return true;
  }

  /** How many texts a dimension has. */
  size(name: Dimension): number {
    const place = DIMENSIONS.indexOf(name);
    return this.#sizes.get(place) ?? this.dimension(name)?.texts.size ?? 0;
  }

  /** Lets go of what was unpacked but for what the next dimension, or the next day, may be in. */
  release(): void {
    this.#counts.release();
    this.#detail.release();
  }

  /** Lets go of all. */
  close(): void {
    this.#counts.close();
    this.#detail.close();
  }

  #rows(day: number): number {
    return this.counters.sample(day)?.rows ?? 0;
  }

  #bytes(day: number, key: number, max: number): Uint8Array {
    const bytes = this.#detail.item(keyOfDay(day, key));
    if (bytes?.length !== this.#rows(day)) throw noBlock("its detail is cut");
    let highest = 0;
    for (let row = 0; row < bytes.length; row++)
      if ((bytes[row] as number) > highest) highest = bytes[row] as number;
    if (highest > max) throw noBlock("its detail is off");
    return bytes;
  }
}

const DAYS: readonly number[] = Array.from({ length: MAX_DAYS }, (_, day) => day);

/** Days of a month that has so many, as bits. @throws {RangeError} when it has not all of them */
function readDays(reader: VarintReader, month: Month): [mask: number, days: number[]] {
  const mask = reader.number(2 ** daysIn(month) - 1);
  return [mask, DAYS.filter((day) => (mask & (1 << day)) !== 0)];
}

function readCounters(month: Month, reader: VarintReader): Block {
  const known = { days: readDays(reader, month)[0], samples: [] as Sample[], bare: 0 };
  const block = new Block(month, known);
  for (const day of readDays(reader, month)[1]) readSparse(reader, block.countersOf(day));
  for (const day of readDays(reader, month)[1]) known.samples[day] = readSample(reader);
  known.bare = readDays(reader, month)[0];
  if (reader.left > 0) throw noBlock("something follows its counters");
  return block;
}

function readSample(reader: VarintReader): Sample {
  const rows = reader.number(MAX_DETAIL_ROWS);
  const seen = reader.number();
  const every = reader.number(MAX_EVERY);
  if (rows === 0 || !Number.isInteger(Math.log2(every)) || rows !== Math.ceil(seen / every))
    throw noBlock("its detail is off");
  return { rows, seen, every };
}

function readSparse(reader: VarintReader, numbers: Float64Array): void {
  let at = -1;
  for (let left = reader.number(numbers.length); left > 0; left--) {
    at += 1 + reader.number(numbers.length);
    if (at >= numbers.length) throw noBlock("it counts what there is not");
    numbers[at] = reader.number();
  }
}

function readCounts(
  reader: VarintReader,
  month: Month,
  {
    size,
    days: [from, to],
    of,
  }: { size: number; days: readonly [number, number]; of: CountsOf | undefined },
): DayColumns[] {
  const [, days] = readDays(reader, month);
  const rows = days.map(() => reader.number(Math.min(size, MAX_VALUES_PER_DAY + 1)));
  const runOf = (isRead: boolean) => {
    const run = reader.piece();
    if (!isRead) return days.map(() => NOTHING);
    const columns = days.map((day, i) => {
      if (day >= from && day <= to) return run.numbers(rows[i] as number);
      run.skip(rows[i] as number);
      return NOTHING;
    });
    if (run.left > 0) throw noBlock("it counts more than it says");
    return columns;
  };
  const values = runOf(true).map((gaps) => ascending(gaps, size));
  const [views, visitors, sessions] = (["views", "visitors", "sessions"] as const).map((name) =>
    runOf(of === undefined || of === name),
  ) as [Float64Array[], Float64Array[], Float64Array[]];
  if (reader.left > 0) throw noBlock("something follows its counts");
  return days.flatMap((day, i) =>
    day < from || day > to
      ? []
      : [
          {
            day,
            values: values[i] as Uint16Array,
            views: views[i] as Float64Array,
            visitors: visitors[i] as Float64Array,
            sessions: sessions[i] as Float64Array,
          },
        ],
  );
}

/** Makes gaps the values that they are between. @throws {RangeError} where one is not below `size` */
function ascending(gaps: Float64Array, size: number): Uint16Array {
  const values = new Uint16Array(gaps.length);
  let before = -1;
  for (let i = 0; i < gaps.length; i++) {
    before += 1 + (gaps[i] as number);
    values[i] = before;
  }
  if (before >= size) throw noBlock("it counts what its dictionary has not");
  return values;
}

function noBlock(why: string): RangeError {
  return new RangeError(`These bytes are no block: ${why}`);
}
