import { BOUNDS } from "../../base/bounds.ts";
import { OTHER } from "../../base/names.ts";
import type { Counter } from "../counting.ts";
import { DIMENSIONS, type Dimension } from "../log/record.ts";
import type { ValueMap } from "../sites/value-rules.ts";
import type { BlockPieces } from "../snapshot.ts";
import type { Block } from "./block.ts";
import { BlockReader, pieceOf } from "./block-reader.ts";
import { BlockWriter, decodeBlock } from "./codec.ts";
import { ALL_KEPT, compactBlock, type Kept } from "./compact.ts";
import { columnsOf, type DayDetail, DETAIL_COLUMNS, weightOf } from "./detail.ts";
import { MAX_DAYS } from "./dictionary.ts";
import type { Month } from "./month.ts";
import { giveBack } from "./packed-row.ts";
import { renameValues } from "./rename.ts";

/**
 * Adds a part of a month to a block of that month, within the bounds of folding. Below these, the result is as
 * if the records of both had been folded together. A day keeps detail only where both have all of it. The part
 * does not change.
 */
export function mergeInto(block: Block, part: Block): void {
  const columns: MergedColumn[] = [];
  const bare = Array.from({ length: MAX_DAYS }, (_, day) => block.isBare(day) || part.isBare(day));
  block.hold(part.days);
  for (let day = 0; day < MAX_DAYS; day++)
    if (part.hasCounters(day)) {
      const sums = block.countersOf(day);
      for (const [at, n] of part.countersOf(day).entries()) sums[at] = (sums[at] ?? 0) + n;
    }
  for (const [name, { texts, days }] of part.inOrder) {
    const dimension = block.dimension(name);
    for (const [day, table] of days.entries())
      table?.each((value, counts) => dimension.count(day, texts[value] as string, counts));
    const places: (number | undefined)[] = [];
    // A value is added once a row needs it, so that unused ones are not added.
    const placeOf = (value: number) => {
      const text = texts[value] as string;
      places[value] ??= dimension.take(text) ?? dimension.placeOf(OTHER);
      return places[value];
    };
    for (const column of columnsOf(name)) columns.push({ column, placeOf });
  }
  for (const [day, detail] of part.detail.entries())
    if (bare[day]) block.dropDetail(day);
    else if (detail !== undefined) {
      block.detail[day] ??= detail.begun();
      mergeDetail(block.detail[day], detail, columns);
    }
}

interface MergedColumn {
  readonly column: number;
  /** The place of the part's value in the block's dictionary; OTHER's where that is full. */
  readonly placeOf: (value: number) => number;
}

function mergeDetail(into: DayDetail, detail: DayDetail, columns: readonly MergedColumn[]): void {
  // Adding row by row would thin it to the same rate.
  while (into.every < detail.every) into.thin();
  const found = new Uint16Array(DETAIL_COLUMNS.length);
  for (let row = 0; row < detail.rows; row++) {
    for (const { column, placeOf } of columns) {
      const value = detail.values[column]?.[row] ?? 0;
      found[column] = value === 0 ? 0 : placeOf(value - 1) + 1;
    }
    into.add(detail.hours[row] ?? 0, detail.bits[row] ?? 0, found, weightOf(detail, row));
  }
}

/** Dimensions that take no more than this unpacked are merged together: in objects they take some eight times it. */
const GROUP_BYTES = 2 * 1_048_576;

const NO_PIECE = new Uint8Array();
const NO_COUNTERS: ReadonlyMap<Counter, number> = new Map();
const PAST = { today: Number.POSITIVE_INFINITY };

/** The blocks of a month as one, without what is no longer kept. */
interface Merged {
  readonly pieces: BlockPieces;
  /** Days of the month that hold anything: bit 0 for the first. */
  readonly days: number;
  /** Sums of the days that are dropped, by counter. */
  readonly gone: ReadonlyMap<Counter, number>;
}

/**
 * Merges encoded blocks of a month into one, a few dimensions at a time: as objects, the largest month takes
 * hundreds of megabytes.
 * @param rows at least one
 * @param map values that are made one
 * @param isOwn whether nobody needs the rows any more
 * @throws {RangeError} when the bytes are no block
 */
export function mergeRows(
  month: Month,
  rows: readonly BlockPieces[],
  kept: Kept,
  map?: ValueMap,
  isOwn = false,
): Merged {
  const [one, ...others] = rows.map((row) => ({ ...row, month }));
  if (one === undefined) throw new RangeError("There is nothing to merge");
  // One within the limit stays so, and is read once.
  const frees = isOwn && others.length === 0 && new BlockReader(one).largest <= BOUNDS.blocks.bytes;
  const writer = new BlockWriter();
  let merged: Omit<Merged, "pieces"> | undefined;
  for (const names of groupsOf([one, ...others].map((block) => new BlockReader(block)))) {
    const decoding = { names, hasRows: merged === undefined };
    const first = decodeBlock(one, decoding);
    for (const other of others) {
      const part = decodeBlock(other, decoding);
      mergeInto(first, part);
      letGo(part);
    }
    if (map !== undefined) renameValues(first, map);
    const { block, gone } =
      kept === ALL_KEPT ? { block: first, gone: NO_COUNTERS } : compactBlock(first, kept);
    if (merged === undefined) writer.begin(block);
    else writer.shrink();
    writer.dimensions(block);
    merged ??= { days: block.days, gone };
    letGo(first, block);
    for (const name of frees ? names : [])
      giveBack(one.pieces.get(pieceOf(DIMENSIONS.indexOf(name))) ?? NO_PIECE);
  }
  // A restore refuses larger blocks: the limits for past days then hold for the last days, too.
  if (writer.largest > BOUNDS.blocks.bytes && kept.today < PAST.today)
    return mergeRows(month, rows, { ...kept, ...PAST }, map);
  return { pieces: writer.end(), ...(merged ?? { days: 0, gone: NO_COUNTERS }) };
}

/** Frees the detail of blocks at once: V8 would collect nothing before there are some 100 MB. */
function letGo(...blocks: readonly Block[]): void {
  for (const { detail } of blocks)
    for (const day of detail)
      for (const column of day === undefined ? [] : [day.hours, day.bits, ...day.values])
        giveBack(column);
}

/** Dimensions that are merged together; one group at least. */
function groupsOf(readers: readonly BlockReader[]): ReadonlySet<Dimension>[] {
  const groups: Set<Dimension>[] = [new Set()];
  let bytes = 0;
  for (const name of DIMENSIONS) {
    const its = readers.reduce((sum, reader) => sum + reader.bytesOf(name), 0);
    if (bytes > 0 && bytes + its > GROUP_BYTES) {
      groups.push(new Set());
      bytes = 0;
    }
    groups.at(-1)?.add(name);
    bytes += its;
  }
  return groups;
}
