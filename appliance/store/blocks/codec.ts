import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { DIMENSIONS, FLAGS } from "../log/record.ts";
import { Block, NO_HOUR } from "./block.ts";
import { DayTable } from "./day-table.ts";
import { DayDetail, DETAIL_DIMENSIONS, type Detail, IS_EVENT, MAX_DETAIL_ROWS } from "./detail.ts";
import { DimensionBlock, MAX_DAYS, MAX_DICTIONARY } from "./dictionary.ts";
import { VarintReader, VarintWriter } from "./varints.ts";

// A block is two pieces of zstd. Counts: format, month, counters (place, then gaps and counts of what
// is not 0), and each dimension: its dictionary, then for each day that has any the values, views,
// visitors and sessions, each as a run of its own, for alike numbers beside each other pack best.
// Detail: format, and for each day that keeps it how many rows, how many were seen, one in how many is
// kept, then column after column, a 16-bit column as its low bytes and its high bytes.

const FORMAT = 1;
const NUL = "\0";
/** Above it, writing costs more than the card gains. */
const LEVEL = 3;
/** What zstd may ask for to unpack: 2 to this power, in bytes. Level 3 asks for 2 MB. */
const MAX_WINDOW_LOG = 23;
/** What a piece may unpack to: 31 days of 50,000 rows of 36 bytes are 56 MB. */
const MAX_COUNTS_BYTES = 32 * 1_048_576;
const MAX_DETAIL_BYTES = 64 * 1_048_576;
const MAX_EVERY = 2 ** 32;
const ROW_BYTES = 2 + 2 * DETAIL_DIMENSIONS.length;

/** A block as an engine keeps it; `detail` is empty where no day keeps any. */
interface BlockBytes {
  readonly counts: Uint8Array;
  readonly detail: Uint8Array;
}

export function encodeBlock(block: Block): BlockBytes {
  return { counts: packed(countsOf(block)), detail: detailOf(block.detail) };
}

/** @throws {RangeError} when the bytes are no block; they never take more than 200 MB of memory */
export function decodeBlock({ counts, detail }: BlockBytes): Block {
  const block = readCounts(new VarintReader(unpacked(counts, MAX_COUNTS_BYTES)));
  if (detail.length > 0)
    block.detail = readDetail(new VarintReader(unpacked(detail, MAX_DETAIL_BYTES)), block);
  return block;
}

function packed(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

function unpacked(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    return zstdDecompressSync(bytes, {
      maxOutputLength,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    });
  } catch (error) {
    throw new RangeError("These bytes are no block: they cannot be unpacked", { cause: error });
  }
}

