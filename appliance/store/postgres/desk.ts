import { Refusal } from "../../base/refusal.ts";
import { SystemClock } from "../../base/system/system-clock.ts";
import type { Collector, Desk, Erased } from "../engine.ts";
import { writeIn } from "../engine-writes.ts";
import type { FleetQueryName, QueryInput, QueryResult } from "../reads/reads.ts";
import { type Directory, readDirectory } from "../sites/directory.ts";
import { nameZone } from "../sites/writes.ts";
import type { FleetWriteName, WriteInput, WriteResult } from "../writes.ts";
import { Connection } from "./connection/connection.ts";
import { isLost, reasonOf, refusalOf, sqlStateOf } from "./connection/errors.ts";
import { type ConnectionSettings, parseDatabaseUrl, shownUrl } from "./connection/url.ts";
import { saidNow } from "./database-time.ts";
import { FleetDb } from "./db.ts";
import { ANALYZE, grant, hasTables, type Migrated, migrate } from "./migrate.ts";
import { fleetReads } from "./reads.ts";

/** A database that many share, opened for a command. Data of a box is not in it. */
export class PostgresDesk implements Desk {
  readonly #settings: ConnectionSettings;
  readonly #connection: Connection;
  readonly #db: FleetDb;

  private constructor(url: string) {
    this.#settings = { ...parseDatabaseUrl(url), name: "command" };
    this.#connection = new Connection(this.#settings, { clock: new SystemClock(), role: "reads" });
    this.#db = new FleetDb(this.#connection);
  }

  /** @throws {Refusal} */
  static async toLook(url: string): Promise<PostgresDesk | undefined> {
    const desk = new PostgresDesk(url);
    const isThere = await desk.#ask(() => hasTables(desk.#connection, desk.#settings));
    if (isThere) return desk;
    await desk.close();
    return undefined;
  }

  /** @throws {Refusal} */
  static async toChange(url: string): Promise<PostgresDesk> {
    const desk = new PostgresDesk(url);
    await desk.#ask(() => migrate(desk.#connection, desk.#settings));
    return desk;
  }

  directory(): Promise<Directory> {
    return this.#ask(() => this.#db.transaction(readDirectory, { read: true }));
  }

  read<Q extends FleetQueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    return this.#ask(() => fleetReads(this.#db, () => 0).read(query, input));
  }

  write<W extends FleetWriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>> {
    return this.#ask(() => this.#db.transaction((sql) => writeIn(sql, name, input)));
  }

  collectors(): Promise<Collector[]> {
    return this.#ask(() => this.#db.rows<Collector>(COLLECTORS));
  }

  async eraseCounts(): Promise<Erased> {
    return "later";
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Ends the connection where something fails: a command is over then. */
  async #ask<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      await this.close();
      throw refusalOf(error, this.#settings) ?? this.#failed(error) ?? error;
    }
  }

  /** Undefined where it is not the database that failed. */
  #failed(error: unknown): Refusal | undefined {
    if (!isLost(error) && sqlStateOf(error) === undefined) return undefined;
    const where = shownUrl(this.#settings);
    return new Refusal(
      "storage_unavailable",
      `The database at ${where} cannot be used now: ${reasonOf(error)}. Try again, or correct DATABASE_URL.`,
    );
  }
}

/** Collectors; one that said goodbye was seen last at the beginning of 1970. */
const COLLECTORS = `
  SELECT node.name, lease.holder IS NOT NULL AS settles,
    extract(epoch FROM now() - seen_at) AS seconds
  FROM node LEFT JOIN lease ON lease.holder = node.id AND lease.until > now()
  WHERE seen_at > now() - interval '1 day' ORDER BY node.name, node.id LIMIT 1000`;

/** The tables of a database that many share. */
interface Tables {
  /** Makes them, or raises them to this version's. */
  migrate(): Promise<Migrated>;
  /** Names the zone by which days begin; undefined leaves it. @returns sentences for the owner */
  nameZone(zone: string | undefined): Promise<readonly string[]>;
  /** Lets a role count and read there. */
  grant(role: string): Promise<void>;
}

/**
 * Runs a task with a connection for a user who may create tables.
 * @throws {Refusal} with a sentence for the owner; Error with the reason why the database cannot be used
 */
export async function withTables(
  url: string,
  task: (tables: Tables) => Promise<void>,
): Promise<void> {
  const settings = parseDatabaseUrl(url);
  const connection = new Connection(settings, { clock: new SystemClock(), role: "chores" });
  try {
    await task({
      migrate: async () => {
        const done = await migrate(connection, settings);
        await connection.rows(ANALYZE);
        return done;
      },
      nameZone: (zone) =>
        new FleetDb(connection).transaction(async (sql) =>
          nameZone(sql, { zone, now: await saidNow(sql) }),
        ),
      grant: (role) => grant(connection, settings, role),
    });
  } catch (error) {
    throw refusalOf(error, settings) ?? new Error(reasonOf(error), { cause: error });
  } finally {
    await connection.close();
  }
}
