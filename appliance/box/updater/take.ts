import { createReadStream, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { Refusal } from "../../base/refusal.ts";
import { unpackBundle } from "../../base/release/archive.ts";
import { MANIFEST_BYTES, type Manifest, readManifest } from "../../base/release/manifest.ts";
import { SIGNATURE_BYTES } from "../../base/release/minisign.ts";
import { entriesOf, wholeOf } from "../../base/release/tar.ts";
import { removeFiles } from "../../base/system/fat-files.ts";
import { isThere, replaceFile, syncNow } from "../../base/system/files.ts";
import { whileWritable } from "./boot-partition.ts";
import {
  BOOT_FOLDER,
  type Box,
  bundlesAt,
  INCOMING_BUNDLE,
  OWN_BOOT_PART,
  TAKEN_BUNDLE,
} from "./box.ts";
import { CAME_FROM, keysOf, reasonsAgainst, takenIn } from "./bundles.ts";

/** Room that others on the data partition still need. */
const SPARE = 64 * 1_048_576;
/** Seconds of waiting for the lock, since a person may wait for the answer. */
const PATIENCE_S = 20;

/**
 * Moves the newest suitable release from the top of the boot partition to the data partition. It is removed from the
 * card once the copy is complete.
 * @throws {Error} with a sentence when no release is suitable; they stay
 */
export async function takeFromCard(box: Box): Promise<void> {
  const taken = await takeFrom(box, join(box.root, BOOT_FOLDER), "card");
  if (taken === undefined) return;
  await whileWritable(box, () => removeFiles([taken]));
}

/**
 * The same from a USB stick, which stays as it is. It is mounted where only this program sees it, and no
 * longer than that runs.
 * @param device below /dev
 */
export async function takeFromStick(box: Box, device: string): Promise<void> {
  if (!/^sd[a-z]+\d*$/.test(device)) throw new Error(`${device} is no USB stick.`);
  const folder = join(box.root, "run/tallydeck-update/stick");
  mkdirSync(folder, { recursive: true });
  try {
    const own = ["-t", "vfat,exfat", "-o", "ro,nosuid,nodev,noexec"] as const;
    box.run("mount", own, [join(box.root, "dev", device), folder]);
    await takeFrom(box, folder, "stick");
  } catch (error) {
    throw isOfSystem(error) ? new Error(UNREADABLE.stick) : error;
  }
}

/**
 * Copies the release of one file that root names.
 * @throws {Error} with a sentence when it cannot be taken
 */
export async function takeFile(box: Box, path: string): Promise<Manifest> {
  const release = await manifestOf(box, path);
  const letGo = await box.lock(PATIENCE_S);
  if (letGo === undefined)
    throw new Error("The box is busy with a release or its card: try again in some minutes.");
  try {
    if (!isHere(box, release)) await copy(box, path, release, "card");
  } finally {
    letGo();
  }
  return release;
}

/** @returns the file that was copied, or was here before; undefined when there was none */
async function takeFrom(
  box: Box,
  folder: string,
  source: keyof typeof UNREADABLE,
): Promise<string | undefined> {
  let refusal: Error | undefined;
  for (const [path, release] of await newestFirst(box, folder, source)) {
    if (release instanceof Error) refusal ??= release;
    else
      try {
        if (!isHere(box, release)) await copy(box, path, release, source);
        return path;
      } catch (error) {
        refusal ??= about(path, error, source);
      }
  }
  if (refusal !== undefined) throw refusal;
  return undefined;
}

/** Each file with its manifest, or with the reason why it has none. */
async function newestFirst(
  box: Box,
  folder: string,
  source: keyof typeof UNREADABLE,
): Promise<[string, Manifest | Error][]> {
  const found: [string, Manifest | Error][] = [];
  for (const path of bundlesAt(folder))
    try {
      found.push([path, await manifestOf(box, path)]);
    } catch (error) {
      found.push([path, about(path, error, source)]);
    }
  const number = (said: Manifest | Error) => (said instanceof Error ? -1 : said.release);
  return found.sort(([, one], [, other]) => number(other) - number(one));
}

/** Reads only the two small files at the beginning. */
async function manifestOf(box: Box, path: string): Promise<Manifest> {
  const papers: Buffer[] = [];
  for await (const { size, content } of entriesOf(createReadStream(path))) {
    if (size > (papers.length === 0 ? MANIFEST_BYTES : SIGNATURE_BYTES)) break;
    papers.push(await wholeOf(content));
    if (papers.length === 2) break;
  }
  const [manifest, signature] = papers;
  if (manifest === undefined || signature === undefined)
    throw new Refusal("invalid_release", "It is no release of Tallydeck.");
  return readManifest(manifest, signature, keysOf(box));
}

function isHere(box: Box, { release }: Manifest): boolean {
  return takenIn(box)?.release === release;
}

async function copy(
  box: Box,
  path: string,
  { release, version }: Manifest,
  source: keyof typeof UNREADABLE,
): Promise<void> {
  const here = takenIn(box);
  if (here !== undefined && here.release > release)
    throw new Error(
      `${version} is older than ${here.version}, which waits on the box already. In the Web UI, “Not this one” sends that away.`,
    );
  const system = join(box.root, "data/system");
  const [copied, taken] = [join(box.root, INCOMING_BUNDLE), join(box.root, TAKEN_BUNDLE)];
  rmSync(copied, { recursive: true, force: true });
  mkdirSync(copied, { mode: 0o700 });
  try {
    await unpackBundle(createReadStream(path), copied, (manifest, signature) => {
      const read = readManifest(manifest, signature, keysOf(box));
      const [reason] = reasonsAgainst(box, read, Math.max(0, box.freeBytes(system) - SPARE));
      if (reason !== undefined) throw new Error(reason);
      return read;
    });
    replaceFile(join(copied, CAME_FROM), source, 0o600);
    rmSync(taken, { recursive: true, force: true });
    renameSync(copied, taken);
    syncNow(system);
  } catch (error) {
    rmSync(copied, { recursive: true, force: true });
    throw error;
  }
}

/** Removes incomplete copies after a power cut, and bundles that are no longer needed. */
export function clearTaken(box: Box, running: number): void {
  for (const part of [INCOMING_BUNDLE, OWN_BOOT_PART])
    rmSync(join(box.root, part), { recursive: true, force: true });
  const taken = join(box.root, TAKEN_BUNDLE);
  if (isThere(taken) && (takenIn(box)?.release ?? 0) <= running)
    rmSync(taken, { recursive: true, force: true });
}

/** A release that waits, and is not wanted any more. */
export function discardTaken(box: Box, release: number): void {
  if (takenIn(box)?.release === release)
    rmSync(join(box.root, TAKEN_BUNDLE), { recursive: true, force: true });
}

const UNREADABLE = {
  card: "The card cannot be read.",
  stick: "The stick cannot be read, or was pulled out. Put it in again.",
};

function isOfSystem(error: unknown): boolean {
  // Errors of files have the first, errors of failed programs the second.
  return error instanceof Error && ("syscall" in error || "status" in error);
}

function about(path: string, error: unknown, source: keyof typeof UNREADABLE): Error {
  const why = isOfSystem(error) ? UNREADABLE[source] : (error as Error).message;
  return new Error(`${basename(path)} was not taken: ${why}`);
}
