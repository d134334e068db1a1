import { existsSync } from "node:fs";
import { type CopyEngine, CopyRefused, type Opening } from "../../copy/engine.ts";
import {
  databaseFile,
  isSqliteError,
  openForReading,
  refuseStrangers,
  storageProblem,
} from "../database.ts";
import { SqliteDb } from "../db.ts";
import { openData } from "../health.ts";
import { makeDataDir } from "../lock.ts";

/**
 * The data of a folder, whether a service runs on it or not, as `tallydeck copy` deals with it.
 * @throws {CopyRefused | DatabaseRefused} with a sentence for the owner
 */
export async function openFolder(
  dataDir: string,
  { isTarget }: Pick<Opening, "isTarget">,
): Promise<CopyEngine> {
  const file = databaseFile(dataDir);
  if (isTarget) makeDataDir(dataDir);
  else if (!existsSync(file)) throw new CopyRefused(`There is no data of Tallydeck in ${dataDir}.`);
  if (!isTarget) refuseStrangers(file);
  // A source is migrated, too: it may be of an older version.
  let db = openData(file);
  // A card may have bent it.
  db.exec("INSERT OR IGNORE INTO meta (key, value) VALUES ('origin', lower(hex(randomblob(8))))");
  if (!isTarget) {
    db.close();
    db = openForReading(file);
  }
  const own = new SqliteDb(db);
  return {
    origin: (await own.transaction((sql) => sql.own(), { read: true })).origin,
    name: dataDir,
    db: own,
    server: async () => "",
    isAway: (error) => isSqliteError(error, "SQLITE_BUSY"),
    problemOf: storageProblem,
    close: () => own.close(),
  };
}
