import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { MAX_VALUES_PER_DAY } from "../counting.ts";
import { DIMENSIONS, FLAGS } from "../log/record.ts";
import type { BlockPieces } from "../snapshot.ts";
import { Block, NO_HOUR, type Sampled } from "./block.ts";
import { type CountsOf, DayTable } from "./day-table.ts";
import { DayDetail, DETAIL_DIMENSIONS, type Detail, IS_EVENT, MAX_DETAIL_ROWS } from "./detail.ts";
import { DimensionBlock, MAX_DAYS, MAX_DICTIONARY } from "./dictionary.ts";
import { type Condition, rowsThatFit, type Test, testsOf } from "./filter.ts";
import { daysIn, MAX_MONTH, type Month } from "./month.ts";
import { VarintReader, VarintWriter } from "./varints.ts";

// A block is three pieces of zstd, so that a question reads what it is about and no more. Its month
// stands beside them.
// Counters: format, days that hold anything (bit 0 for the first), days that have counters, and of each
// of these the counters by hour (how many are not 0, then gaps and counts of those); days that keep
// detail, and of each of these how many views and events it had, and one in how many is kept.
// Counts: format, and each dimension: its dictionary, the days that have any, how many values each of
// these has, and four runs over all of them, each with its length in bytes: the values in ascending
// order by day, as gaps, then views, visitors and sessions. Alike numbers beside each other pack best.
// Detail: format, and for each day that keeps it how many rows, again how many there were and one in how
// many is kept, then column after column, a 16-bit column as its low bytes and its high bytes. Its numbers are
// places in the dictionaries of the counts.

const FORMAT = 1;
const NUL = "\0";
/** Above it, writing costs more than the card gains. */
const LEVEL = 3;
/** What zstd may ask for to unpack: 2 to this power, in bytes. Level 3 asks for 2 MB. */
const MAX_WINDOW_LOG = 23;
/**
 * What a piece may unpack to: 24 dictionaries at their bounds and the counts of 31 days are 108 MB, as
 * many days of 50,000 rows of 36 bytes 56.
 */
const MAX_PIECE_BYTES: Readonly<Record<keyof BlockPieces, number>> = {
  counters: 262_144,
  counts: 112 * 1_048_576,
  detail: 64 * 1_048_576,
};
/** What is unpacked in one go: a piece that is packed as most are takes one. */
const RATIO = 8;
const MIN_CHUNK_BYTES = 1_024;
const MAX_CHUNK_BYTES = 4 * 1_048_576;
const MAX_EVERY = 2 ** 32;
const ROW_BYTES = 2 + 2 * DETAIL_DIMENSIONS.length;
const NOTHING = new Uint8Array();

/** A block as an engine keeps it; a piece without anything in it is empty. */
export function encodeBlock(block: Block): BlockPieces {
  return {
    counters: packed(countersOf(block)),
    counts: block.dimensions.size === 0 ? NOTHING : packed(countsOf(block)),
    detail: block.detail.every((day) => day === undefined)
      ? NOTHING
      : packed(detailOf(block.detail)),
  };
}

/** What is to be read of a block. */
interface Reading {
  /** Inclusive days of the month, from 0, whose counts by value are read. */
  readonly days?: readonly [from: number, to: number];
  /** The one column of these counts that is read. */
  readonly of?: CountsOf;
  /** The rows of detail that are read. */
  readonly where?: readonly Condition[];
}

/**
 * A block of the pieces that are not empty; its detail cannot be read without its counts.
 * @throws {RangeError} when the bytes are no block; they never take more than 400 MB of memory
 */
export function decodeBlock(
  { month, counters, counts, detail }: BlockPieces & { readonly month: Month },
  reading: Reading = {},
): Block {
  if (!(month >= 0 && month <= MAX_MONTH)) throw noBlock(`nobody counts in month ${month}`);
  const block =
    counters.length > 0 ? readCounters(month, readerOf(counters, "counters")) : new Block(month);
  if (counts.length > 0) readCounts(block, readerOf(counts, "counts"), reading);
  if (detail.length > 0) {
    const tests = testsOf(block.dimensions, reading.where ?? []);
    // Where no value fits, no row does.
    if (tests.every(({ fits }) => fits.includes(1)))
      block.detail = readDetail(readerOf(detail, "detail"), block, tests);
  }
  return block;
}

