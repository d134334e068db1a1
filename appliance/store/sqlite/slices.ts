import { type BlockKey, type BlockRow, SLICE_BYTES, type SlicedBytes } from "../snapshot.ts";
import type { Database } from "./database.ts";

// A piece of a block that is longer than SLICE_BYTES has its first slice in the row of its block, and the others
// in rows of their own: SQLite reads a value whole.

/** The pieces that may be so long. */
const SLICED = ["counts", "detail"] as const;
export type SlicedPiece = (typeof SLICED)[number];

/** Slices from a file, which are read without waiting. */
interface SqliteSlices extends SlicedBytes {
  slice(n: number): Uint8Array;
}

/** A SlicedBlock of SQLite. */
export interface SqliteBlock extends BlockKey {
  readonly counters: Uint8Array;
  readonly counts: Uint8Array | SqliteSlices;
  readonly detail: Uint8Array | SqliteSlices;
}

/** SQL for the bytes that the slices of a row of `block` take, but for the first. */
export function beyond(piece?: SlicedPiece): string {
  const ofPiece = piece === undefined ? "" : `AND slice.piece = '${piece}'`;
  return `(SELECT coalesce(sum(length(bytes)), 0) FROM slice
    WHERE (slice.site, slice.month, slice.source, slice.part) =
      (block.site, block.month, block.source, block.part) ${ofPiece})`;
}

/** Bytes of a row of `block`, slices included, in SQL. */
export const BYTES = `(length(counters) + length(counts) + length(detail) + ${beyond()})`;

/** A piece with access to all its slices. */
export function sliced(
  db: Database,
  { site, month, source, part }: BlockKey,
  piece: SlicedPiece,
  first: Uint8Array,
): Uint8Array | SqliteSlices {
  if (first.length < SLICE_BYTES) return first;
  const key = [site, month, source, part, piece];
  const others = db.prepare(`SELECT coalesce(sum(length(bytes)), 0) ${OF_PIECE}`).pluck();
  const read = db.prepare(`SELECT bytes ${OF_PIECE} AND n = ?`).pluck();
  return {
    length: first.length + (others.get(key) as number),
    first,
    slice: (n: number) => (read.get(...key, n) as Uint8Array | undefined) ?? NOTHING,
  };
}

const NOTHING = new Uint8Array();
const OF_PIECE =
  "FROM slice WHERE site = ? AND month = ? AND source = ? AND part = ? AND piece = ?";

/** A whole piece, with zeros where it is shorter than its length says. */
export function wholeOf(bytes: Uint8Array | SqliteSlices): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  const whole = new Uint8Array(bytes.length);
  whole.set(bytes.first);
  for (let at = SLICE_BYTES, n = 1; at < whole.length; at += SLICE_BYTES, n++)
    whole.set(bytes.slice(n).subarray(0, whole.length - at), at);
  return whole;
}

/** Replaces the slices of a block beyond the first ones. */
export function putSlices(db: Database, block: BlockRow): void {
  const key = [block.site, block.month, block.source, block.part];
  db.prepare("DELETE FROM slice WHERE site = ? AND month = ? AND source = ? AND part = ?").run(key);
  const add = db.prepare(
    "INSERT INTO slice (site, month, source, part, piece, n, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const piece of SLICED)
    for (let n = 1; n * SLICE_BYTES < block[piece].length; n++)
      add.run(...key, piece, n, block[piece].subarray(n * SLICE_BYTES, (n + 1) * SLICE_BYTES));
}
