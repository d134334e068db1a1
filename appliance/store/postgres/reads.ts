import { DayZone } from "../../base/day-zone.ts";
import { BlockCounts } from "../counts/block-counts.ts";
import type { PassedOver } from "../counts/block-reading.ts";
import { LogTail, tailOf } from "../log/tail.ts";
import type { QueryInput, QueryName, QueryResult, SettlementQuery } from "../queries.ts";
import { EtagCache } from "../reads/answer.ts";
import { FLEET_READS, type FleetSource } from "../reads/fleet-reads.ts";
import { timeRun } from "../settling/day-marks.ts";
import { nextSettlement, type SearchedDays } from "../settling/settling.ts";
import type { Settlement } from "../snapshot.ts";
import type { Connection } from "./connection/connection.ts";
import { performOn, type Transaction } from "./connection/sql.ts";
import { EPOCH, epochOf } from "./epoch.ts";
import { batchesOf } from "./log.ts";
import { LOG_ENDS, PostgresSnapshot } from "./snapshot.ts";
import { bootZeros } from "./upkeep/boots.ts";

/** The most sites of a settlement, for which no hit waits here; a batch may have thousands. */
const MAX_SITES = 10_000;

/** The state that is kept between two questions. */
interface Kept {
  /** The server that it was read from: on another one the same numbers may mean something else. */
  readonly server: string;
  readonly connection: Connection;
  readonly reconnects: number;
  readonly tail: LogTail;
  readonly lastAnswers: EtagCache;
}

/** Answers the questions to a database, one at a time. */
export class PostgresReads {
  readonly #passedOver: PassedOver | undefined;
  #kept: Kept | undefined;
  /** The last number of each node's log that the present settlement covers. */
  #settlesTo: ReadonlyMap<number, number> = new Map();
  #looked: SearchedDays & { readonly epoch: number | null } = { epoch: null, past: "" };

  /** @param passedOver is called for blocks that cannot be read */
  constructor(passedOver?: PassedOver) {
    this.#passedOver = passedOver;
  }

  /** Answers a question from one snapshot. @throws {Away}, {Lost}, and the errors of the server */
  run<Q extends QueryName>(
    connection: Connection,
    query: Q,
    input: QueryInput<Q>,
  ): Promise<QueryResult<Q>> {
    const read = async (sql: Transaction) => {
      if (query === "settlement") return this.#settlement(sql, input as SettlementQuery);
      type Read = (source: FleetSource, input: unknown) => unknown;
      const answer = FLEET_READS[query as keyof typeof FLEET_READS] as Read;
      return answer(await this.#source(sql, connection), input);
    };
    return connection.transaction(read, { read: true }) as Promise<QueryResult<Q>>;
  }

  async #source(sql: Transaction, connection: Connection): Promise<FleetSource> {
    const [state] = await sql.rows<{ server: string; epoch: number | null }>(STATE, [sql.place]);
    const server = [sql.place, state?.server, state?.epoch].join();
    const { tail, lastAnswers } = this.#keptOf(connection, server);
    const snapshot = new PostgresSnapshot(sql);
    return {
      counts: (source) => new BlockCounts(snapshot, tailOf(tail, source), this.#passedOver, source),
      snapshot,
      rows: (text, values) => sql.rows(text, values),
      version: () => JSON.stringify([server, state]),
      lastAnswers,
    };
  }

  /**
   * The cache of a connection. It ends with the connection, since a promoted standby may lack the newest rows, and
   * then uses the same numbers for others.
   */
  #keptOf(connection: Connection, server: string): Kept {
    const { reconnects } = connection.figures;
    const kept = this.#kept;
    if (kept?.server === server && kept.connection === connection && kept.reconnects === reconnects)
      return kept;
    const [tail, lastAnswers] = [new LogTail(), new EtagCache()];
    this.#kept = { server, connection, reconnects, tail, lastAnswers };
    return this.#kept;
  }

  /** Settles up to the end that the log had at first: with new batches it would never come to an end. */
  async #settlement(sql: Transaction, query: SettlementQuery): Promise<Settlement | null> {
    const epoch = await epochOf(sql);
    // The watch draws it within moments.
    if (epoch === null) return null;
    if (epoch !== this.#looked.epoch) this.#looked = { epoch, past: "" };
    if (query.isFirst) {
      const ends = await sql.rows<{ node: number; n: number; bytes: number }>(LOG_ENDS);
      if (ends.reduce((sum, { bytes }) => sum + bytes, 0) < query.minBytes) return null;
      this.#settlesTo = new Map(ends.map(({ node, n }) => [node, n]));
    }
    const zone = new DayZone(query.zone);
    const settlement = await nextSettlement(new PostgresSnapshot(sql, this.#settlesTo), {
      ...query,
      zoneHour: (epochMs) => zone.hourAt(epochMs),
      otherBoots: await bootZeros(sql),
      maxSites: MAX_SITES,
      ...(await performOn(sql, timeRun())),
      looked: this.#looked,
    });
    return settlement && { ...settlement, epoch };
  }
}

/** SQL whose answer changes with everything that is counted, settled or erased. */
const STATE = `
  SELECT pg_postmaster_start_time()::text AS server, (${batchesOf("node IS NOT NULL")}) AS batches,
    (SELECT n FROM generation) AS generation, (${EPOCH}) AS epoch`;
