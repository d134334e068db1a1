import { COUNTED_OF } from "../../base/text/dimensions.ts";
import { DIMENSIONS, type Dimension } from "../log/record.ts";
import type { BlockPieces } from "../snapshot.ts";
import type { Block } from "./block.ts";
import {
  BITS_KEY,
  BlockReader,
  columnKey,
  countsKey,
  type DimensionReader,
  HOURS_KEY,
  pieceOf,
  SMALL_BYTES,
  textsKey,
} from "./block-reader.ts";
import { DayTable } from "./day-table.ts";
import { columnsOf, DayDetail, DETAIL_COLUMNS, DETAIL_DIMENSIONS, type Detail } from "./detail.ts";
import { DimensionBlock, MAX_DAYS } from "./dictionary.ts";
import { firstDayOf, type Month } from "./month.ts";
import { giveBack, RowWriter } from "./packed-row.ts";
import { VarintWriter } from "./varints.ts";

// A block is a row with its counters and its small dimensions, each packed, so that a question unpacks only the part that
// it is about; and pieces, a row each: a dimension that is large, and detail of a day. The month is kept beside them.
// Counters are one item: the days that hold anything (bit 0 for the first); the days that have counters, each
// with its counters by hour (how many are not 0, then their gaps and values); the days that keep detail, each with
// its number of rows, its number of views and events, and the sampling rate; the days whose detail was dropped.
// Counts are two items for each dimension: its texts, with a NUL between two; and the days that have values, with
// the number of values of each, and four runs over all days, each with its length in bytes: the values of a day
// in ascending order, as gaps, then views, visitors and sessions. Similar numbers beside each other pack best.
// Detail of a day is an item for each column: hours, bits, and those of DETAIL_COLUMNS that a row has, as one more than
// the place in the dictionary of the counts, or 0: all low bytes, then, where a value is above 255, all high bytes.

const NUL = "\0";

/** Writes a block dimension after dimension, so that not all have to be there at once. */
export class BlockWriter {
  readonly #packs: boolean;
  readonly #counters: RowWriter;
  readonly #counts: RowWriter;
  readonly #pieces = new Map<number, Uint8Array>();
  /** Rows of detail, by piece. */
  readonly #days = new Map<number, RowWriter>();
  #largeBytes = 0;
  #shrinks = false;

  /** @param packs false for a block that is read right away, and not kept */
  constructor(packs = true) {
    this.#packs = packs;
    this.#counters = new RowWriter(packs);
    this.#counts = new RowWriter(packs);
  }

