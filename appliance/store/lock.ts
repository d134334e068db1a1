import { join } from "node:path";
import Database from "better-sqlite3";
import { isSqliteError } from "./database.ts";

/** The data folder is used by a running service. */
export class DataDirInUse extends Error {}

/**
 * Claims a data folder for one process. SQLite's lock on an empty database serves, for the kernel
 * lets go of it however the process ends.
 * @returns what gives it back
 * @throws DataDirInUse
 */
export function lockDataDir(dataDir: string): () => void {
  const db = new Database(join(dataDir, "service.lock"), { timeout: 0 });
  try {
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
