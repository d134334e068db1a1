import { closeSync, openSync, readSync } from "node:fs";
import { type Box, runningRelease, runningSlot } from "./box.ts";
import { type Image, readJournal, writeJournal } from "./journal.ts";
import { hashOnCard } from "./slot.ts";
import { tell } from "./tell.ts";

/**
 * Reads the running root from the card and compares it with what was written there. Nothing wrote what
 * was flashed: of that, the first check says what it is.
 */
export async function checkSlot(box: Box): Promise<void> {
  const [slot, { release }] = [runningSlot(box), runningRelease(box)];
  const { path } = box.slotAt(slot);
  const known = readJournal(box).images?.[slot];
  const image = known?.release === release ? known : undefined;
  const size = image?.size ?? erofsBytes(path);
  const sha256 = size === undefined ? undefined : await hashOf(box, path, size);
  const { rotten: _, ...journal } = readJournal(box);
  if (sha256 === undefined || (image !== undefined && image.sha256 !== sha256))
    writeJournal(box, { ...journal, rotten: slot });
  else if (size !== undefined) {
    const found: Image = { release, size, sha256 };
    writeJournal(box, { ...journal, images: { ...journal.images, [slot]: found } });
  }
  tell(box);
}

/** Undefined when it cannot be read. */
async function hashOf(box: Box, path: string, size: number): Promise<string | undefined> {
  try {
    return await hashOnCard(box, path, size);
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
