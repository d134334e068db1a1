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
 * @param refuse is called where rows are off their rule. Where it returns, such a row is skipped; all are where one is too
 * long
 * @param isLeft whether a row is of no concern
 */
export function* untrustedRows(
  db: Database,
  table: string,
  rule: TableRule,
  refuse: (why: string) => void,
  isLeft: (row: Row) => boolean = () => false,
): Generator<Row> {
  const theirs = db.pragma(`table_info(${table})`) as { name: string }[];
  const names = theirs.map(({ name }) => name).filter((name) => name in rule.columns);
  if (names.length === 0 || !isReadable(db, table, rule, refuse, names)) return;
  const [rows, ...values] = rowsOf(table, rule);
  for (const each of db.prepare(`SELECT ${names} ${rows}`).iterate(values)) {
    const row = each as Row;
    if (isLeft(row)) continue;
    const isSound = names.every((name) => rule.columns[name]?.(row[name]));
    if (isSound && rule.check?.(row) !== false) yield row;
    else refuse(NOT_OURS);
  }
}

/**
 * Looks whether rows are within their bound. It reads lengths only: a value that is too long never comes into memory.
 * @returns false where one is too long
 */
export function isReadable(
  db: Database,
  table: string,
  rule: TableRule,
  refuse: (why: string) => void,
  names: readonly string[] = Object.keys(rule.columns),
): boolean {
  const bound = { ...UNNAMED, ...rule.bound };
  const lengths = names.map((name) => `coalesce(octet_length(${name}), 0)`);
  const sums = `count(*) AS count, max(max(0, ${lengths})) AS bytes, sum(${rule.size ?? 0}) AS together`;
  const [rows, ...values] = rowsOf(table, rule);
  const held = db.prepare(`SELECT ${sums} ${rows}`).get(values) as Bound;
  const isShort = held.bytes <= bound.bytes;
  if (!isShort) refuse("too long");
  if (held.count > bound.count || held.together > bound.together) refuse("one too many");
  return isShort;
}

/** An index of theirs is not believed. */
function rowsOf(table: string, { where: [where, ...values] = ["true"] }: TableRule) {
  return [`FROM ${table} NOT INDEXED WHERE ${where}`, ...values] as const;
}
