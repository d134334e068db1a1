import type { Counter } from "../counting.ts";
import { DIMENSIONS, type Dimension } from "../log/record.ts";
import type { BlockPieces } from "../snapshot.ts";
import { BlockReader } from "./block-reader.ts";
import { BlockWriter, decodeBlock } from "./codec.ts";
import { compactBlock, type Kept } from "./compact.ts";
import { mergeInto } from "./merge.ts";
import type { Month } from "./month.ts";

/** Dimensions that take no more than this unpacked are merged together: in objects they take some eight times it. */
const GROUP_BYTES = 2 * 1_048_576;

/** Blocks of a month as one, of what is kept. */
interface Merged {
  readonly pieces: BlockPieces;
  /** Days of the month that hold anything: bit 0 for the first. */
  readonly days: number;
  /** By counter, what was counted on days that are not kept. */
  readonly gone: ReadonlyMap<Counter, number>;
}

/**
 * Merges blocks of a month as they are kept into one, some dimensions after the others: a month with all that it
 * may hold takes hundreds of megabytes as objects.
 * @param rows one at least
 * @throws {RangeError} when the bytes are no block
 */
export function mergeRows(month: Month, rows: readonly BlockPieces[], kept: Kept): Merged {
  const blocks = rows.map((row) => ({ ...row, month }));
  const writer = new BlockWriter();
  let merged: Omit<Merged, "pieces"> | undefined;
  for (const names of groupsOf(blocks.map((block) => new BlockReader(block)))) {
    const hasRows = merged === undefined;
    const [first, ...others] = blocks.map((block) => decodeBlock(block, { names, hasRows }));
    if (first === undefined) throw new RangeError("There is nothing to merge");
    for (const other of others) mergeInto(first, other);
    const { block, gone } = compactBlock(first, kept);
    if (merged === undefined) writer.begin(block);
    writer.dimensions(block);
    merged ??= { days: block.days, gone };
  }
  return { pieces: writer.end(), ...(merged ?? { days: 0, gone: new Map() }) };
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
