import { COUNTED_OF, type CountsOf } from "../../base/text/dimensions.ts";
import { MAX_VALUES_PER_DAY } from "../counting.ts";
import type { Soon } from "../counts/site-counts.ts";
import { DIMENSIONS, type Dimension, FLAGS, MAX_DIMENSIONS } from "../log/record.ts";
import type { Piece } from "../snapshot.ts";
import { Block, NO_HOUR } from "./block.ts";
import {
  columnsOf,
  DETAIL_COLUMNS,
  IS_EVENT,
  MAX_DETAIL_ROWS,
  placeOfColumn,
  type Sample,
} from "./detail.ts";
import { MAX_DAYS, MAX_DICTIONARY, MAX_DICTIONARY_BYTES, Texts } from "./dictionary.ts";
import { daysIn, firstDayOf, MAX_MONTH, type Month } from "./month.ts";
import { giveBack, RowReader } from "./packed-row.ts";
import { NoBlock, VarintReader } from "./varints.ts";

// The keys of items in packed rows, and the numbers of pieces. A dimension is known by its place in DIMENSIONS, so that
// a row says which it has.

const KEYS_OF_DAY = MAX_DIMENSIONS + 2;

export const HOURS_KEY = 0;
export const BITS_KEY = 1;

/** Keys are below it. */
const COUNTS_KEYS = 2 * MAX_DIMENSIONS;

export function textsKey(dimension: number): number {
  return 2 * dimension;
}

export function countsKey(dimension: number): number {
  return 2 * dimension + 1;
}

/** @param column as in DETAIL_COLUMNS */
export function columnKey(column: number): number {
  return 2 + placeOfColumn(column);
}

/** The piece of a dimension that is too large to be among the others; a piece of detail has the number of its day. */
export function pieceOf(dimension: number): number {
  return dimension - MAX_DIMENSIONS;
}

/** The last piece of a dimension. */
const LAST_DIMENSION = -1;

const ALL: ReadonlySet<Dimension> = new Set(DIMENSIONS);
const DAYS: readonly number[] = Array.from({ length: MAX_DAYS }, (_, day) => day);
const MAX_COUNTERS_BYTES = 262_144;
/** A dictionary at its bound, or the counts of all days at theirs. */
const MAX_COUNTS_BYTES = MAX_DICTIONARY_BYTES + MAX_DICTIONARY;
const MAX_COLUMN_BYTES = 2 * MAX_DETAIL_ROWS;
const MAX_EVERY = 2 ** 32;

/** Texts and counts of one dimension. */
const DIMENSION_BOUNDS = { items: 2, keys: COUNTS_KEYS, itemBytes: MAX_COUNTS_BYTES };
const DAY_BOUNDS = { items: KEYS_OF_DAY, keys: KEYS_OF_DAY, itemBytes: MAX_COLUMN_BYTES };

/** Counts of a dimension's values on a day; to be read before the next day's. */
interface DayCounts {
  /** The day of the month, from 0. */
  readonly day: number;
  /** The number of valid entries in the lists below, which are longer. */
  readonly length: number;
  /** Places in the dictionary, ascending. */
  readonly values: Uint16Array;
  /** The requested columns, each as long as `values`. */
  readonly columns: readonly Float64Array[];
}

/** A dimension that takes more bytes unpacked is a piece of its own. */
export const SMALL_BYTES = 65_536;

/** A block as it is kept. */
interface StoredBlock {
  readonly month: Month;
  readonly counters: Uint8Array;
  readonly counts: Uint8Array;
  /** Its pieces by number, each read or null; undefined where it is not known which there are. */
  readonly pieces?: ReadonlyMap<number, Uint8Array | null> | undefined;
}

/** Reads some pieces of a block, inclusive: the first one at least. Their memory is the caller's. */
type ReadPieces = (from: number, to: number) => Soon<readonly Piece[]>;

/** A dimension of a block as it is kept. */
export interface DimensionReader {
  readonly name: Dimension;
  readonly texts: Texts;
  /**
   * Visits how its values were counted on inclusive days of the month, ascending.
   * @throws {RangeError} when the bytes are no block
   */
  counts(
    days: readonly [from: number, to: number],
    columns: readonly CountsOf[],
    visit: (counts: DayCounts) => void,
  ): void;
}

/**
 * Reads an encoded block, and unpacks only what it is asked for. An answer is valid until `release`. Bytes that are no
 * block cause a RangeError, and take no more memory than the requested row.
 */
export class BlockReader {
  readonly month: Month;
  /** A block with all counters and the sampling of detail, and nothing else. */
  readonly counters: Block;
  readonly #counts: RowReader;
  readonly #pieces: ReadonlyMap<number, Uint8Array | null>;
  readonly #read: ReadPieces | undefined;
  /** Pieces that were read, packed; those after a requested one among them, which are asked for next. */
  readonly #loaded = new Map<number, Uint8Array>();
  readonly #open = new Map<number, RowReader>();
  /** Sizes of dictionaries that were read, by place in DIMENSIONS. */
  readonly #sizes = new Map<number, number>();

