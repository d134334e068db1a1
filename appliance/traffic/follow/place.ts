import { createHash } from "node:crypto";
import { isObject } from "../../base/input/json.ts";

/** The most bytes by whose hash a file is known again. */
export const HEAD_BYTES = 4_096;

/** The place in a log up to which all was sent, as it is kept. */
export interface Place {
  /** Names the file for good: batches are named after it. */
  readonly file: string;
  readonly inode: number;
  /** The beginning of the file: its length in bytes and hash. A file with another inode and this beginning is a copy. */
  readonly head: { readonly bytes: number; readonly hash: string };
  readonly offset: number;
  /** The end of what was being sent, and may have arrived. */
  readonly pending?: number | undefined;
  /** The time of writing, epoch milliseconds. */
  readonly at: number;
}

export function headHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}

/** A place as it was kept; undefined for anything else. */
export function readPlace(text: string): Place | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !isObject(value.head)) return undefined;
    const { file, inode, head, offset, pending, at } = value;
    const isGood =
      [inode, head.bytes, offset, pending ?? 0, at].every(Number.isSafeInteger) &&
      typeof head.hash === "string" &&
      /^[\w-]{22}$/.test(String(file));
    return isGood ? (value as unknown as Place) : undefined;
  } catch {
    return undefined;
  }
}
