import { actAsOwnerOf, asOwnerOf } from "../../../base/system/owner.ts";
import type { Desk, Erased, LocalDesk } from "../../engine.ts";
import { writeIn } from "../../engine-writes.ts";
import type { QueryInput, QueryName, QueryResult } from "../../queries.ts";
import { type Directory, readDirectory } from "../../sites/directory.ts";
import type { WriteInput, WriteName, WriteResult } from "../../writes.ts";
import { databaseFile, emptyWal } from "../database.ts";
import { SqliteDb } from "../db.ts";
import { openData, openDataToLook } from "../health.ts";
import { makeDataDir } from "../lock.ts";
import { fileReads } from "../reads.ts";
import { withBallast } from "../room.ts";
import { eraseSites } from "../upkeep.ts";

/** The file of a data folder, opened for a command. */
export class SqliteDesk implements Desk, LocalDesk {
  readonly #dataDir: string;
  readonly #db: SqliteDb;

  private constructor(dataDir: string, db: SqliteDb) {
    this.#dataDir = dataDir;
    this.#db = db;
  }

  /** @throws {DatabaseRefused} */
  static toLook(dataDir: string): SqliteDesk | undefined {
    const db = asOwnerOf(dataDir, () => openDataToLook(databaseFile(dataDir)));
    return db && new SqliteDesk(dataDir, new SqliteDb(db));
  }

  /** @throws {DatabaseRefused} */
  static async toChange(dataDir: string, makesRoom: boolean): Promise<SqliteDesk> {
    const open = () => openData(databaseFile(dataDir));
    const back = actAsOwnerOf(dataDir);
    try {
      makeDataDir(dataDir);
      // Opening takes room, too, which a full disk may lack.
      const db = makesRoom ? await withBallast(dataDir, open) : open();
      return new SqliteDesk(dataDir, new SqliteDb(db));
    } finally {
      back();
    }
  }

  directory(): Promise<Directory> {
    return this.#db.transaction(readDirectory, { read: true });
  }

  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    return fileReads(this.#db).read(query, input);
  }

  write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>> {
    const write = () => this.#db.transaction((sql) => writeIn(sql, name, input));
    return name === "eraseSite" ? withBallast(this.#dataDir, write) : write();
  }

  async collectors(): Promise<[]> {
    return [];
  }

  async eraseCounts(): Promise<Erased> {
    const step = () => this.#db.transaction(eraseSites);
    while (await withBallast(this.#dataDir, step));
    // Erased data must not stay readable in the write-ahead log either.
    return emptyWal(this.#db.file) ? "gone" : "traces";
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}