  /**
   * @param read is needed where pieces are not read yet
   * @throws {RangeError} when the bytes are no block
   */
  constructor({ month, counters, counts, pieces }: StoredBlock, read?: ReadPieces) {
    if (!(month >= 0 && month <= MAX_MONTH)) throw new NoBlock(`nobody counts in month ${month}`);
    this.month = month;
    const row = new RowReader(counters, { items: 1, keys: 1, itemBytes: MAX_COUNTERS_BYTES });
    const item = row.item(0);
    this.counters =
      item === undefined ? new Block(month) : readCounters(month, new VarintReader(item));
    row.release();
    const bounds = { items: COUNTS_KEYS, keys: COUNTS_KEYS, itemBytes: SMALL_BYTES };
    this.#counts = new RowReader(counts, bounds);
    this.#pieces = pieces ?? new Map();
    this.#read = read;
    for (let place = 0; place < MAX_DIMENSIONS; place++)
      if (this.#pieces.has(pieceOf(place)) && this.#counts.length(textsKey(place)) !== undefined)
        throw new NoBlock("it has a dimension twice");
    // A day whose sampling is known while its rows are missing has lost its detail.
    for (let day = 0; pieces !== undefined && day < MAX_DAYS; day++)
      if (this.counters.sample(day) !== undefined && !pieces.has(this.#pieceOfDay(day)))
        this.counters.dropDetail(day);
  }

  /** Loads a dimension. Await it before reading the dimension. */
  load(name: Dimension): Promise<void> {
    return this.#load(pieceOf(DIMENSIONS.indexOf(name)), LAST_DIMENSION);
  }

  /** The same of a day's detail. */
  loadDay(day: number): Promise<void> {
    return this.#load(this.#pieceOfDay(day), this.#pieceOfDay(MAX_DAYS - 1));
  }

  async #load(n: number, last: number): Promise<void> {
    if (this.#pieces.get(n) !== null || this.#loaded.has(n)) return;
    this.#forget();
    for (const piece of (await this.#read?.(n, last)) ?? []) this.#loaded.set(piece.n, piece.bytes);
    if (!this.#loaded.has(n)) throw new NoBlock("a piece of it is missing");
  }

  /** Bytes of the larger of its counts and its detail where all of it is unpacked, as far as it was read. */
  get largest(): number {
    let [counts, detail] = [this.#counts.bytes, 0];
    for (const [n, bytes] of this.#pieces) {
      if (bytes === null) continue;
      if (n < 0) counts += this.#row(n).bytes;
      else detail += this.#row(n).bytes;
    }
    return Math.max(counts, detail);
  }

  /** The block's dimensions among `names`, in their order; dimensions of a later release are skipped. */
  *dimensions(names: ReadonlySet<Dimension> = ALL): Generator<DimensionReader> {
    for (const name of names) {
      const dimension = this.dimension(name);
      if (dimension !== undefined) yield dimension;
    }
  }

  dimension(name: Dimension): DimensionReader | undefined {
    const place = DIMENSIONS.indexOf(name);
    const row = this.#rowOf(place);
    const bytes = row.item(textsKey(place));
    this.#sizes.set(place, 0);
    if (bytes === undefined) return undefined;
    const texts = new Texts(bytes);
    this.#sizes.set(place, texts.size);
    return {
      name,
      texts,
      counts: (days, columns, visit) => {
        const item = row.item(countsKey(place));
        if (item === undefined) return;
        readCounts(new VarintReader(item), this.month, { size: texts.size, days, columns }, visit);
      },
    };
  }

  /** The sample that is kept of a day's views and events; undefined where none is, or it was not read. */
  sample(day: number): Sample | undefined {
    return this.#pieces.has(this.#pieceOfDay(day)) ? this.counters.sample(day) : undefined;
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
   * Reads the values of a column in rows of a day.
   * @param column as in DETAIL_COLUMNS
   * @param rows the rows, ascending; all unless given
   * @param into takes a value for each row; values are checked against the dictionary if that was read before
   * @returns false where no row of the day has a value
   */
  column(day: number, column: number, into: Uint16Array, rows?: Uint32Array): boolean {
    const planes = this.#row(this.#pieceOfDay(day)).item(columnKey(column));
    if (planes === undefined) return false;
    const all = this.#rows(day);
    if (planes.length !== all && planes.length !== 2 * all) throw new NoBlock("its detail is off");
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
    const place = DIMENSIONS.indexOf(DETAIL_COLUMNS[column] as Dimension);
    const size = this.#sizes.get(place) ?? Number.POSITIVE_INFINITY;
    if (highest > size) throw new NoBlock("its detail names what it has not");
    return true;
  }

  /** Bytes of a dimension unpacked: its columns as their decoder holds them, each day's whole. */
  bytesOf(name: Dimension): number {
    const place = DIMENSIONS.indexOf(name);
    const row = this.#rowOf(place);
    const counts = (row.length(textsKey(place)) ?? 0) + (row.length(countsKey(place)) ?? 0);
    const rows = DAYS.reduce((sum, day) => sum + (this.sample(day)?.rows ?? 0), 0);
    return counts + columnsOf(name).length * Uint16Array.BYTES_PER_ELEMENT * rows;
  }

  /** Frees what was unpacked, but for the small dimensions. */
  release(): void {
    for (const row of this.#open.values()) row.release();
    this.#open.clear();
  }

  /** Lets go of all. */
  close(): void {
    this.#forget();
    this.#counts.release();
  }

  #forget(): void {
    this.release();
    for (const bytes of this.#loaded.values()) giveBack(bytes);
    this.#loaded.clear();
  }

  #pieceOfDay(day: number): number {
    return firstDayOf(this.month) + day;
  }

  /** The row that a dimension is in. */
  #rowOf(place: number): RowReader {
    return this.#pieces.has(pieceOf(place)) ? this.#row(pieceOf(place)) : this.#counts;
  }

  #row(n: number): RowReader {
    const known = this.#open.get(n);
    if (known !== undefined) return known;
    const bytes = this.#pieces.get(n) ?? this.#loaded.get(n);
    if (bytes === undefined) throw new Error("A piece is asked for that was not loaded");
    const row = new RowReader(bytes, n < 0 ? DIMENSION_BOUNDS : DAY_BOUNDS);
    this.#open.set(n, row);
    return row;
  }

  #rows(day: number): number {
    return this.counters.sample(day)?.rows ?? 0;
  }

  #bytes(day: number, key: number, max: number): Uint8Array {
    const bytes = this.#row(this.#pieceOfDay(day)).item(key);
    if (bytes?.length !== this.#rows(day)) throw new NoBlock("its detail is cut");
    let highest = 0;
    for (let row = 0; row < bytes.length; row++)
      if ((bytes[row] as number) > highest) highest = bytes[row] as number;
    if (highest > max) throw new NoBlock("its detail is off");
    return bytes;
  }
}

/** Reads a set of days of a month. @throws {RangeError} for a day that the month does not have */
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
  if (reader.left > 0) throw new NoBlock("something follows its counters");
  return block;
}

function readSample(reader: VarintReader): Sample {
  const rows = reader.number(MAX_DETAIL_ROWS);
  const seen = reader.number();
  const every = reader.number(MAX_EVERY);
  if (rows === 0 || !Number.isInteger(Math.log2(every)) || rows !== Math.ceil(seen / every))
    throw new NoBlock("its detail is off");
  return { rows, seen, every };
}

function readSparse(reader: VarintReader, numbers: Float64Array): void {
  let at = -1;
  for (let left = reader.number(numbers.length); left > 0; left--) {
    at += 1 + reader.number(numbers.length);
    if (at >= numbers.length) throw new NoBlock("it counts what there is not");
    numbers[at] = reader.number();
  }
}

/** Used again for each day and dimension: there are thousands. */
const VALUES = new Uint16Array(MAX_VALUES_PER_DAY + 1);
const GAPS = new Float64Array(VALUES.length);
const COLUMNS = COUNTED_OF.map(() => new Float64Array(VALUES.length));

function readCounts(
  reader: VarintReader,
  month: Month,
  {
    size,
    days: [from, to],
    columns: asked,
  }: {
    readonly size: number;
    readonly days: readonly [number, number];
    readonly columns: readonly CountsOf[];
  },
  visit: (counts: DayCounts) => void,
): void {
  const [, days] = readDays(reader, month);
  const lengths = days.map(() => reader.number(Math.min(size, MAX_VALUES_PER_DAY + 1)));
  const values = reader.piece();
  const all = COUNTED_OF.map(() => reader.piece());
  if (reader.left > 0) throw new NoBlock("something follows its counts");
  const runs = asked.map((name) => all[COUNTED_OF.indexOf(name)] as VarintReader);
  const columns = COLUMNS.slice(0, runs.length);
  for (const [i, day] of days.entries()) {
    const length = lengths[i] as number;
    if (day > to) return;
    if (day < from) {
      for (const run of [values, ...runs]) run.skip(length);
      continue;
    }
    values.numbers(length, GAPS);
    ascending(length, size);
    for (const [n, run] of runs.entries()) run.numbers(length, columns[n] as Float64Array);
    visit({ day, length, values: VALUES, columns });
  }
  if ([values, ...runs].some(({ left }) => left > 0))
    throw new NoBlock("it counts more than it says");
}

/** Makes gaps the values that they are between. @throws {RangeError} where one is not below `size` */
function ascending(length: number, size: number): void {
  let before = -1;
  for (let i = 0; i < length; i++) {
    before += 1 + (GAPS[i] as number);
    VALUES[i] = before;
  }
  if (before >= size) throw new NoBlock("it counts what its dictionary has not");
}
