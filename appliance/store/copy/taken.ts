import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { DayCounts } from "./difference.ts";

/** What a copy has brought of a day. */
export interface Taken {
  readonly counts: DayCounts;
  /** Tells the state of the source whose all was brought; null where some of it is still missing. */
  readonly hash: Uint8Array | null;
}

/** Far more than the bounds of a day make of it. */
const MAX_BYTES = 32 * 1_048_576;

/**
 * The counts as they are kept: by text, for the numbers of values are of one database, and are
 * folded and given anew. Deflated, a value takes about as much as twice its packed count: paths of a
 * site are alike.
 */
export function encodeTaken(counts: DayCounts): Uint8Array {
  const dimensions = [...counts].map(([dimension, values]) => [dimension, [...values]]);
  return deflateRawSync(JSON.stringify(dimensions));
}

/** @throws {RangeError | SyntaxError} when it is no such blob */
export function decodeTaken(blob: Uint8Array): DayCounts {
  const read: unknown = JSON.parse(
    inflateRawSync(blob, { maxOutputLength: MAX_BYTES }).toString("utf8"),
  );
  if (!Array.isArray(read) || !read.every(isDimension))
    throw new RangeError("this is nothing that a copy has kept");
  return new Map(read.map(([dimension, values]) => [dimension, new Map(values)]));
}

type Dimension = [string, [string, number][]];

function isDimension(value: unknown): value is Dimension {
  return isPair(value) && Array.isArray(value[1]) && value[1].every(isCount);
}

function isCount(value: unknown): boolean {
  return isPair(value) && Number.isSafeInteger(value[1]) && Number(value[1]) >= 0;
}

function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string";
}
