import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isThere } from "../base/files.ts";
import type { Slot } from "../release/release.ts";
import { slotOf } from "./boot-config.ts";
import { BOOT, type Box, CONFIG, TRYBOOT } from "./box.ts";

/**
 * The boot partition: FAT, without a journal, and what the firmware starts the box from. vfat writes a
 * renamed entry with the file and not with its folder: both are synced after a rename, and nothing is
 * removed before.
 */

/** The one moment in which it can be written to. */
export async function whileWritable<T>(box: Box, write: () => T | Promise<T>): Promise<T> {
  remount(box, "rw");
  try {
    return await write();
  } finally {
    remount(box, "ro");
  }
}

/**
 * As it is mounted, and not as fstab has it: where a sandbox shows no disks, the one that is named there
 * is not found, and for a `nofail` nothing is done and nothing said.
 */
function remount({ root, run }: Box, how: "rw" | "ro"): void {
  run("mount", "--options-source=mtab", "-o", `remount,${how}`, join(root, BOOT));
}

/** As Latin-1, which keeps every byte. @throws {Error} when it cannot be read */
export function configOf({ root }: Pick<Box, "root">): string {
  return readFileSync(join(root, CONFIG), "latin1");
}

/** Undefined when there is none. */
export function trybootOf({ root }: Pick<Box, "root">): string | undefined {
  const path = join(root, TRYBOOT);
  return isThere(path) ? readFileSync(path, "latin1") : undefined;
}

/** Only beside what it is to replace: it is no harm when it is cut, for nothing is armed yet. */
export function writeTryboot(box: Pick<Box, "root">, config: string): void {
  removeTryboot(box);
  const path = join(box.root, TRYBOOT);
  writeFileSync(path, config, { encoding: "latin1", mode: 0o600, flush: true });
  syncFolder(join(box.root, BOOT));
}

/** Makes what was tried the rule: by one rename, for whatever is written anew was never tried. */
export function keepTryboot({ root }: Pick<Box, "root">): void {
  renameSync(join(root, TRYBOOT), join(root, CONFIG));
  syncFile(join(root, CONFIG));
  syncFolder(join(root, BOOT));
}

/**
 * A power cut in `keepTryboot` may leave the one file under both names. To remove either would give its
 * place on the card away while config.txt is still read from there: config.txt gets another one first.
 */
export function removeTryboot(box: Pick<Box, "root">): void {
  const boot = join(box.root, BOOT);
  const left = leftovers(boot);
  const config = configOf(box);
  if (left.some((path) => readFileSync(path, "latin1") === config)) moveConfig(boot, config);
  for (const path of left) rmSync(path);
  if (left.length > 0) syncFolder(boot);
}

/** Whether an attempt left something there, or what cleaned up after one. */
export function hasLeftovers({ root }: Pick<Box, "root">): boolean {
  return leftovers(join(root, BOOT)).length > 0;
}

function leftovers(boot: string): string[] {
  return ["tryboot.txt", ...MOVED].map((name) => join(boot, name)).filter(isThere);
}

/** Names for a new config.txt. One that a power cut left may be config.txt itself: it is not used again. */
const MOVED = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `config.${number}`);

function moveConfig(boot: string, config: string): void {
  const free = MOVED.map((name) => join(boot, name)).find((path) => !isThere(path));
  if (free === undefined) throw new Error("config.1 to config.9 on the card are in the way.");
  writeFileSync(free, config, { encoding: "latin1", mode: 0o600, flush: true });
  const path = join(boot, "config.txt");
  renameSync(free, path);
  syncFile(path);
  syncFolder(boot);
}

/**
 * Empties the folder of a slot; what says that it is whole goes first.
 * @throws {Error} when it is what config.txt has the box start
 */
export function emptySlot(box: Pick<Box, "root">, slot: Slot): string {
  const named = slotOf(configOf(box));
  if (named === undefined || named === slot)
    throw new Error(`config.txt on the card does not say that ${slot}/ is not in use.`);
  const folder = join(box.root, BOOT, slot);
  if (isThere(folder)) {
    rmSync(join(folder, "release"), { force: true });
    syncFolder(folder);
    for (const name of readdirSync(folder))
      rmSync(join(folder, name), { recursive: true, force: true });
    syncFolder(folder);
  } else mkdirSync(folder);
  syncFolder(join(box.root, BOOT));
  return folder;
}

/**
 * For what nobody starts from: it stays in its place on the card. A rename that is cut would give it two
 * names there, and the place to another file once one of them is removed.
 */
export function overwriteFile(path: string, text: string): void {
  const { O_RDWR, O_CREAT } = constants;
  const file = openSync(path, O_RDWR | O_CREAT, 0o600);
  try {
    ftruncateSync(file, writeSync(file, Buffer.from(text), 0, Buffer.byteLength(text), 0));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

/** A folder is opened and synced like a file. */
export const syncFolder = syncFile;