  /** Writes everything of a block but its dimensions. */
  begin(block: Block): void {
    this.#counters.add(0, countersOf(block));
    for (const [day, { rows, hours, bits }] of daysOf(block.detail)) {
      const writer = new RowWriter(this.#packs);
      writer.add(HOURS_KEY, hours.subarray(0, rows));
      writer.add(BITS_KEY, bits.subarray(0, rows));
      this.#days.set(firstDayOf(block.month) + day, writer);
    }
  }

  /** Writes the dimensions that a block has. */
  dimensions(block: Block): void {
    for (const [name, dimension] of block.inOrder) {
      this.#dimension(DIMENSIONS.indexOf(name), dimension);
      for (const [n, column] of columnsOf(name).entries()) {
        // Columns of one dimension may be as large as many others.
        if (n > 0 && this.#shrinks) this.shrink();
        for (const [day, { rows, values }] of daysOf(block.detail)) {
          const planes = planesOf(values[column] as Uint16Array, rows);
          if (planes === undefined) continue;
          this.#days.get(firstDayOf(block.month) + day)?.add(columnKey(column), planes);
          giveBack(planes);
        }
      }
    }
  }

  /** Takes less memory until the next dimensions come, which do so from now on, too. */
  shrink(): void {
    this.#shrinks = true;
    for (const day of this.#days.values()) day.shrink();
  }

  /** Bytes of the larger of its counts and its detail where all of it is unpacked. */
  get largest(): number {
    const detail = [...this.#days.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return Math.max(this.#counts.bytes + this.#largeBytes, detail);
  }

  /** A block as an engine keeps it; what has nothing in it is empty. */
  end(): BlockPieces {
    for (const [n, day] of this.#days) this.#pieces.set(n, day.end());
    return { counters: this.#counters.end(), counts: this.#counts.end(), pieces: this.#pieces };
  }

  #dimension(place: number, { texts, days }: DimensionBlock): void {
    if (texts.length === 0) return;
    const all = Buffer.from(texts.join(NUL));
    const counts = countsOf(days);
    const isLarge = all.length + counts.length > SMALL_BYTES;
    const row = isLarge ? new RowWriter(this.#packs) : this.#counts;
    row.add(textsKey(place), all);
    row.add(countsKey(place), counts);
    giveBack(all);
    if (!isLarge) return;
    this.#largeBytes += row.bytes;
    this.#pieces.set(pieceOf(place), row.end());
  }
}

/**
 * Encodes a block as engines keep it.
 * @param packs false for a block that is read right away, and not kept
 */
export function encodeBlock(block: Block, packs = true): BlockPieces {
  const writer = new BlockWriter(packs);
  writer.begin(block);
  writer.dimensions(block);
  return writer.end();
}

/** The part of a block that is read. */
interface Decoding {
  /** The dimensions that are read, with their columns of detail; all unless given. */
  readonly names?: ReadonlySet<Dimension>;
  /** Whether to read the hours and bits of detail, and days with nothing else. */
  readonly hasRows?: boolean;
}

/**
 * A block, all of whose pieces were read; of what is empty, nothing.
 * @throws {RangeError} when the bytes are no block
 */
export function decodeBlock(
  row: BlockPieces & { readonly month: Month },
  { names = ALL, hasRows = true }: Decoding = {},
): Block {
  const reader = new BlockReader(row);
  const block = reader.counters;
  for (const dimension of reader.dimensions(names)) {
    block.dimensions.set(dimension.name, dimensionOf(dimension));
    reader.release();
  }
  const hasColumns = DETAIL_COLUMNS.some((name) => names.has(name));
  for (let day = 0; day < MAX_DAYS && (hasRows || hasColumns); day++) {
    const sample = reader.sample(day);
    if (sample === undefined) continue;
    block.detail[day] = new DayDetail(firstDayOf(row.month) + day, {
      ...sample,
      // The hours are copied, since they point into an unpacked row.
      hours: hasRows ? Uint8Array.from(reader.hours(day)) : NO_COLUMN,
      bits: hasRows ? Uint8Array.from(reader.bits(day)) : NO_COLUMN,
      values: DETAIL_COLUMNS.map((name, at) => {
        const column = new Uint16Array(names.has(name) ? sample.rows : 0);
        const isThere = names.has(name) && reader.column(day, at, column);
        return isThere || at < DETAIL_DIMENSIONS.length ? column : NO_VALUES;
      }),
    });
    reader.release();
  }
  reader.close();
  return block;
}

const ALL: ReadonlySet<Dimension> = new Set(DIMENSIONS);
const NO_COLUMN = new Uint8Array();
const NO_VALUES = new Uint16Array();

function dimensionOf({ texts, counts }: DimensionReader): DimensionBlock {
  const dimension = new DimensionBlock(texts.all());
  counts([0, MAX_DAYS], COUNTED_OF, ({ day, length, values, columns }) => {
    const [views, visitors, sessions] = columns.map((column) => [...column.subarray(0, length)]);
    dimension.days[day] = new DayTable([...values.subarray(0, length)], views, visitors, sessions);
  });
  return dimension;
}

function countersOf(block: Block): Uint8Array {
  const writer = new VarintWriter();
  writer.number(block.days);
  const days = DAYS.filter((day) => block.hasCounters(day));
  writer.number(maskOf(days));
  for (const day of days) writeSparse(writer, block.countersOf(day));
  const samples = daysOf(block.detail);
  writer.number(maskOf(samples.map(([day]) => day)));
  for (const [, { rows, seen, every }] of samples)
    for (const n of [rows, seen, every]) writer.number(n);
  writer.number(maskOf(DAYS.filter((day) => block.isBare(day))));
  return writer.end();
}

/** The days that keep detail. */
function daysOf(detail: Detail): (readonly [day: number, DayDetail])[] {
  return [...detail.entries()].filter(
    (entry): entry is [number, DayDetail] => (entry[1]?.rows ?? 0) > 0,
  );
}

const DAYS: readonly number[] = Array.from({ length: MAX_DAYS }, (_, day) => day);

function maskOf(days: readonly number[]): number {
  return days.reduce((mask, day) => mask | (1 << day), 0);
}

/** Writes how many numbers are not 0; then, for each, the zeros before it, and the number. */
function writeSparse(writer: VarintWriter, numbers: Float64Array): void {
  writer.number(numbers.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0));
  let zeros = 0;
  for (const n of numbers) {
    if (n > 0) {
      writer.number(zeros);
      writer.number(n);
      zeros = 0;
    } else zeros++;
  }
}

/** Used again for each dimension: they grow as large as a month's counts are. */
const COUNTS = new VarintWriter();
const RUN = new VarintWriter();

/** The counts of a dimension: a view, valid until the next ones. */
function countsOf(days: DimensionBlock["days"]): Uint8Array {
  const tables = DAYS.flatMap((day) => {
    const table = days[day];
    return table === undefined || table.values.length === 0 ? [] : [{ day, table: table.sorted() }];
  });
  const [writer, run] = [COUNTS, RUN];
  writer.clear();
  writer.number(maskOf(tables.map(({ day }) => day)));
  for (const { table } of tables) writer.number(table.values.length);
  for (const column of ["values", "views", "visitors", "sessions"] as const) {
    run.clear();
    for (const { table } of tables) {
      let before = -1;
      for (const n of table[column]) {
        run.number(column === "values" ? n - before - 1 : n);
        before = n;
      }
    }
    writer.piece(run.end());
  }
  return writer.end();
}

/** The low bytes, then the high bytes where any is not 0; undefined where every value is 0. */
function planesOf(column: Uint16Array, rows: number): Uint8Array | undefined {
  let any = 0;
  for (let row = 0; row < rows; row++) any |= column[row] as number;
  if (any === 0) return undefined;
  const planes = new Uint8Array(any > 255 ? 2 * rows : rows);
  for (let row = 0; row < rows; row++) {
    const value = column[row] as number;
    planes[row] = value;
    if (any > 255) planes[rows + row] = value >> 8;
  }
  return planes;
}
