import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** Ends the name of a file that is about to take another's place. */
export const NEW = ".new";
/** Ends the name of a file with secrets that is about to be wiped. */
export const OLD = ".old-with-secrets";

/** Either the old content or the new one is there, whenever the power goes. */
export function replaceFile(path: string, content: string, mode: number, group?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const part = path + NEW;
  rmSync(part, { force: true });
  writeFileSync(part, content, { mode, flush: true });
  if (group !== undefined) chownSync(part, 0, group);
  renameSync(part, path);
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * Puts `rewritten` in the place of a file and wipes what was there. FAT cannot hold both under one
 * name, so between two renames there is only the old file, under its other name: see `restoreFile`.
 */
export function replaceSecretFile(path: string, rewritten: string): void {
  renameSync(path, path + OLD);
  replaceFile(path, rewritten, 0o600);
  wipe(path + OLD);
}

/** Brings a file back that a power cut left under its other name only. */
export function restoreFile(path: string): void {
  if (isThere(path + OLD) && !isThere(path)) renameSync(path + OLD, path);
}

/** Overwrites before it removes: a removed file's text stays on the card. */
export function wipe(path: string): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, "#"), 0, size, 0);
  fsyncSync(file);
  closeSync(file);
  rmSync(path);
}

export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function bytesOf(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

export function textOf(path: string): string | undefined {
  const bytes = bytesOf(path);
  return bytes && Buffer.from(bytes).toString("utf8");
}
