import { DIMENSIONS, type Dimension } from "../log/record.ts";
import type { BlockPieces } from "../snapshot.ts";
import type { Block } from "./block.ts";
import { BlockReader, type DimensionReader } from "./block-reader.ts";
import { DayTable } from "./day-table.ts";
import { DayDetail, DETAIL_DIMENSIONS, type Detail } from "./detail.ts";
import { DimensionBlock, MAX_DAYS } from "./dictionary.ts";
import { FrameWriter } from "./frames.ts";
import { BITS_KEY, columnKey, countsKey, HOURS_KEY, keyOfDay, textsKey } from "./keys.ts";
import { firstDayOf, type Month } from "./month.ts";
import { VarintWriter } from "./varints.ts";

// A block is three pieces, each of frames (see frames), so that a question reads what it is about and no
// more. Its month stands beside them.
// Counters, one item: days that hold anything (bit 0 for the first), days that have counters, and of each of
// these the counters by hour (how many are not 0, then gaps and counts of those); days that keep detail, and
// of each of these how many rows, views and events there are, and one in how many is kept; days that have
// some and keep none.
// Counts, two items for each dimension: its texts, with a NUL between two; and the days that have any, how
// many values each of these has, and four runs over all of them, each with its length in bytes: the values
// in ascending order by day, as gaps, then views, visitors and sessions. Alike numbers beside each other
// pack best.
// Detail, an item for each day and column: hours, bits, and of each dimension that any row has, one more
// than its place in the dictionary of the counts, or 0: all low bytes, then, where any is above 255, all
// high bytes.

const NUL = "\0";

/**
 * A block as an engine keeps it; a piece without anything in it is empty.
 * @param packs false: whoever reads it does so at once
 */
export function encodeBlock(block: Block, packs = true): BlockPieces {
  return {
    counters: countersOf(block, packs),
    counts: countsOf(block, packs),
    detail: detailOf(block.detail, packs),
  };
}

/**
 * All of a block; of an empty piece, nothing.
 * @throws {RangeError} when the bytes are no block
 */
export function decodeBlock(row: BlockPieces & { readonly month: Month }): Block {
  const reader = new BlockReader(row);
  const block = reader.counters;
  for (const dimension of reader.dimensions()) {
    block.dimensions.set(dimension.name, dimensionOf(dimension));
    reader.release();
  }
  for (let day = 0; day < MAX_DAYS; day++) {
    const sample = reader.sample(day);
    if (sample === undefined) continue;
    block.detail[day] = new DayDetail(firstDayOf(row.month) + day, {
      ...sample,
      // Copies: these lie in what was unpacked.
      hours: Uint8Array.from(reader.hours(day)),
      bits: Uint8Array.from(reader.bits(day)),
      values: DETAIL_DIMENSIONS.map((name) => {
        const column = new Uint16Array(sample.rows);
        reader.column(day, name, column);
        return column;
      }),
    });
    reader.release();
  }
  reader.close();
  return block;
}

/** The same; undefined where nobody can read it: it stays as it is, and so does all of its month. */
export function readBlock(row: BlockPieces & { readonly month: Month }): Block | undefined {
  try {
    return decodeBlock(row);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function dimensionOf({ texts, counts }: DimensionReader): DimensionBlock {
  const dimension = new DimensionBlock(texts.all());
  for (const { day, values, views, visitors, sessions } of counts([0, MAX_DAYS]))
    dimension.days[day] = new DayTable([...values], [...views], [...visitors], [...sessions]);
  return dimension;
}

function countersOf(block: Block, packs: boolean): Uint8Array {
  const writer = new VarintWriter();
  writer.number(block.days);
  const days = DAYS.filter((day) => block.hasCounters(day));
  writer.number(maskOf(days));
  for (const day of days) writeSparse(writer, block.countersOf(day));
  const samples = DAYS.flatMap((day) => {
    const sample = block.detail[day];
    return sample === undefined || sample.rows === 0 ? [] : [{ day, sample }];
  });
  writer.number(maskOf(samples.map(({ day }) => day)));
  for (const { sample } of samples) {
    writer.number(sample.rows);
    writer.number(sample.seen);
    writer.number(sample.every);
  }
  writer.number(maskOf(DAYS.filter((day) => block.isBare(day))));
  const frames = new FrameWriter(packs);
  frames.add(0, writer.end());
  return frames.end();
}

const DAYS: readonly number[] = Array.from({ length: MAX_DAYS }, (_, day) => day);

function maskOf(days: readonly number[]): number {
  return days.reduce((mask, day) => mask | (1 << day), 0);
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

function countsOf(block: Block, packs: boolean): Uint8Array {
  const frames = new FrameWriter(packs);
  for (const [name, dimension] of block.inOrder) writeDimension(frames, name, dimension);
  return frames.end();
}

/** Writes a dimension after those that are before it. */
function writeDimension(
  frames: FrameWriter,
  name: Dimension,
  { texts, days }: DimensionBlock,
): void {
  if (texts.length === 0) return;
  const place = DIMENSIONS.indexOf(name);
  frames.add(textsKey(place), Buffer.from(texts.join(NUL)));
  const tables = DAYS.flatMap((day) => {
    const table = days[day];
    return table === undefined || table.values.length === 0 ? [] : [{ day, table: table.sorted() }];
  });
  const writer = new VarintWriter();
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
  frames.add(countsKey(place), writer.end());
}

function detailOf(detail: Detail, packs: boolean): Uint8Array {
  const frames = new FrameWriter(packs);
  for (const [day, columns] of detail.entries()) {
    if (columns === undefined || columns.rows === 0) continue;
    const { rows, hours, bits, values } = columns;
    frames.add(keyOfDay(day, HOURS_KEY), hours.subarray(0, rows));
    frames.add(keyOfDay(day, BITS_KEY), bits.subarray(0, rows));
    for (const [i, name] of DETAIL_DIMENSIONS.entries()) {
      const planes = planesOf(values[i] as Uint16Array, rows);
      if (planes !== undefined)
        frames.add(keyOfDay(day, columnKey(DIMENSIONS.indexOf(name))), planes);
    }
  }
  return frames.end();
}

/** All low bytes, then all high bytes where any is not 0; undefined where every value is 0. */
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
