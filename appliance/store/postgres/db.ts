import { HOUR_MS } from "../../base/calendar.ts";
import { putBlocks } from "../settling/statements.ts";
import { OWN_SOURCE, SOURCE_NODES } from "../snapshot.ts";
import type { Db, Rows, Statement, Transaction } from "../sql.ts";
import type { Connection } from "./connection/connection.ts";
import type { ServerSql } from "./connection/sql.ts";
import { saidNow } from "./database-time.ts";
import { drawEpoch, epochOf } from "./epoch.ts";
import { MANY_ROWS } from "./settle.ts";
import { LOG_ENDS, PostgresSnapshot } from "./snapshot.ts";
import { SurveyIds } from "./surveys.ts";

/** Its numbers begin with the time, so that none comes again when its row was forgotten, or its number is another source's. */
const KNOW_SOURCE_NODE = `
  INSERT INTO folded (node, n)
  VALUES ($1::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  ON CONFLICT (node) DO NOTHING`;

/** The row of `folded` is held, as by those who append to the log of a node, and by those who fold it. */
const APPEND_OF_SOURCE = `
  INSERT INTO log (node, n, source, body)
  SELECT $1::bigint, 1 + GREATEST(n, (SELECT max(n) FROM log WHERE node = $1::bigint)),
    $2::int, $3::bytea
  FROM folded WHERE node = $1::bigint`;

/** A database that many share, as the rest of the store has a database. */
export class FleetDb implements Db {
  readonly #connection: Connection;
  readonly #random: () => number;

  /** @param random 0–1 */
  constructor(connection: Connection, random: () => number = Math.random) {
    this.#connection = connection;
    this.#random = random;
  }

  readonly rows: Rows = (text, values) => this.#connection.rows(text, values);

  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]> {
    return this.#connection.all(statements);
  }

  /** @throws as `Connection.transaction` */
  transaction<T>(task: (sql: Transaction) => Promise<T>, { read = false } = {}): Promise<T> {
    return this.#connection.transaction(
      async (sql) => {
        if (!read) await drawEpoch(sql, this.#random);
        return task(this.#transactionOn(sql));
      },
      { read },
    );
  }

  #transactionOn(sql: ServerSql): Transaction {
    const { rows, all } = sql;
    return {
      rows,
      all,
      snapshot: new PostgresSnapshot(sql),
      snapshotUntil: ({ last }) => new PostgresSnapshot(sql, last),
      async logEnds() {
        const ends = await rows<{ node: number; n: number; bytes: number }>(LOG_ENDS);
        return {
          last: new Map(ends.map(({ node, n }) => [node, n])),
          bytes: ends.reduce((sum, { bytes }) => sum + bytes, 0),
        };
      },
      epoch: () => epochOf(sql),
      async lock() {
        await rows("SELECT n FROM revision FOR UPDATE");
      },
      async own() {
        const [own] = await rows<{ number: number; origin: string }>(
          "SELECT source AS number, to_hex(epoch) AS origin FROM generation",
        );
        return own ?? { number: OWN_SOURCE, origin: "" };
      },
      waitingSurveys: async () => 0,
      async put(blocks) {
        await all(putBlocks(blocks, MANY_ROWS));
      },
      async appendLog(source, bodies) {
        const node = [SOURCE_NODES + source];
        await all([
          { text: KNOW_SOURCE_NODE, values: node },
          { text: "SELECT n FROM folded WHERE node = $1::bigint FOR UPDATE", values: node },
          ...bodies.map((body) => ({ text: APPEND_OF_SOURCE, values: [...node, source, body] })),
        ]);
      },
      surveyIds: async (n) => {
        const said = await saidNow(sql);
        // Numbers of an hour ago: at this moment others draw theirs.
        const ids = new SurveyIds({ now: () => said - HOUR_MS }, this.#random);
        return Array.from({ length: n }, () => ids.draw());
      },
    };
  }
}
