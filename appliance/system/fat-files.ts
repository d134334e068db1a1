import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { isThere, sizeOf, syncNow } from "./files.ts";
import type { Run } from "./program.ts";

/**
 * Files on a FAT, which has no journal: the entry that names a file and the table that gives out places
 * on the card are written one after the other. No name may ever lead to a place that is free. The next
 * file would get it, a kernel perhaps, and whoever then writes to that name, or removes it, would
 * destroy that file. So a place is given away only once no name on the card leads there, and what can
 * be is written where it is.
 */

/**
 * As it is mounted, and not as fstab has it: where a sandbox shows no disks, the one that is named there
 * is not found, and for a `nofail` nothing is done and nothing said.
 */
export function remount(folder: string, run: Run, how: "rw" | "ro"): void {
  run("mount", "--options-source=mtab", "-o", `remount,${how}`, folder);
}

/**
 * Renames a file, over another one too; it is so on the card when this returns. vfat writes a renamed
 * entry with the file and not with its folder: both are synced.
 */
export function moveFile(from: string, to: string): void {
  whileHeld(isThere(to) ? [to] : [], () => {
    renameSync(from, to);
    syncNow(to);
    syncNow(dirname(to));
  });
}

/** Removes files, and folders with all in them, from one folder. */
export function removeFiles(paths: readonly string[]): void {
  const [first] = paths;
  if (first === undefined) return;
  whileHeld(paths, () => {
    for (const path of paths) rmSync(path, { recursive: true });
    syncNow(dirname(first));
  });
}

/** Of a file that is open, the place is not given away: it may have lost its name in memory only. */
function whileHeld(paths: readonly string[], work: () => void): void {
  const held = paths.map((path) => openSync(path, "r"));
  try {
    work();
  } finally {
    for (const file of held) closeSync(file);
  }
}

/**
 * Puts other content into the place of a file: the old or the new one is there, whenever the power goes.
 * @param spares names for it until then. One that a power cut left may be the file itself: it is not
 * used again
 */
export function rewriteFile(
  path: string,
  content: string | Buffer,
  spares: readonly string[],
): void {
  const spare = spares.find((each) => !isThere(each));
  if (spare === undefined)
    throw new Error(`Remove ${spares.map((each) => basename(each)).join(", ")} from the card.`);
  writeFileSync(spare, content, { mode: 0o600, flush: true });
  moveFile(spare, path);
}

/**
 * Removes what was left beside a file. A rename that was cut may have left it the file's own name: then
 * the file gets another place first.
 * @param spares as for `rewriteFile`
 * @param wipe is called with each before it is removed
 */
export function removeBeside(
  path: string,
  left: readonly string[],
  spares: readonly string[],
  wipe: (path: string) => void = () => {},
): void {
  if (left.length === 0) return;
  whileHeld([path, ...left].filter(isThere), () => {
    if (left.some((other) => isSame(path, other))) rewriteFile(path, readFileSync(path), spares);
    for (const other of left) wipe(other);
    removeFiles(left);
  });
}

function isSame(path: string, other: string): boolean {
  const [size, otherSize] = [sizeOf(path), sizeOf(other)];
  if (size === undefined || size !== otherSize || size > MOST_REWRITTEN) return false;
  return readFileSync(path).equals(readFileSync(other));
}

/** No larger file is renamed here. */
const MOST_REWRITTEN = 1_048_576;

/**
 * For a text that no start depends on, and that is short: it stays in its place on the card, where
 * a power cut can spoil nothing else. The image brings the file, so that none has to be made.
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
  syncNow(dirname(path));
}
