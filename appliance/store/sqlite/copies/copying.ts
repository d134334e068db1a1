import { existsSync } from "node:fs";
import { type CopyEngine, CopyRefused, type CopyWrites, type Opening } from "../../copy/engine.ts";
import { OWN_SOURCE } from "../../snapshot.ts";
import {
  type Database,
  databaseFile,
  isSqliteError,
  openForReading,
  refuseStrangers,
  storageProblem,
} from "../database.ts";
import { changeFile, readDirectory } from "../documents.ts";
import { openData } from "../health.ts";
import { makeDataDir } from "../lock.ts";
import { putBlock } from "../settle.ts";
import { ofOneMoment, SqliteSnapshot } from "../snapshot.ts";
import { rowsOf, run } from "../sql.ts";

/**
 * The data of a folder, whether a service runs on it or not, as `tallydeck copy` deals with it.
 * @throws {CopyRefused | DatabaseRefused} with a sentence for the owner
 */
export function openFolder(dataDir: string, { isTarget }: Pick<Opening, "isTarget">): CopyEngine {
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
  return engineOf(db, dataDir);
}

function originOf(db: Database): string {
  return String(db.prepare("SELECT value FROM meta WHERE key = 'origin'").pluck().get());
}

function engineOf(db: Database, name: string): CopyEngine {
  const access = accessTo(db);
  return {
    origin: originOf(db),
    name,
    isAway: (error) => isSqliteError(error, "SQLITE_BUSY"),
    problemOf: storageProblem,
    read: (task) => ofOneMoment(db, () => task(access)),
    async write(task) {
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = await task(access);
        db.exec("COMMIT");
        return result;
      } catch (error) {
        if (db.inTransaction) db.exec("ROLLBACK");
        throw error;
      }
    },
    close: async () => {
      db.close();
    },
  };
}

function accessTo(db: Database): CopyWrites {
  return {
    rows: rowsOf(db),
    all: async (statements) => statements.map((statement) => run(db, statement)),
    snapshot: new SqliteSnapshot(db),
    own: () => ({ number: OWN_SOURCE, origin: originOf(db) }),
    directory: () => readDirectory(db),
    change: (wanted) => changeFile(db, wanted),
    put: (block) => putBlock(db, block),
    surveyIds(n) {
      const last = db
        .prepare("SELECT seq FROM sqlite_sequence WHERE name = 'survey'")
        .pluck()
        .get();
      return Array.from({ length: n }, (_, i) => Number(last ?? 0) + 1 + i);
    },
  };
}
