import { Mutex } from "../../base/tasks/mutex.ts";
import { OWN_SOURCE } from "../snapshot.ts";
import type { Db, Rows, Statement, Transaction } from "../sql.ts";
import type { Database } from "./database.ts";
import { putBlock } from "./settle.ts";
import { lastInLog, NODE, SqliteSnapshot } from "./snapshot.ts";
import { prepared, run } from "./sql.ts";

/** A file as the rest of the store has a database. It has the connection for itself while a transaction runs. */
export class SqliteDb implements Db {
  readonly file: Database;
  readonly #mutex = new Mutex();
  readonly #sql: Transaction;

  constructor(file: Database) {
    this.file = file;
    this.#sql = transactionOn(file);
  }

  readonly rows: Rows = (text, values) =>
    this.#mutex.runExclusive(() => this.#sql.rows(text, values));

  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]> {
    return this.#mutex.runExclusive(() => this.#sql.all(statements));
  }

  transaction<T>(task: (sql: Transaction) => Promise<T>, { read = false } = {}): Promise<T> {
    return this.#mutex.runExclusive(async () => {
      prepared(this.file, read ? "BEGIN" : "BEGIN IMMEDIATE").run();
      try {
        const result = await task(this.#sql);
        prepared(this.file, "COMMIT").run();
        return result;
      } catch (error) {
        // Some errors have ended it already.
        if (this.file.inTransaction) prepared(this.file, "ROLLBACK").run();
        throw error;
      }
    });
  }

  /** Closes it after all before. */
  close(): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      this.file.close();
    });
  }
}

/** The number of a folded row is never used again, as in `Commits`. */
const APPEND_LOG = `INSERT INTO log (n, source, body) VALUES (1 + max(
  coalesce((SELECT max(n) FROM log), 0), (SELECT n FROM folded WHERE node = 0)), $1, $2)`;

/** The connection in a transaction that somebody has begun. */
function transactionOn(db: Database): Transaction {
  return {
    rows: async <T extends object>(text: string, values: readonly unknown[] = []) =>
      run(db, { text, values }) as T[],
    all: async (statements) => statements.map((statement) => run(db, statement)),
    snapshot: new SqliteSnapshot(db),
    snapshotUntil: ({ last }) => new SqliteSnapshot(db, last.get(NODE) ?? 0),
    logEnds: async () => ({ last: new Map([[NODE, lastInLog(db)]]), bytes: 0 }),
    // Files elsewhere are none of ours.
    epoch: async () => null,
    // One that writes begins as the only one.
    lock: async () => {},
    own: async () => ({ number: OWN_SOURCE, origin: originOf(db) }),
    async waitingSurveys() {
      const of = "waiting_survey WHERE site IN (SELECT key FROM site)";
      const row = prepared(db, `SELECT count(*) AS n FROM ${of}`).get();
      return (row as { n: number }).n;
    },
    async put(blocks) {
      for (const block of blocks) putBlock(db, block);
    },
    async appendLog(source, bodies) {
      for (const body of bodies) run(db, { text: APPEND_LOG, values: [source, body] });
    },
    async surveyIds(n) {
      const last = prepared(db, "SELECT seq FROM sqlite_sequence WHERE name = 'survey'").get();
      const { seq } = (last ?? { seq: 0 }) as { seq: number };
      return Array.from({ length: n }, (_, i) => seq + 1 + i);
    },
  };
}

function originOf(db: Database): string {
  const row = prepared(db, "SELECT value FROM meta WHERE key = 'origin'").get();
  return String((row as { value: unknown } | undefined)?.value);
}
