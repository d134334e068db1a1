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
 * Files on a FAT, which has no journal: the directory entry of a file and the allocation table are written one after
 * the other. No entry may ever point to free clusters: another file would get them, perhaps a kernel, and writing to
 * the first file, or removing it, would destroy that one. So clusters are freed only after no entry on the card points
 * to them, and files are overwritten in place where possible.
 */

/**
 * Remounts a folder by its mount, and not by fstab: in a sandbox without disks, the device of fstab is not found, and
 * with `nofail` mount would do nothing without an error.
 */
export function remount(folder: string, run: Run, how: "rw" | "ro"): void {
  run("mount", ["--options-source=mtab", "-o", `remount,${how}`], [folder]);
}

/** Lets work write to a folder that is mounted read-only. */
export function whileFolderWritable(folder: string, run: Run, work: () => void): void {
  remount(folder, run, "rw");
  try {
    work();
  } finally {
    remount(folder, run, "ro");
  }
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

/** Holds files open during work: the clusters of an open file are not reused, and its name may be gone in memory only. */
function whileHeld(paths: readonly string[], work: () => void): void {
  const held = paths.map((path) => openSync(path, "r"));
  try {
    work();
  } finally {
    for (const file of held) closeSync(file);
  }
}

/**
 * Replaces the content of a file. After a power cut there is either the old or the new one.
 * @param spares temporary names. One that a power cut has left may be the file itself, and is not used again
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
 * Removes leftovers beside a file. After an interrupted rename, a leftover may share the clusters of the file: then the
 * file is copied first.
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

/** The largest file that is renamed here. */
const MOST_REWRITTEN = 1_048_576;

/**
 * Overwrites a short text that no start depends on, in its clusters, where a power cut can damage nothing else. The
 * file comes with the image, so that none has to be created.
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
