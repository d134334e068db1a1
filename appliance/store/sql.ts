import type { BlockRow, SettlingSnapshot, Snapshot, SourceNumber } from "./snapshot.ts";

/** One statement, in SQL that SQLite and PostgreSQL both understand where it is not an engine's own. */
export interface Statement {
  /** Values are `$1`, `$2`, … */
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs a statement. @returns its rows, by the names of columns; none where it has none */
export type Rows = <T extends object>(text: string, values?: readonly unknown[]) => Promise<T[]>;

/** Runs statements on a database of either engine. */
export interface Sql {
  /**
   * Whole numbers are numbers, and bytes Uint8Array. PostgreSQL takes lists as `numbers` of its `sql` makes them.
   */
  readonly rows: Rows;
  /** Runs statements that do not need each other's rows. @returns the rows of each */
  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]>;
}

/** One transaction, and what each engine has in its own way. */
export interface Transaction extends Sql {
  /** The log and the blocks. */
  readonly snapshot: Snapshot;
  /** The same, of the log no more than was there at some moment. */
  snapshotUntil(ends: LogEnds): SettlingSnapshot;
  /** The ends of the log now. */
  logEnds(): Promise<LogEnds>;
  /** See Revision. */
  epoch(): Promise<number | null>;
  /** Waits until nobody else changes documents, and lets nobody change them before its end. */
  lock(): Promise<void>;
  /** The source of counts that are made here now, and its origin: its name for good, wherever it is copied to. */
  own(): Promise<{ readonly number: SourceNumber; readonly origin: string }>;
  /** The number of responses that wait for the clock. */
  waitingSurveys(): Promise<number>;
  /** Adds or replaces blocks. */
  put(blocks: readonly BlockRow[]): Promise<void>;
  /** Adds batches of a source from elsewhere to the log. */
  appendLog(source: SourceNumber, bodies: readonly Uint8Array[]): Promise<void>;
  /** New ids of responses, ascending. */
  surveyIds(n: number): Promise<readonly number[]>;
}

/** Node → the last number of its log; and the bytes of all of it. */
export interface LogEnds {
  readonly last: ReadonlyMap<number, number>;
  readonly bytes: number;
}

/** A database of either engine. Outside of a transaction each call is one. */
export interface Db extends Sql {
  /**
   * Runs `task` in a transaction, after those before; with `read`, in one that reads one snapshot. Where others are in its
   * way, it may run again.
   */
  transaction<T>(
    task: (sql: Transaction) => Promise<T>,
    options?: { readonly read?: boolean },
  ): Promise<T>;
}

/**
 * Statements that write rows, several in each.
 * @param types the types of the columns, where the statement does not say them
 * @param text makes a statement of `($1, $2), ($3, $4)`
 */
export function manyRows(
  rows: readonly (readonly unknown[])[],
  { atOnce, types = [] }: { readonly atOnce: number; readonly types?: readonly string[] },
  text: (tuples: string) => string,
): Statement[] {
  const statements: Statement[] = [];
  for (let at = 0; at < rows.length; at += atOnce) {
    const values: unknown[] = [];
    const cell = (value: unknown, column: number) => {
      const type = types[column];
      const parameter = `$${values.push(value)}`;
      return type === undefined ? parameter : `CAST(${parameter} AS ${type})`;
    };
    const tuples = rows.slice(at, at + atOnce).map((row) => `(${row.map(cell).join()})`);
    statements.push({ text: text(tuples.join()), values });
  }
  return statements;
}

/** A secret of a database, which the first process makes. */
export async function databaseSecret(
  sql: Pick<Sql, "rows">,
  name: string,
  make: () => Uint8Array,
): Promise<Uint8Array> {
  const find = () => sql.rows<{ value: string }>("SELECT value FROM meta WHERE key = $1", [name]);
  const [known] = await find();
  if (known !== undefined) return Buffer.from(known.value, "hex");
  await sql.rows("INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", [
    name,
    Buffer.from(make()).toString("hex"),
  ]);
  const [made] = await find();
  return Buffer.from(made?.value ?? "", "hex");
}
