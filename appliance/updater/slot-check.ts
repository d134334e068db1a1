import { closeSync, openSync, readSync } from "node:fs";
import type { Part } from "../release/manifest.ts";
import { type Box, runningRelease, runningSlot } from "./box.ts";
import { type Journal, readJournal, writeJournal } from "./journal.ts";
import { hashOnCard } from "./slot.ts";
import { tell } from "./tell.ts";

/** Seconds. */
const MONTH = 28 * 86_400;

/** Whether the card was not found well within a month, or the clock was wrong then. */
function isDue({ checkedAt }: Journal, now: number): boolean {
  return checkedAt === undefined || now < checkedAt || now - checkedAt >= MONTH;
}

/**
 * Reads the running root from the card, unless it was well not long ago, and compares it with what was
 * written there. Nothing wrote what was flashed: of that, the first check says what it is.
 */
export async function checkSlot(box: Box): Promise<void> {
  if (!isDue(readJournal(box), box.now())) return;
  const [slot, { release }] = [runningSlot(box), runningRelease(box)];
  const { path } = box.slotAt(slot);
  const known = readJournal(box).images?.[slot];
  const image = known?.release === release ? known : undefined;
  const found = await imageOn(box, path, image?.size);
  const { rotten: _, checkedAt: _before, ...journal } = readJournal(box);
  const checkedAt = box.now();
  const isAsWritten = found && (image === undefined || image.sha256 === found.sha256);
  writeJournal(
    box,
    isAsWritten
      ? { ...journal, images: { ...journal.images, [slot]: { release, ...found } }, checkedAt }
      : { ...journal, rotten: slot },
  );
  tell(box);
}

/** Undefined when it cannot be read, or is none. @param known bytes, where they were noted */
async function imageOn(box: Box, path: string, known?: number): Promise<Part | undefined> {
  try {
    const size = known ?? erofsBytes(path);
    return size === undefined ? undefined : { size, sha256: await hashOnCard(box, path, size) };
  } catch (error) {
    box.warn(String(error));
    return undefined;
  }
}

const SUPERBLOCK = { at: 1_024, magic: 0xe0f5e1e2, blockBits: 12, blocks: 36, length: 128 };

/**
 * How long an EROFS is (https://docs.kernel.org/filesystems/erofs.html, "On-disk details"); undefined
 * when there is none.
 */
function erofsBytes(path: string): number | undefined {
  const bytes = Buffer.alloc(SUPERBLOCK.length);
  const file = openSync(path, "r");
  try {
    readSync(file, bytes, 0, bytes.length, SUPERBLOCK.at);
  } finally {
    closeSync(file);
  }
  if (bytes.readUInt32LE(0) !== SUPERBLOCK.magic) return undefined;
  return bytes.readUInt32LE(SUPERBLOCK.blocks) * 2 ** (bytes[SUPERBLOCK.blockBits] ?? 0);
}
