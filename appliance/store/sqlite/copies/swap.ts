import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncNow } from "../../../system/files.ts";
import { syncFolderOf } from "../database.ts";

/**
 * Another database in the place of the one there is, and back. These may stand side by side at any
 * moment, also after a power cut in the middle, with `old` for `<file>.before-restore`:
 *
 * | `old` | file | what it means                                                     |
 * | ----- | ---- | ----------------------------------------------------------------- |
 * | no    | any  | nothing is going on                                               |
 * | yes   | no   | cut between the two renames: `old` is put back                    |
 * | yes   | yes  | the file is new and on trial, until a start with it came up whole |
 *
 * `<file>.starts` counts the starts of a file on trial that have begun: of one that was killed, for its
 * memory or by a power cut, there is no other trace.
 *
 * A write-ahead log belongs to the file it stands beside. That of the old one is moved after it, and
 * back before it, so that no log ever stands beside a file it does not belong to.
 */

/** The files that SQLite keeps beside a database. */
const COMPANIONS = ["-wal", "-shm", "-journal"] as const;

function oldOf(file: string): string {
  return `${file}.before-restore`;
}

function replacedOf(file: string): string {
  return `${file}.replaced`;
}

function startsOf(file: string): string {
  return `${file}.starts`;
}

/**
 * Puts `incoming`, closed and whole, in the place of `file`, which no process may have open: on trial.
 * A database that is on trial already goes for good, and the one before it stays to go back to.
 */
export function swapIn(incoming: string, file: string): void {
  syncNow(incoming);
  rmSync(startsOf(file), { force: true });
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

/**
 * To be called before the file is opened: mends what a power cut left.
 * @returns true when the file is on trial: then comes `keepNew` or `takeBack`
 */
export function resumeSwap(file: string): boolean {
  if (!existsSync(oldOf(file))) {
    clear(file);
    return false;
  }
  if (existsSync(file)) return true;
  putBack(file);
  return false;
}

/** Whether there is data from before a restore to go back to. */
export function mayTakeBack(file: string): boolean {
  return existsSync(oldOf(file));
}

/** Notes that a start with a file on trial begins. @returns how many began before, none of which came up whole */
export function noteStart(file: string): number {
  const before = existsSync(startsOf(file)) ? readFileSync(startsOf(file)).length : 0;
  try {
    writeFileSync(startsOf(file), ".".repeat(before + 1));
    syncNow(startsOf(file));
    syncFolderOf(file);
  } catch {
    // A disk that is full or read-only must not hinder a start.
  }
  return before;
}

/** The trial is over: what was there before goes. */
export function keepNew(file: string): void {
  if (!existsSync(oldOf(file))) return;
  // In one step, and before its log goes: what has lost its log is nothing to go back to.
  renameSync(oldOf(file), replacedOf(file));
  syncFolderOf(file);
  clear(file);
}

/** Removes what a trial that is over leaves behind. */
function clear(file: string): void {
  removeCompanions(oldOf(file));
  for (const left of [replacedOf(file), startsOf(file)]) rmSync(left, { force: true });
}

/** The trial failed: the database from before comes back. No process may have the file open. */
export function takeBack(file: string): void {
  removeCompanions(file);
  syncFolderOf(file);
  rmSync(file, { force: true });
  syncFolderOf(file);
  if (existsSync(oldOf(file))) putBack(file);
  rmSync(startsOf(file), { force: true });
}

function putBack(file: string): void {
  if (existsSync(`${oldOf(file)}-wal`)) renameSync(`${oldOf(file)}-wal`, `${file}-wal`);
  renameSync(oldOf(file), file);
  syncFolderOf(file);
}

/** Removes a database with all that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  removeCompanions(file);
  rmSync(file, { force: true });
}

function removeCompanions(file: string): void {
  for (const suffix of COMPANIONS) rmSync(file + suffix, { force: true });
}