/** The same; undefined where nobody can read it: it stays as it is, and so does all of its month. */
export function readBlock(
  row: BlockPieces & { readonly month: Month },
  reading?: Reading,
): Block | undefined {
  try {
    return decodeBlock(row, reading);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function packed(bytes: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  // A copy: this one lies in 16 kB that would go to other threads with it.
  return new Uint8Array(zstdCompressSync(bytes, { params }));
}

/** @throws {RangeError} when the bytes are no piece */
function readerOf(bytes: Uint8Array, piece: keyof BlockPieces): VarintReader {
  const reader = new VarintReader(unpacked(bytes, MAX_PIECE_BYTES[piece]));
  const format = reader.number();
  if (format !== FORMAT) throw noBlock(`the format of its ${piece} is ${format}`);
  return reader;
}

function unpacked(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    return zstdDecompressSync(bytes, {
      maxOutputLength,
      chunkSize: Math.min(MAX_CHUNK_BYTES, MIN_CHUNK_BYTES + RATIO * bytes.length),
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    });
  } catch (error) {
    throw new RangeError("These bytes are no block: they cannot be unpacked", { cause: error });
  }
}

function countersOf(block: Block): Uint8Array {
  const writer = new VarintWriter();
  writer.number(FORMAT);
  writer.number(block.days);
  const days = DAYS.filter((day) => block.hasCounters(day));
  writer.number(maskOf(days));
  for (const day of days) writeSparse(writer, block.countersOf(day));
  const detailed = DAYS.filter((day) => block.detail[day] !== undefined);
  writer.number(maskOf(detailed));
  for (const day of detailed) {
    writer.number(block.detail[day]?.seen ?? 0);
    writer.number(block.detail[day]?.every ?? 1);
  }
  return writer.end();
}

const DAYS: readonly number[] = Array.from({ length: MAX_DAYS }, (_, day) => day);

function maskOf(days: readonly number[]): number {
  return days.reduce((mask, day) => mask | (1 << day), 0);
}

/** Days of a month that has so many, as bits. @throws {RangeError} when it has not all of them */
function readDays(reader: VarintReader, month: Month): [mask: number, days: number[]] {
  const mask = reader.number(2 ** daysIn(month) - 1);
  return [mask, DAYS.filter((day) => (mask & (1 << day)) !== 0)];
}

function readCounters(month: Month, reader: VarintReader): Block {
  const sampled: Sampled[] = [];
  const block = new Block(month, { days: readDays(reader, month)[0], sampled });
  for (const day of readDays(reader, month)[1]) readSparse(reader, block.countersOf(day));
  for (const day of readDays(reader, month)[1])
    sampled[day] = { seen: reader.number(), every: reader.number(MAX_EVERY) };
  if (reader.left > 0) throw noBlock("something follows its counters");
  return block;
}

/** How many are not 0; then, for each, how many zeros are before it, and what it is. */
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

function readSparse(reader: VarintReader, numbers: Float64Array): void {
  let at = -1;
  for (let left = reader.number(numbers.length); left > 0; left--) {
    at += 1 + reader.number(numbers.length);
    if (at >= numbers.length) throw noBlock("it counts what there is not");
    numbers[at] = reader.number();
  }
}

function countsOf(block: Block): Uint8Array {
  const writer = new VarintWriter();
  writer.number(FORMAT);
  const dimensions = block.inOrder;
  writer.number(dimensions.length);
  for (const [name, dimension] of dimensions) {
    writer.number(DIMENSIONS.indexOf(name));
    writeDimension(writer, dimension);
  }
  return writer.end();
}

function writeDimension(writer: VarintWriter, { texts, days }: DimensionBlock): void {
  writer.number(texts.length);
  writer.piece(Buffer.from(texts.join(NUL)));
  const tables = DAYS.flatMap((day) => {
    const table = days[day];
    return table === undefined || table.values.length === 0 ? [] : [{ day, table: table.sorted() }];
  });
  writer.number(maskOf(tables.map(({ day }) => day)));
  for (const { table } of tables) writer.number(table.values.length);
  for (const column of ["values", "views", "visitors", "sessions"] as const) {
    const run = new VarintWriter();
    for (const { table } of tables) {
      let before = -1;
      for (const n of table[column]) {
        run.number(column === "values" ? n - before - 1 : n);
        before = n;
      }
    }
    writer.piece(run.end());
  }
}

function readCounts(block: Block, reader: VarintReader, reading: Reading): void {
  let last = -1;
  for (let left = reader.number(DIMENSIONS.length); left > 0; left--) {
    const place = reader.number(DIMENSIONS.length - 1);
    if (place <= last) throw noBlock("its dimensions are not in order");
    last = place;
    const dimension = readDimension(reader, block.month, reading);
    block.dimensions.set(DIMENSIONS[place] as (typeof DIMENSIONS)[number], dimension);
  }
  if (reader.left > 0) throw noBlock("something follows its counts");
}

function readDimension(
  reader: VarintReader,
  month: Month,
  { days: [from, to] = [0, MAX_DAYS], of }: Reading,
): DimensionBlock {
  const count = reader.number(MAX_DICTIONARY);
  const bytes = reader.bytes(reader.number());
  const texts =
    count === 0
      ? []
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
          .toString()
          .split(NUL, count + 1);
  if (texts.length !== count || (count === 0 && bytes.length > 0))
    throw noBlock("its dictionary is not what it says");
  const dimension = new DimensionBlock(texts);
  const [, days] = readDays(reader, month);
  const rows = days.map(() => reader.number(Math.min(count, MAX_VALUES_PER_DAY + 1)));
  const runOf = (isRead: boolean) => {
    const run = reader.piece();
    const columns = days.map((day, i) => {
      if (isRead && day >= from && day <= to) return run.numbers(rows[i] as number);
      run.skip(rows[i] as number);
      return [];
    });
    if (run.left > 0) throw noBlock("it counts more than it says");
    return columns;
  };
  const values = runOf(true);
  for (const column of values) ascending(column, count);
  const views = runOf(of === undefined || of === "views");
  const visitors = runOf(of === undefined || of === "visitors");
  const sessions = runOf(of === undefined || of === "sessions");
  for (const [i, day] of days.entries())
    if (day >= from && day <= to)
      dimension.days[day] = new DayTable(values[i], views[i], visitors[i], sessions[i]);
  return dimension;
}

/** Makes gaps the values that they are between. @throws {RangeError} where one is not below `count` */
function ascending(gaps: number[], count: number): void {
  let before = -1;
  for (let i = 0; i < gaps.length; i++) {
    before += 1 + (gaps[i] as number);
    gaps[i] = before;
  }
  if (before >= count) throw noBlock("it counts what its dictionary has not");
}

function detailOf(detail: Detail): Uint8Array {
  const writer = new VarintWriter();
  writer.number(FORMAT);
  for (const day of detail) {
    writer.number(day?.rows ?? 0);
    if (day === undefined || day.rows === 0) continue;
    writer.number(day.seen);
    writer.number(day.every);
    writer.bytes(day.hours.subarray(0, day.rows));
    writer.bytes(day.bits.subarray(0, day.rows));
    for (const column of day.values) writer.bytes(planesOf(column, day.rows));
  }
  return writer.end();
}

/** All low bytes, then all high bytes. */
function planesOf(column: Uint16Array, rows: number): Uint8Array {
  const planes = new Uint8Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    const value = column[row] as number;
    planes[row] = value;
    planes[rows + row] = value >> 8;
  }
  return planes;
}

