import { createHash } from "node:crypto";
import { closeSync, constants, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import type { Part } from "../../base/release/manifest.ts";
import type { Slot } from "../../base/release/release.ts";
import { type Box, runningRelease, runningSlot } from "./box.ts";
import type { PartFile } from "./bundles.ts";
import { type Journal, readJournal, writeJournal } from "./journal.ts";
import { writeState } from "./state.ts";

/** The first bytes, with the superblock, without which there is no file system. */
const HEAD = 4_096;
/** Bytes between two syncs, so that unwritten data does not fill the memory of a small board. */
const SYNC_BYTES = 16 * 1_048_576;

/** Takes the number of bytes that are done. */
type Progress = (done: number) => void;

/**
 * Invalidates the content of a slot, before anything is written there. @throws {Error} when it is in
 * use
 */
export function invalidateSlot(box: Box, slot: Slot): void {
  withSlotFile(box, slot, (file) => {
    writeAll(file, Buffer.alloc(HEAD), 0);
    fsyncSync(file);
  });
}

/**
 * Writes a root into an invalid slot, which becomes valid at the end, after the check of its hash.
 * @throws {Error} when the slot is in use
 * @throws {Refusal} `invalid_release` when the file was changed
 */
export function writeSlot(box: Box, slot: Slot, image: PartFile, progress: Progress): void {
  withSlotFile(box, slot, (file) => {
    let head: Buffer | undefined;
    let [at, synced] = [0, 0];
    for (const piece of image.read()) {
      if (head === undefined) {
        head = piece.subarray(0, HEAD);
        writeAll(file, piece.subarray(HEAD), HEAD);
      } else writeAll(file, piece, at);
      at += piece.length;
      if (at - synced >= SYNC_BYTES) {
        fsyncSync(file);
        synced = at;
      }
      progress(at);
    }
    fsyncSync(file);
    writeAll(file, head ?? Buffer.alloc(0), 0);
    fsyncSync(file);
  });
}

/**
 * Compares the content of the card with the expected one.
 * @throws {Error} with a sentence when it differs
 */
export async function readBack(
  box: Box,
  path: string,
  part: Part,
  progress: Progress = () => {},
): Promise<void> {
  if ((await hashOnCard(box, path, part.size, progress)) !== part.sha256)
    throw new Error(
      "The card did not give back what was written to it: it is worn out. Make a backup, and write the image to another card.",
    );
}

/** @returns the SHA-256 of the first `bytes` bytes, in hexadecimal digits */
async function hashOnCard(
  box: Pick<Box, "fromCard">,
  path: string,
  bytes: number,
  progress: Progress = () => {},
): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  for await (const piece of box.fromCard(path, bytes)) {
    const wanted = piece.subarray(0, bytes - done);
    hash.update(wanted);
    done += wanted.length;
    progress(done);
  }
  return hash.digest("hex");
}

function withSlotFile(box: Box, slot: Slot, work: (file: number) => void): void {
  if (slot === runningSlot(box)) throw new Error("The running system cannot be overwritten.");
  const { O_RDWR, O_EXCL, O_NOFOLLOW } = constants;
  let file: number;
  try {
    // Exclusively, which the kernel refuses for a partition that is mounted.
    file = openSync(box.slotAt(slot).path, O_RDWR | O_EXCL | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    throw new Error("The other slot is mounted: restart the box and try again.");
  }
  try {
    work(file);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

/** Seconds. */
const MONTH = 28 * 86_400;

/** Whether the card was not found well within a month, or the clock was wrong then. */
function isDue({ checkedAt }: Journal, now: number): boolean {
  return checkedAt === undefined || now < checkedAt || now - checkedAt >= MONTH;
}

/**
 * Reads the running root from the card, unless a recent check was successful, and compares its hash. A flashed image
 * has no hash yet: the first check writes it down.
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
  writeState(box);
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
 * The length of an EROFS (https://docs.kernel.org/filesystems/erofs.html, "On-disk details"); undefined
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
