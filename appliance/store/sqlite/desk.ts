import { actAsOwnerOf, asOwnerOf } from "../../base/system/owner.ts";
import type { Desk, Erased, LocalDesk } from "../engine.ts";
import { writeIn } from "../engine-writes.ts";
import type { QueryInput, QueryName, QueryResult } from "../reads/reads.ts";
import { BOX_READS } from "../reads/reads.ts";
import { type Directory, readDirectory } from "../sites/directory.ts";
import type { WriteInput, WriteName, WriteResult } from "../writes.ts";
import {
  checkIntegrity,
  databaseFile,
  emptyWal,
  openForReading,
  storageProblem,
} from "./database.ts";
import { SqliteDb } from "./db.ts";
import { openData, openDataToLook } from "./health.ts";
import { makeDataDir } from "./lock.ts";
import { fileReads } from "./reads.ts";
import { DatabaseRefused } from "./refused.ts";
import { withBallast } from "./room.ts";
import { eraseSites } from "./upkeep.ts";

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

/** The contents of a file, or a sentence about why they are unknown. */
type Examined =
  | { readonly sites: number; readonly bodies: readonly unknown[] }
  | { readonly problem: string };

/**
 * Looks through a whole file, and changes nothing. No sentence names the file.
 * @param kind of documents whose bodies are wanted
 */
export async function examine(file: string, kind: string): Promise<Examined> {
  let db: SqliteDb | undefined;
  try {
    db = new SqliteDb(openForReading(file));
    checkIntegrity(db.file, file);
    return await db.transaction(
      async (sql) => ({
        sites: (await readDirectory(sql)).sites.length,
        bodies: (await BOX_READS.documents(sql.rows, { kind })).map(({ body }) => JSON.parse(body)),
      }),
      { read: true },
    );
  } catch (error) {
    if (error instanceof DatabaseRefused) return { problem: error.named("the database").message };
    return { problem: storageProblem(error) ?? "unreadable" };
  } finally {
    await db?.close();
  }
}
