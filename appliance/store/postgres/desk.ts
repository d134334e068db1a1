import { Refusal } from "../../base/refusal.ts";
import { SystemClock } from "../../base/system/system-clock.ts";
import type { Collector, Desk, Erased } from "../engine.ts";
import type { FleetQueryName, QueryInput, QueryResult } from "../queries.ts";
import type { Directory } from "../sites/directory.ts";
import { isSiteWrite, SITE_WRITES, type SitesPlace } from "../sites/writes.ts";
import type { FleetWriteName, WriteInput, WriteResult } from "../writes.ts";
import { Connection } from "./connection/connection.ts";
import { isLost, reasonOf, refusalOf, sqlStateOf } from "./connection/errors.ts";
import type { Transaction } from "./connection/sql.ts";
import { type ConnectionSettings, parseDatabaseUrl, shownUrl } from "./connection/url.ts";
import { FLEET_WRITES, type FleetEngineWrite, fleetSites } from "./documents.ts";
import { hasTables, migrate } from "./migrate.ts";
import { PostgresReads } from "./reads.ts";

/** A database that many share, opened for a command. Data of a box is not in it. */
export class PostgresDesk implements Desk {
  readonly #settings: ConnectionSettings;
  readonly #connection: Connection;

  private constructor(url: string) {
    this.#settings = { ...parseDatabaseUrl(url), name: "command" };
    this.#connection = new Connection(this.#settings, { clock: new SystemClock(), role: "reads" });
  }

  /** @throws {Refusal} */
  static async toLook(url: string): Promise<PostgresDesk | undefined> {
    const desk = new PostgresDesk(url);
    const isThere = await desk.#ask((connection) => hasTables(connection, desk.#settings));
    if (isThere) return desk;
    await desk.close();
    return undefined;
  }

  /** @throws {Refusal} */
  static async toChange(url: string): Promise<PostgresDesk> {
    const desk = new PostgresDesk(url);
    await desk.#ask((connection) => migrate(connection, desk.#settings));
    return desk;
  }

  directory(): Promise<Directory> {
    return this.#ask(async (connection) => fleetSites(connection).directory());
  }

  read<Q extends FleetQueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    return this.#ask((connection) => new PostgresReads().run(connection, query, input));
  }

  write<W extends FleetWriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>> {
    const request = { name, input };
    if (isSiteWrite(request)) {
      type Write = (place: SitesPlace, how: unknown) => Promise<WriteResult<W>>;
      const write = SITE_WRITES[request.name] as Write;
      return this.#ask((connection) => write(fleetSites(connection), input));
    }
    type Write = (sql: Transaction, how: unknown) => Promise<WriteResult<W>>;
    const write = FLEET_WRITES[name as FleetEngineWrite] as Write;
    return this.#ask((connection) => connection.transaction((sql) => write(sql, input)));
  }

  collectors(): Promise<Collector[]> {
    return this.#ask((sql) => sql.rows<Collector>(COLLECTORS));
  }

  async eraseCounts(): Promise<Erased> {
    return "later";
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Ends the connection where something fails: a command is over then. */
  async #ask<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await task(this.#connection);
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
