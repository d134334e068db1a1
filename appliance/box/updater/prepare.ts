import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../base/refusal.ts";
import { bootEntries, unpackBoot } from "../../base/release/archive.ts";
import { BOOT_PART, type Manifest, mb, ROOT_PART } from "../../base/release/manifest.ts";
import { otherSlot, parseRelease, type Release, type Slot } from "../../base/release/release.ts";
import { wholeOf } from "../../base/release/tar.ts";
import type { UpdaterWork } from "../../base/release/updater-state.ts";
import { namesIn, sizeOf } from "../../base/system/files.ts";
import { DATA_FORMAT } from "../../store/format.ts";
import { emptySlot, removeTryboot, whileWritable } from "./boot-partition.ts";
import {
  BOOT_FOLDER,
  type Box,
  OWN_BOOT_PART,
  releaseIn,
  runningRelease,
  runningSlot,
} from "./box.ts";
import { bundleFor, PartFile } from "./bundles.ts";
import { type Attempt, type Image, readJournal, writeJournal } from "./journal.ts";
import { invalidateSlot, readBack, writeSlot } from "./slot.ts";
import { modeOf, writeState } from "./state.ts";

/** The answer of a box without a slot to write to. */
const TRIED = "This system is being tried, or only visited: nothing is written meanwhile.";

/** The large files of a release, opened once. */
interface OpenedParts {
  readonly root: PartFile;
  readonly boot: PartFile;
}

/**
 * Writes a release to the slot that does not run, and reads it back. From the first change on until
 * the journal says `prepared`, that slot is nothing; the running one is never touched.
 * @throws {Error} with a sentence; the box goes on as it is
 */
export async function prepare(box: Box, release: number): Promise<void> {
  if (modeOf(box, readJournal(box)) !== "normal") throw new Error(TRIED);
  const slot = otherSlot(runningSlot(box));
  if (isPrepared(box, slot, release)) return;
  // The manifest is read once, so that later changes to the file have no effect.
  const { folder, manifest } = bundleFor(box, release);
  const parts: PartFile[] = [];
  const opened = (part: PartFile) => {
    parts.push(part);
    return part;
  };
  const open = (name: typeof ROOT_PART | typeof BOOT_PART) =>
    opened(new PartFile(join(folder, name), name, manifest.files[name]));
  try {
    const files = { root: open(ROOT_PART), boot: opened(ownCopy(box, open(BOOT_PART))) };
    await verify(box, slot, manifest, files);
    await write(box, slot, manifest, files);
  } finally {
    for (const part of parts) part.close();
  }
}

/**
 * The service may change its file at any time, and of a kernel that is unpacked every part must be
 * the signer's: a slot's root is nothing until its end was verified, boot files are not.
 */
function ownCopy({ root }: Box, boot: PartFile): PartFile {
  const path = join(root, OWN_BOOT_PART);
  rmSync(path, { force: true });
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      for (const piece of boot.read()) writeFileSync(file, piece);
    } finally {
      closeSync(file);
    }
    return new PartFile(path, BOOT_PART, boot.part);
  } finally {
    // An open file stays, for as long as it is open.
    rmSync(path, { force: true });
  }
}

function isPrepared(box: Box, slot: Slot, release: number): boolean {
  const { attempt } = readJournal(box);
  return (
    attempt?.state === "prepared" &&
    attempt.kind === "update" &&
    attempt.to.release === release &&
    releaseIn(box, slot)?.release === release
  );
}

/** Checks the hashes of both files, and the room for them, before anything is changed. */
async function verify(box: Box, slot: Slot, manifest: Manifest, { root, boot }: OpenedParts) {
  const tell = progress(box, "verify", manifest, root.part.size);
  let done = 0;
  for (const piece of root.read()) {
    done += piece.length;
    tell(done);
  }
  let bytes = 0;
  for await (const { name, size, content } of bootEntries(pieces(boot))) {
    bytes += Math.ceil(size / CLUSTER) * CLUSTER;
    if (name === "release") await checkRelease(content, manifest);
  }
  const free =
    box.freeBytes(join(box.root, BOOT_FOLDER)) + bytesIn(join(box.root, BOOT_FOLDER, slot));
  if (bytes + SPARE > free)
    throw new Error(
      `The boot partition lacks ${mb(bytes + SPARE - free)} for ${manifest.version}: remove files from it that are not the box's.`,
    );
}

