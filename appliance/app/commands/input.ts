import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";

/** Whether a file descriptor is a pipe, a socket or a file: not a terminal, nor `/dev/null`. */
export function isPiped(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isFIFO() || found.isSocket() || found.isFile();
  } catch {
    // Closed.
    return false;
  }
}

/** The text that a stream gives, as UTF-8, up to `limit` bytes; the rest is left unread. */
export async function readInput(stream: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString("utf8");
}
