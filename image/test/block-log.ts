import { closeSync, fstatSync, openSync, readSync } from "node:fs";

export const SECTOR = 512;

/** A command of a machine to its disk: a write of whole sectors, or a flush. */
export interface Told {
  /** In sectors of 512 bytes from the start of the disk. */
  readonly at: number;
  /** Empty for a mere flush. */
  readonly data: Buffer;
  /** Whether all earlier writes are on the disk before this one. */
  readonly isFlush: boolean;
  /** It is on the disk itself when it is answered. */
  readonly isForced: boolean;
}

const FLUSH = 1n;
const FORCED = 2n;
const DISCARD = 4n;
const MAGIC = 0x6a736677736872n;

/**
 * The entries of a log of dm-log-writes, which QEMU's `blklogwrites` makes, that touch some sectors of the
 * disk, and all flushes (Linux, Documentation/admin-guide/device-mapper/log-writes.rst).
 * @throws {Error} when the file is no such log
 */
export function* readBlockLog(
  file: string,
  { from, to }: { from: number; to: number },
): Generator<Told> {
  const log = openSync(file, "r");
  try {
    const head = bytesAt(log, 0, SECTOR);
    if (head.readBigUInt64LE(0) !== MAGIC) throw new Error(`${file} is no log of a disk's writes`);
    const size = head.readUInt32LE(24);
    const end = fstatSync(log).size;
    // The head's count is written now and then only: what follows an entry is one while it can be.
    for (let at = size; at + size <= end; ) {
      const entry = bytesAt(log, at, SECTOR);
      const [sector, count, flags] = [0, 8, 16].map((offset) => entry.readBigUInt64LE(offset));
      if (sector === undefined || count === undefined || flags === undefined) return;
      if (flags === 0n && count === 0n) return;
      const isDiscard = (flags & DISCARD) !== 0n;
      const start = (Number(sector) * size) / SECTOR;
      const bytes = isDiscard ? 0 : Number(count) * size;
      const isHere = bytes > 0 && start >= from && start < to;
      const isFlush = (flags & FLUSH) !== 0n;
      if (isHere || isFlush)
        yield {
          at: start,
          data: isHere ? bytesAt(log, at + size, bytes) : Buffer.alloc(0),
          isFlush,
          isForced: (flags & FORCED) !== 0n,
        };
      at += size + bytes;
    }
  } finally {
    closeSync(log);
  }
}

function bytesAt(file: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, at);
  return buffer;
}
