import assert from "node:assert/strict";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { readBlockLog, SECTOR } from "./block-log.ts";
import { partition } from "./fat.ts";
import { Fat32 } from "./fat32.ts";

/**
 * Writes to a card what a machine wrote, as far as its power went, sector by sector: until a file of the
 * boot partition has a name, and its place is free. vfat writes the one before the other.
 * @param card as it was when the log began
 */
export function cutWithoutPlace(card: string, log: string, path: string): void {
  const { from, to } = partition(card, 1);
  const file = openSync(card, "r+");
  const read = (sector: number, count: number) => {
    const bytes = Buffer.alloc(count * SECTOR);
    readSync(file, bytes, 0, bytes.length, (from + sector) * SECTOR);
    return bytes;
  };
  try {
    for (const { at, data } of readBlockLog(log, { from: 0, to: Number.MAX_SAFE_INTEGER })) {
      const isBoot = at >= from && at < to;
      const step = isBoot ? SECTOR : data.length;
      for (let offset = 0; offset < data.length; offset += step) {
        writeSync(file, data, offset, step, at * SECTOR + offset);
        if (isBoot && data.length < FILE_BYTES && hasNoPlace(new Fat32(read), path)) return;
      }
    }
  } finally {
    closeSync(file);
  }
  assert.fail(`${path} always had a place`);
}

/** No name and no table is written in so large a piece. */
const FILE_BYTES = 65_536;

function hasNoPlace(fat: Fat32, path: string): boolean {
  try {
    fat.file(path);
    return false;
  } catch (error) {
    return /breaks off/.test(String(error));
  }
}
