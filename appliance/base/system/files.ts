import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { chmod, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The flags to open a file that another user may replace: by a link, or by a pipe whose opening would wait for its other end. */
export const NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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
  await writeFile(part, content, { mode: 0o600, flag: "wx", flush: true });
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
  const file = openNew(part);
  try {
    writeFileSync(file, content);
    if (group !== undefined) fchownSync(file, 0, group);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(part, path);
  syncNow(dirname(path));
}

/**
 * Opens a new file for writing, which nobody else may read. What was there goes: a user of its folder may have put a link
 * there, or puts one there now, which is not followed.
 * @throws {Error} Node's own, with its code
 */
export function openNew(path: string): number {
  rmSync(path, { force: true });
  return openSync(path, "wx", 0o600);
}

/**
 * Copies a regular file that is open into a new one, which is on the disk when this returns.
 * @param owner of the new one, if not this user
 */
export function copyNew(from: number, to: string, owner?: { uid: number; gid: number }): void {
  const file = openNew(to);
  try {
    const chunk = Buffer.allocUnsafe(COPIED_AT_ONCE);
    for (let at = 0; ; ) {
      const read = readSync(from, chunk, 0, chunk.length, at);
      if (read === 0) break;
      for (let done = 0; done < read; )
        done += writeSync(file, chunk, done, read - done, at + done);
      at += read;
    }
    if (owner !== undefined) fchownSync(file, owner.uid, owner.gid);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const COPIED_AT_ONCE = 1_048_576;

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

/** The names in a folder; none where it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A file of the system's own or the box's, none of which is larger than this. */
const MOST_TEXT = 4 * 1024 * 1024;

/** The first `most` bytes of a file as a text; undefined as for `bytesOf`. */
export function textOf(path: string, most = MOST_TEXT): string | undefined {
  const bytes = bytesOf(path, most);
  return bytes && Buffer.from(bytes).toString("utf8");
}

/** The text of a file of no more than `most` bytes; undefined for a larger one, and as for `bytesOf`. */
export function shortTextOf(path: string, most: number): string | undefined {
  const bytes = bytesOf(path, most + 1);
  return bytes && bytes.length <= most ? Buffer.from(bytes).toString("utf8") : undefined;
}
