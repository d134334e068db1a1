import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { connect, DatabaseRefused, isSqliteError } from "./database.ts";

/** The data folder is used by a running service. */
export class DataDirInUse extends Error {}

/**
 * Makes a data folder where there is none.
 * @throws DatabaseRefused with a sentence for the owner
 */
export function makeDataDir(dataDir: string): void {
  if (existsSync(dataDir)) return;
  // One after the other: told to make them all, Node never comes back from below /proc.
  makeDataDir(dirname(dataDir));
  try {
    mkdirSync(dataDir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseRefused(
      `The folder ${dataDir} cannot be made (${code}). Name another with --data-dir.`,
    );
  }
}

/**
 * Claims a data folder for one process. SQLite's lock on an empty database serves, for the kernel
 * lets go of it however the process ends.
 * @returns what gives it back
 * @throws DataDirInUse, DatabaseRefused
 */
export function lockDataDir(dataDir: string): () => void {
  const db = connect(join(dataDir, "service.lock"), { timeout: 0 });
  try {
    // No journal on disk: the lock must be had when the disk is full, too.
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (isSqliteError(error, "SQLITE_BUSY"))
      throw new DataDirInUse(
        `A Tallydeck service is running on ${dataDir}. Stop it first, or name another folder with --data-dir.`,
      );
    throw error;
  }
  return () => db.close();
}
