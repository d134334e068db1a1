import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { moveFile, removeBeside, removeFiles, rewriteFile } from "../../base/system/fat-files.ts";
import { isThere, NEW, sizeOf } from "../../base/system/files.ts";

/** Ends the name of a file with secrets that is about to be wiped. */
const OLD = ".old-with-secrets";

/** The name that a power cut may have left a file under. */
export function otherNameOf(path: string): string {
  return path + OLD;
}

/**
 * Replaces the content of a file, and wipes the old one. FAT has no replacing rename, so for a moment only the old file
 * exists, under another name: see `mendFile`.
 */
export function replaceSecretFile(path: string, rewritten: string): void {
  moveFile(path, path + OLD);
  rewriteFile(path, rewritten, sparesOf(path));
  removeOld(path);
}

/** Removes a file and wipes its content. After a power cut `endRemoval` does the rest. */
export function removeSecretFile(path: string): void {
  moveFile(path, path + OLD);
  removeOld(path);
}

/** Ends a removal that a power cut broke off. */
export function endRemoval(path: string): void {
  if (!isThere(path) && isThere(path + OLD)) removeOld(path);
}

function removeOld(path: string): void {
  wipe(path + OLD);
  removeFiles([path + OLD]);
}

export function hasSpares(path: string): boolean {
  return isThere(path + OLD) || sparesOf(path).some(isThere);
}

/**
 * Repairs a file after a power cut: takes it back from its other name, and wipes leftovers beside it. The content from
 * before stays, unless `isKept`.
 */
export function mendFile(path: string, isKept: boolean): void {
  if (isThere(path + OLD) && !isThere(path)) moveFile(path + OLD, path);
  const [spares, old] = [sparesOf(path), isKept ? [path + OLD] : []];
  removeBeside(path, [...old, ...spares].filter(isThere), spares, wipe);
}

/** Names for the replacement of a file. */
export function sparesOf(path: string): string[] {
  return [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${path}${NEW}${number}`);
}

/** A removed file's text stays on the card. */
function wipe(path: string): void {
  const size = sizeOf(path);
  // People make folders of any name; there is no text of ours in them.
  if (size === undefined) return;
  const blank = Buffer.alloc(Math.min(size, WIPED_AT_ONCE), "#");
  const file = openSync(path, "r+");
  for (let at = 0; at < size; at += blank.length)
    writeSync(file, blank, 0, Math.min(blank.length, size - at), at);
  fsyncSync(file);
  closeSync(file);
}

const WIPED_AT_ONCE = 64 * 1024;
