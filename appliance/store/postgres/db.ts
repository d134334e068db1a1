import { HOUR_MS } from "../../base/calendar.ts";
import { putBlocks } from "../settling/statements.ts";
import { OWN_SOURCE } from "../snapshot.ts";
import type { Db, Rows, Statement, Transaction } from "../sql.ts";
import type { Connection } from "./connection/connection.ts";
import type { ServerSql } from "./connection/sql.ts";
import { saidNow } from "./database-time.ts";
import { drawEpoch, epochOf } from "./epoch.ts";
import { MANY_ROWS } from "./settle.ts";
import { LOG_ENDS, PostgresSnapshot } from "./snapshot.ts";
import { SurveyIds } from "./surveys.ts";

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
      surveyIds: async (n) => {
        const said = await saidNow(sql);
        // Numbers of an hour ago: at this moment others draw theirs.
        const ids = new SurveyIds({ now: () => said - HOUR_MS }, this.#random);
        return Array.from({ length: n }, () => ids.draw());
      },
    };
  }
}
