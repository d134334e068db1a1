import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import {
  checkIntegrity,
  DatabaseRefused,
  emptyLog,
  isSqliteError,
  openForReading,
  openForWriting,
  syncFolderOf,
} from "./database.ts";

/** What stays with a box: no backup holds it, and no restore changes it. */
const OWN_TABLES = ["push_token", "session"] as const;

/**
 * Copies the database `source` to `target` as of one moment, while others write; without push
 * tokens and sessions. `target` appears complete and checked, or not at all.
 * @throws DatabaseRefused
 */
export function backUp(source: string, target: string): void {
  if (isSameFile(source, target))
    throw new DatabaseRefused(`${target} is the data itself. Name another file.`);
  const partial = `${target}.partial`;
  remove(partial);
  try {
    const db = openForReading(source);
    try {
      db.prepare("VACUUM INTO ?").run(partial);
    } finally {
      db.close();
    }
    leaveOutOwn(partial);
    check(partial);
    putInPlace(partial, target);
  } finally {
    remove(partial);
  }
}

/**
 * Puts a backup in the place of the database `target`, which nobody may have open. Until the very
 * last step the old data is untouched.
 * @throws DatabaseRefused when `source` is damaged, not ours or from a newer version
 */
export function restore(source: string, target: string): void {
  if (!existsSync(source)) throw new DatabaseRefused(`There is no file ${source}.`);
  const incoming = `${target}.incoming`;
  remove(incoming);
  try {
    copyFileSync(source, incoming);
    makeReady(incoming);
    swapIn(incoming, target);
  } catch (error) {
    if (!(error instanceof DatabaseRefused)) throw error;
    // People know the file they named, not our copy of it.
    throw new DatabaseRefused(error.message.replaceAll(incoming, source));
  } finally {
    remove(incoming);
  }
}

/**
 * Checks a copy of a backup and brings it to the present schema: what takes long of a restore.
 * @throws DatabaseRefused when it is damaged, not ours or from a newer version
 */
export function makeReady(incoming: string): void {
  check(incoming);
  leaveOutOwn(incoming);
}

/**
 * Puts a database that was made ready in the place of `target`, which nobody may have open. What
 * belongs to this box stays.
 */
export function swapIn(incoming: string, target: string): void {
  if (existsSync(target)) {
    foldInLog(target);
    keepOwn(target, incoming);
  }
  putInPlace(incoming, target);
}

function leaveOutOwn(file: string): void {
  const db = openForWriting(file);
  try {
    for (const table of OWN_TABLES) db.exec(`DELETE FROM ${table}`);
    // One file, that needs no log beside it to be read.
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

function keepOwn(from: string, to: string): void {
  const db = openForWriting(to);
  try {
    db.prepare("ATTACH ? AS box").run(from);
    db.transaction(() => {
      for (const table of OWN_TABLES)
        db.exec(`INSERT INTO main.${table} SELECT * FROM box.${table}`);
    })();
    emptyLog(db);
  } catch (error) {
    // Data that cannot be read is what a restore is for.
    if (!isSqliteError(error, "SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_ERROR")) throw error;
  } finally {
    db.close();
  }
}

function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((file) => statSync(file, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

function check(file: string): void {
  const db = openForReading(file);
  try {
    if (db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0)
      throw new DatabaseRefused(`${file} is empty. Name a file that \`tallydeck backup\` made.`);
    checkIntegrity(db, file);
  } finally {
    db.close();
  }
}

/** Brings a database to the present schema, and all that is in its log into the file itself. */
function settle(file: string): void {
  const db = openForWriting(file);
  try {
    emptyLog(db);
  } finally {
    db.close();
  }
}

/** A log or journal left beside would be replayed into the file that takes this one's place. */
function foldInLog(file: string): void {
  try {
    settle(file);
  } catch (error) {
    // Data that cannot be read is what a restore is for.
    if (!(error instanceof DatabaseRefused)) throw error;
  }
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
}

function putInPlace(from: string, to: string): void {
  const file = openSync(from, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(from, to);
  syncFolderOf(to);
}

function remove(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
}
