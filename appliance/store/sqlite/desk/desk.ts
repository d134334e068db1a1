import { asOwnerOf } from "../../../base/system/owner.ts";
import type { Change } from "../../changes.ts";
import type { Desk, Erased, LocalDesk } from "../../engine.ts";
import type { QueryInput, QueryName, QueryResult } from "../../queries.ts";
import type { Directory } from "../../sites/directory.ts";
import { isSiteWrite, SITE_WRITES, type SitesPlace } from "../../sites/writes.ts";
import type { EngineWriteName, WriteInput, WriteName, WriteResult } from "../../writes.ts";
import { type Database, databaseFile, emptyWal } from "../database.ts";
import { fileSites, readDirectory, WRITES } from "../documents.ts";
import { openData, openDataToLook } from "../health.ts";
import { makeDataDir } from "../lock.ts";
import { SqliteReads } from "../reads.ts";
import { withBallast } from "../room.ts";
import { eraseSites } from "../upkeep.ts";

/** The file of a data folder, opened for a command. */
export class SqliteDesk implements Desk, LocalDesk {
  readonly #dataDir: string;
  readonly #db: Database;

  private constructor(dataDir: string, db: Database) {
    this.#dataDir = dataDir;
    this.#db = db;
  }

  /** @throws {DatabaseRefused} */
  static toLook(dataDir: string): SqliteDesk | undefined {
    const db = asOwnerOf(dataDir, () => openDataToLook(databaseFile(dataDir)));
    return db && new SqliteDesk(dataDir, db);
  }

  /** @throws {DatabaseRefused} */
  static toChange(dataDir: string, makesRoom: boolean): SqliteDesk {
    const open = () => openData(databaseFile(dataDir));
    const db = asOwnerOf(dataDir, () => {
      makeDataDir(dataDir);
      // Opening takes room, too, which a full disk may lack.
      return makesRoom ? withBallast(dataDir, open) : open();
    });
    return new SqliteDesk(dataDir, db);
  }

  async directory(): Promise<Directory> {
    return readDirectory(this.#db);
  }

  async read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    return (await new SqliteReads(this.#db).read(query, input)) as QueryResult<Q>;
  }

  async write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>> {
    const place = fileSites(this.#db);
    const request = { name, input };
    if (isSiteWrite(request)) {
      const write = SITE_WRITES[request.name] as (on: SitesPlace, how: unknown) => unknown;
      const change = (wanted: Change) =>
        name === "eraseSite"
          ? withBallast(this.#dataDir, () => place.change(wanted))
          : place.change(wanted);
      return (await write({ ...place, change }, input)) as WriteResult<W>;
    }
    const write = WRITES[name as EngineWriteName] as (db: Database, how: unknown) => WriteResult<W>;
    return this.#db.transaction(() => write(this.#db, input)).immediate();
  }

  async collectors(): Promise<[]> {
    return [];
  }

  async eraseCounts(): Promise<Erased> {
    const step = this.#db.transaction(() => eraseSites(this.#db)).immediate;
    while (withBallast(this.#dataDir, step));
    // Erased data must not stay readable in the write-ahead log either.
    return emptyWal(this.#db) ? "gone" : "traces";
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}