/** The values of some rows. @throws {RangeError} where one is above `size` */
function columnOf(planes: Uint8Array, rows: Uint32Array, size: number): Uint16Array {
  const column = new Uint16Array(rows.length);
  const high = planes.length / 2;
  let highest = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const value = (planes[row] as number) | ((planes[high + row] as number) << 8);
    column[i] = value;
    if (value > highest) highest = value;
  }
  if (highest > size) throw noBlock("its detail names what it has not");
  return column;
}

/** The bytes of some rows. @throws {RangeError} where one is above `max` */
function bytesOf(bytes: Uint8Array, rows: Uint32Array, max: number): Uint8Array {
  const column = new Uint8Array(rows.length);
  let highest = 0;
  for (let i = 0; i < rows.length; i++) {
    const byte = bytes[rows[i] as number] as number;
    column[i] = byte;
    if (byte > highest) highest = byte;
  }
  if (highest > max) throw noBlock("its detail is off");
  return column;
}

function readDetail(reader: VarintReader, block: Block, tests: readonly Test[]): Detail {
  const sizes = DETAIL_DIMENSIONS.map((name) => block.dimensions.get(name)?.texts.length ?? 0);
  const days = daysIn(block.month);
  const detail = DAYS.map((day) => {
    const rows = reader.number(day < days ? MAX_DETAIL_ROWS : 0);
    return rows > 0 ? readDay(reader, rows, sizes, tests) : undefined;
  });
  if (reader.left > 0) throw noBlock("something follows its detail");
  return detail;
}

function readDay(
  reader: VarintReader,
  count: number,
  sizes: readonly number[],
  tests: readonly Test[],
): DayDetail {
  const seen = reader.number();
  const every = reader.number(MAX_EVERY);
  if (!Number.isInteger(Math.log2(every)) || count !== Math.ceil(seen / every))
    throw noBlock("its detail is off");
  if (reader.left < count * ROW_BYTES) throw noBlock("its detail is cut");
  const [allHours, allBits] = [reader.bytes(count), reader.bytes(count)];
  const planes = sizes.map(() => reader.bytes(2 * count));
  const column = (place: number, rows: Uint32Array) =>
    columnOf(planes[place] as Uint8Array, rows, sizes[place] as number);
  const all = rowsThatFit(count, () => undefined, []);
  const rows = rowsThatFit(count, (place) => column(place, all), tests);
  return new DayDetail({
    ...{ rows: rows.length, seen, every },
    hours: bytesOf(allHours, rows, NO_HOUR),
    bits: bytesOf(allBits, rows, FLAGS | IS_EVENT),
    values: sizes.map((_, place) => column(place, rows)),
  });
}

function noBlock(why: string): RangeError {
  return new RangeError(`These bytes are no block: ${why}`);
}
