import type { Day } from "../../../base/calendar.ts";
import { Columns } from "../columns.ts";
import type { Sql } from "../connection.ts";

/** What a step goes by. */
export interface StepTime {
  /** By the clock of the database. */
  readonly today: Day;
  readonly retentionDays: number;
  /** For how long somebody has done upkeep of this data, in ms. */
  readonly runMs: number;
}

/**
 * Does a little of what is due, in a transaction of the caller's that holds the lease.
 * @returns false when there was nothing
 */
export type Step = (sql: Sql, time: StepTime) => Promise<boolean>;

/** So that hits in between hardly notice. */
export const ROWS_PER_STEP = 1_000;

/** What names a row, and what each of it is. */
const KEYS = {
  count: { site: "int", day: "int", node: "bigint", value: "bigint" },
  packed_day: { site: "int", day: "int" },
  day_value: { site: "int", day: "int", dimension: "text", value: "bigint" },
  value: { id: "bigint" },
  room: { site: "int", dimension: "text", day: "int" },
  survey: { id: "bigint" },
  survey_day: { site: "int", day: "int" },
  waiting: { id: "bigint" },
  day_total: { site: "int", counter: "text", day: "int", node: "bigint" },
  total: { site: "int", counter: "text" },
} as const;
export type Table = keyof typeof KEYS;
type Row = Record<string, number | string>;

/**
 * Deletes some rows. They are looked up first: a database that knows little of a table may look at all of
 * it for each row otherwise.
 * @param which a condition, of parameters
 * @returns what was in them, as `columns` names it
 */
export async function takeOut<T extends object>(
  sql: Sql,
  table: Table,
  { which, values }: { which: string; values: readonly unknown[] },
  columns = "1 AS gone",
): Promise<T[]> {
  const key = Object.entries(KEYS[table]);
  const names = key.map(([name]) => name).join(", ");
  const rows = await sql.rows<Row>(
    `SELECT ${names} FROM ${table} WHERE ${which} LIMIT ${ROWS_PER_STEP}`,
    values,
  );
  if (rows.length === 0) return [];
  const found = new Columns<(number | string)[]>();
  for (const row of rows) found.add(...key.map(([name]) => row[name] ?? 0));
  const arrays = key.map(([, type], at) => `$${at + 1}::${type}[]`).join(", ");
  const same = key.map(([name]) => `${table}.${name} = w.${name}`).join(" AND ");
  return sql.rows<T>(
    `DELETE FROM ${table} USING unnest(${arrays}) AS w (${names}) WHERE ${same}
     RETURNING ${columns}`,
    found.values(),
  );
}