function countsOf(block: Block): Uint8Array {
  const writer = new VarintWriter();
  writer.number(FORMAT);
  writer.number(block.month);
  writeSparse(writer, block.counters);
  const dimensions = block.inOrder;
  writer.number(dimensions.length);
  for (const [name, dimension] of dimensions) {
    writer.number(DIMENSIONS.indexOf(name));
    writeDimension(writer, dimension);
  }
  return writer.end();
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

function writeDimension(writer: VarintWriter, { texts, days }: DimensionBlock): void {
  const bytes = Buffer.from(texts.join(NUL));
  writer.number(texts.length);
  writer.number(bytes.length);
  writer.bytes(bytes);
  for (const table of days) {
    writer.number(table?.values.length ?? 0);
    if (table === undefined) continue;
    const order = [...table.values.keys()].sort(
      (a, b) => (table.values[a] as number) - (table.values[b] as number),
    );
    let before = -1;
    for (const row of order) {
      const value = table.values[row] as number;
      writer.number(value - before - 1);
      before = value;
    }
    for (const run of [table.views, table.visitors, table.sessions])
      for (const row of order) writer.number(run[row] as number);
  }
}

function readCounts(reader: VarintReader): Block {
  const format = reader.number();
  if (format !== FORMAT) throw noBlock(`its format is ${format}`);
  // The year 2400: no clock of ours goes further.
  const block = new Block(reader.number(430 * 12));
  readSparse(reader, block.counters);
  let last = -1;
  for (let left = reader.number(DIMENSIONS.length); left > 0; left--) {
    const place = reader.number(DIMENSIONS.length - 1);
    if (place <= last) throw noBlock("its dimensions are not in order");
    last = place;
    block.dimensions.set(DIMENSIONS[place] as (typeof DIMENSIONS)[number], readDimension(reader));
  }
  if (reader.left > 0) throw noBlock("something follows it");
  return block;
}

function readSparse(reader: VarintReader, numbers: Float64Array): void {
  let at = -1;
  for (let left = reader.number(numbers.length); left > 0; left--) {
    at += 1 + reader.number(numbers.length);
    if (at >= numbers.length) throw noBlock("it counts what there is not");
    numbers[at] = reader.number();
  }
}

function readDimension(reader: VarintReader): DimensionBlock {
  const count = reader.number(MAX_DICTIONARY);
  const bytes = reader.bytes(reader.number(MAX_COUNTS_BYTES));
  const texts =
    count === 0
      ? []
      : Buffer.from(bytes)
          .toString()
          .split(NUL, count + 1);
  if (texts.length !== count || (count === 0 && bytes.length > 0) || new Set(texts).size !== count)
    throw noBlock("its dictionary is not what it says");
  const dimension = new DimensionBlock(texts);
  for (let day = 0; day < MAX_DAYS; day++) {
    const rows = reader.number(count);
    if (rows > 0) dimension.days[day] = readTable(reader, rows, count);
  }
  return dimension;
}

function readTable(reader: VarintReader, rows: number, count: number): DayTable {
  // Each number has a byte: nobody makes us hold more than came.
  if (4 * rows > reader.left) throw noBlock("it is cut");
  const run = (next: () => number) => Array.from({ length: rows }, next);
  let before = -1;
  const values = run(() => {
    before += 1 + reader.number(count);
    return before;
  });
  if (before >= count) throw noBlock("it counts what its dictionary has not");
  const [views, visitors, sessions] = [0, 0, 0].map(() => run(() => reader.number()));
  return new DayTable(values, views, visitors, sessions);
}

function detailOf(detail: Detail): Uint8Array {
  if (detail.every((day) => day === undefined)) return new Uint8Array();
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
  return packed(writer.end());
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

/** @throws {RangeError} where a value is above `size` */
function columnOf(planes: Uint8Array, rows: number, size: number): Uint16Array {
  const column = new Uint16Array(rows);
  let highest = 0;
  for (let row = 0; row < rows; row++) {
    const value = (planes[row] as number) | ((planes[rows + row] as number) << 8);
    column[row] = value;
    if (value > highest) highest = value;
  }
  if (highest > size) throw noBlock("its detail names what it has not");
  return column;
}

function readDetail(reader: VarintReader, block: Block): Detail {
  const format = reader.number();
  if (format !== FORMAT) throw noBlock(`the format of its detail is ${format}`);
  const sizes = DETAIL_DIMENSIONS.map((name) => block.dimensions.get(name)?.texts.length ?? 0);
  const detail = Array.from({ length: MAX_DAYS }, () => {
    const rows = reader.number(MAX_DETAIL_ROWS);
    return rows > 0 ? readDay(reader, rows, sizes) : undefined;
  });
  if (reader.left > 0) throw noBlock("something follows its detail");
  return detail;
}

function readDay(reader: VarintReader, rows: number, sizes: readonly number[]): DayDetail {
  const seen = reader.number();
  const every = reader.number(MAX_EVERY);
  if (seen < rows || !Number.isInteger(Math.log2(every))) throw noBlock("its detail is off");
  if (reader.left < rows * ROW_BYTES) throw noBlock("its detail is cut");
  const hours = reader.bytes(rows).slice();
  const bits = reader.bytes(rows).slice();
  if (hours.some((hour) => hour > NO_HOUR) || bits.some((bit) => bit > (FLAGS | IS_EVENT)))
    throw noBlock("its detail is off");
  const values = sizes.map((size) => columnOf(reader.bytes(2 * rows), rows, size));
  return new DayDetail({ rows, seen, every, hours, bits, values });
}

function noBlock(why: string): RangeError {
  return new RangeError(`These bytes are no block: ${why}`);
}
