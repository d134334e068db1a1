import { existsSync, renameSync, rmSync } from "node:fs";
import { syncNow } from "../../../base/system/files.ts";
import { syncFolderOf } from "../database.ts";

/**
 * Replaces a database by another one, and takes that back. These files may exist at any moment, also after
 * a power cut in the middle, with `old` for `<file>.before-restore`:
 *
 * | `old` | file | what it means                                                     |
 * | ----- | ---- | ----------------------------------------------------------------- |
 * | no    | any  | nothing is going on                                               |
 * | yes   | no   | cut between the two renames: `old` is put back                    |
 * | yes   | yes  | the file is new and on trial, until a start with it came up whole |
 *
 * A write-ahead log belongs to the file with its name. The log of the old file is moved after it, and back
 * before it, so that no log is ever taken for that of another file.
 */

/** Suffixes of the files that SQLite keeps beside a database. */
const COMPANIONS = ["-wal", "-shm", "-journal"] as const;

function oldOf(file: string): string {
  return `${file}.before-restore`;
}

function replacedOf(file: string): string {
  return `${file}.replaced`;
}

/**
 * Replaces `file`, which no process may have open, by `incoming`, closed and complete, and puts it on trial.
 * Where `file` is on trial itself, it is removed, and the database before it is kept.
 */
export function swapIn(incoming: string, file: string): void {
  syncNow(incoming);
  if (existsSync(oldOf(file))) removeCompanions(file);
  else if (existsSync(file)) moveAway(file, oldOf(file));
  renameSync(incoming, file);
  syncFolderOf(file);
}

/** Moves a database that no process has open, with the log that belongs to it. */
export function moveAway(file: string, to: string): void {
  renameSync(file, to);
  syncFolderOf(file);
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${to}-wal`);
  removeCompanions(file);
  syncFolderOf(file);
}

/** Completes or undoes a swap that a power cut interrupted. Call it before opening the file. */
export function resumeSwap(file: string): void {
  if (!existsSync(oldOf(file))) clear(file);
  else if (!existsSync(file)) putBack(file);
}

/** Whether there is data from before a restore to go back to. */
export function mayTakeBack(file: string): boolean {
  return existsSync(oldOf(file));
}

/** Ends the trial, and removes the database from before. */
export function keepNew(file: string): void {
  if (!existsSync(oldOf(file))) return;
  // The rename comes first, in one step: without its log the old database is not worth going back to.
  renameSync(oldOf(file), replacedOf(file));
  syncFolderOf(file);
  clear(file);
}

/** Removes the files of a trial that is over. */
function clear(file: string): void {
  removeCompanions(oldOf(file));
  rmSync(replacedOf(file), { force: true });
}

/** Puts the database from before back after a failed trial. No process may have the file open. */
export function takeBack(file: string): void {
  removeCompanions(file);
  syncFolderOf(file);
  rmSync(file, { force: true });
  syncFolderOf(file);
  if (existsSync(oldOf(file))) putBack(file);
}

function putBack(file: string): void {
  if (existsSync(`${oldOf(file)}-wal`)) renameSync(`${oldOf(file)}-wal`, `${file}-wal`);
  renameSync(oldOf(file), file);
  syncFolderOf(file);
}

/** Removes a database and the files that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  removeCompanions(file);
  rmSync(file, { force: true });
}

function removeCompanions(file: string): void {
  for (const suffix of COMPANIONS) rmSync(file + suffix, { force: true });
}
