import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { chmod, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Ends the name of a file that is about to take another's place. */
export const NEW = ".new";

/**
 * Replaces a file in a folder that only its owner may enter. After a power cut there is either the old or the new
 * content. It blocks nothing but its caller.
 */
export async function replacePrivateFile(path: string, content: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const part = path + NEW;
  await rm(part, { force: true });
  await writeFile(part, content, { mode: 0o600, flush: true });
  await rename(part, path);
  await syncFolder(folder);
}

/** Files that were made, renamed or removed in a folder are so on the disk, too. */
export async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, "r");
  await opened.sync().finally(() => opened.close());
}

/** The same for a program that does one thing at a time. Others may do what the mode says, whatever the mask of the process. */
export function replaceFile(path: string, content: string, mode: number, group?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const part = path + NEW;
  rmSync(part, { force: true });
  writeFileSync(part, content, { mode, flush: true });
  if ((mode & 0o077) !== 0) chmodSync(part, mode);
  if (group !== undefined) chownSync(part, 0, group);
  renameSync(part, path);
  syncNow(dirname(path));
}

/**
 * Bytes that were written to a file, or names that were made, renamed or removed in a folder, are
 * on the disk when this returns.
 */
export function syncNow(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The size of a regular file; undefined for anything else. */
export function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}

/**
 * The first `most` bytes of a file, which may be of any size; undefined where it is no regular file, or cannot be
 * read.
 */
export function bytesOf(path: string, most: number): Uint8Array | undefined {
  try {
    return sizeOf(path) === undefined ? undefined : head(path, most);
  } catch {
    return undefined;
  }
}

function head(path: string, most: number): Uint8Array | undefined {
  // Another program may put a pipe into its place just now, whose opening would wait for its other end.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(found.size, most));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A file of the system's own or the box's, none of which is larger than this. */
const MOST_TEXT = 4 * 1024 * 1024;

export function textOf(path: string): string | undefined {
  const bytes = bytesOf(path, MOST_TEXT);
  return bytes && Buffer.from(bytes).toString("utf8");
}
