import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { isThere, replaceFile, sizeOf } from "../base/files.ts";

/** Ends the name of a file with secrets that is about to be wiped. */
export const OLD = ".old-with-secrets";

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
  const size = sizeOf(path);
  // People make folders of any name; there is no text of ours in them.
  if (size !== undefined) overwrite(path, size);
  rmSync(path, { recursive: true });
}

function overwrite(path: string, size: number): void {
  const blank = Buffer.alloc(Math.min(size, WIPED_AT_ONCE), "#");
  const file = openSync(path, "r+");
  for (let at = 0; at < size; at += blank.length)
    writeSync(file, blank, 0, Math.min(blank.length, size - at), at);
  fsyncSync(file);
  closeSync(file);
}

const WIPED_AT_ONCE = 64 * 1024;
