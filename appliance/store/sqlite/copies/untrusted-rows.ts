import type { Bound } from "../../../base/bounds.ts";
import { NOT_OURS } from "../../transfer/counts.ts";
import type { Check } from "../../transfer/values.ts";
import type { Database } from "../database.ts";

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a table as Tallydeck writes them. */
export interface TableRule {
  /** The columns that are read. */
  readonly columns: Readonly<Record<string, Check>>;
  /** The rows that are read, in SQL, with its values: all unless given. */
  readonly where?: readonly [text: string, ...values: unknown[]];
  /** Whether columns fit each other. */
  readonly check?: (row: Row) => boolean;
  /** `bytes` limits each text or blob. */
  readonly bound?: Partial<Bound>;
  /** The bytes of a row that `together` limits, in SQL. */
  readonly size?: string;
}

const UNNAMED: Bound = { count: 1_000_000_000, bytes: 1_024, together: Number.POSITIVE_INFINITY };

/**
 * Reads a table that a stranger may have made: values by the rule of their column, within the table's bound. A table or
 * column that an older version did not have is left out.
 * @param isLeft whether a row is of no concern
 * @param refuse is called where rows are off their rule. Where it returns, such a row is skipped, and all are that are
 * beyond their bound
 */
export function* untrustedRows(
  db: Database,
  table: string,
  { columns, where: [where, ...values] = ["true"], check, bound, size = "0" }: TableRule,
  isLeft: (row: Row) => boolean,
  refuse: (why: string) => void,
): Generator<Row> {
  const theirs = db.pragma(`table_info(${table})`) as { name: string }[];
  const names = theirs.map(({ name }) => name).filter((name) => name in columns);
  if (names.length === 0) return;
  // An index of theirs is not believed.
  const rows = `FROM ${table} NOT INDEXED WHERE ${where}`;
  const limit = { ...UNNAMED, ...bound };
  if (!isWithin(limit, db, { rows, values, columns: names, size }, refuse)) return;
  for (const each of db.prepare(`SELECT ${names} ${rows}`).iterate(values)) {
    const row = each as Row;
    if (isLeft(row)) continue;
    const isSound = names.every((name) => columns[name]?.(row[name])) && check?.(row) !== false;
    if (isSound) yield row;
    else refuse(NOT_OURS);
  }
}

/** Rows in SQL, `FROM …`, with its values and columns. */
interface Selected extends Required<Pick<TableRule, "size">> {
  readonly rows: string;
  readonly values?: readonly unknown[];
  readonly columns: readonly string[];
}

/** Whether rows are within a bound. It reads lengths only: a value that is too long never comes into memory. */
export function isWithin(
  bound: Bound,
  db: Database,
  { rows, values = [], columns, size }: Selected,
  refuse: (why: string) => void,
): boolean {
  const lengths = columns.map((name) => `coalesce(octet_length(${name}), 0)`);
  const held = db
    .prepare(
      `SELECT count(*) AS count, max(max(0, ${lengths})) AS bytes, sum(${size}) AS together ${rows}`,
    )
    .get(values) as Bound;
  if (held.bytes > bound.bytes) refuse("too long");
  else if (held.count > bound.count || held.together > bound.together) refuse("one too many");
  else return true;
  return false;
}