/** A FAT of this size gives space out in pieces of this. */
const CLUSTER = 4_096;
/** Spare bytes of a boot partition, for folders and files with settings. */
const SPARE = 4 * 1_048_576;

async function checkRelease(content: AsyncIterable<Uint8Array>, { release }: Release) {
  if (parseRelease((await wholeOf(content)).toString())?.release !== release)
    throw new Refusal(
      "invalid_release",
      "The release was made wrongly: its boot files are of another one. Tell who made it.",
    );
}

/** The slot that is written is nothing until all of it was read back. */
async function write(box: Box, slot: Slot, manifest: Manifest, { root, boot }: OpenedParts) {
  const { release, version } = manifest;
  const attempt: Attempt = {
    id: box.newId(),
    kind: "update",
    slot,
    to: { release, version },
    from: runningRelease(box),
    state: "verified",
    // The running release could not read data of this one.
    breaksData: manifest.data.readableBy > DATA_FORMAT.format,
  };
  note(box, attempt);
  try {
    await clear(box, slot);
    invalidateSlot(box, slot);
    const { size } = root.part;
    writeSlot(box, slot, root, progress(box, "write", manifest, size));
    const back = progress(box, "read-back", manifest, size);
    await readBack(box, box.slotAt(slot).path, root.part, back);
    await writeBoot(box, slot, boot);
  } catch (error) {
    const { attempt: _, ...journal } = readJournal(box);
    writeJournal(box, journal);
    throw error;
  }
  note(box, { ...attempt, state: "prepared" }, { release, ...root.part });
}

/**
 * Empties a slot. After a power cut, a file may have a name without clusters. The kernel then makes the partition
 * read-only, but it has removed the name, so a second try can remove the rest.
 */
async function clear(box: Box, slot: Slot): Promise<void> {
  const remove = () => {
    removeTryboot(box);
    emptySlot(box, slot);
  };
  try {
    await whileWritable(box, remove);
  } catch {
    // This follows any error, since Node's rmSync has no code for a read-only file system.
    await whileWritable(box, remove);
  }
}

/** Writes the files to the card one after the other, and then reads all from there. */
async function writeBoot(box: Box, slot: Slot, boot: PartFile): Promise<void> {
  const folder = join(box.root, BOOT_FOLDER, slot);
  const files = await whileWritable(box, async () => {
    const written = await unpackBoot(pieces(boot), folder, slot);
    boot.checkRead();
    return written;
  });
  for (const { name, ...part } of files) await readBack(box, join(folder, name), part);
}

async function* pieces(part: PartFile): AsyncGenerator<Uint8Array> {
  yield* part.read();
}

function note(box: Box, attempt: Attempt, image?: Image): void {
  const { rotten, ...journal } = readJournal(box);
  const images = image && { images: { ...journal.images, [attempt.slot]: image } };
  // The slot is written again, which repairs a rotten one.
  const left = rotten !== undefined && rotten !== attempt.slot && { rotten };
  writeJournal(box, { ...journal, attempt, ...images, ...left });
}

/** Reports the progress, at most as often as a person looks. */
function progress(box: Box, step: UpdaterWork["step"], { release, version }: Release, of: number) {
  let toldAt: number | undefined;
  return (done: number) => {
    if (toldAt === box.now() && done < of) return;
    toldAt = box.now();
    writeState(box, { work: { step, to: { release, version }, done, of } });
  };
}

function bytesIn(folder: string): number {
  return namesIn(folder)
    .map((name) => Math.ceil((sizeOf(join(folder, name)) ?? 0) / CLUSTER) * CLUSTER)
    .reduce((sum, size) => sum + size, 0);
}
