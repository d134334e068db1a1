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
  /** Whether a row is of no concern, and left. */
  readonly isLeft?: (row: Row) => boolean;
  /** Whether columns fit each other. */
  readonly check?: (row: Row) => boolean;
  /** `bytes` limits each text or blob. */
  readonly bound?: Partial<Bound>;
  /** The bytes of a row that count: of all columns unless given. */
  readonly sizeOf?: (row: Row) => number;
}

const UNNAMED: Bound = { count: 1_000_000_000, bytes: 1_024, together: Number.POSITIVE_INFINITY };

/**
 * Reads a table that a stranger may have made: values by the rule of their column, within the table's bound. A table or
 * column that an older version did not have is left out.
 * @param refuse is called where rows are off their rule. Where it returns, such a row is skipped; all the others are,
 * too, where there are too many, or one is too long
 */
export function* untrustedRows(
  db: Database,
  table: string,
  {
    columns,
    where: [where, ...values] = ["true"],
    isLeft,
    check,
    bound,
    sizeOf = rowBytes,
  }: TableRule,
  refuse: (why: string) => void,
): Generator<Row> {
  const limit = { ...UNNAMED, ...bound };
  const theirs = db.pragma(`table_info(${table})`) as { name: string }[];
  const names = theirs.map(({ name }) => name).filter((name) => name in columns);
  if (names.length === 0) return;
  // An index of theirs is not believed.
  const rows = `FROM ${table} NOT INDEXED WHERE ${where}`;
  if (hasLonger(db, [rows, ...values], names, limit.bytes)) return refuse("too long");
  const hasRoom = roomFor(limit);
  for (const each of db.prepare(`SELECT ${names} ${rows}`).iterate(values)) {
    const row = each as Row;
    if (isLeft?.(row)) continue;
    if (!hasRoom(sizeOf(row))) return refuse("one too many");
    const isSound = names.every((name) => columns[name]?.(row[name])) && check?.(row) !== false;
    if (isSound) yield row;
    else refuse(NOT_OURS);
  }
}

/**
 * Whether a text or blob is longer. It reads lengths only: such a value never comes into memory.
 * @param rows in SQL, `FROM table …`, with its values
 */
export function hasLonger(
  db: Database,
  [rows, ...values]: readonly [text: string, ...values: unknown[]],
  columns: readonly string[],
  maxBytes: number,
): boolean {
  const longer = columns.map((name) => `octet_length(${name}) > ${maxBytes}`).join(" OR ");
  return db.prepare(`SELECT 1 ${rows} AND (${longer}) LIMIT 1`).get(values) !== undefined;
}

/** Takes rows, each of so many bytes, until there are too many: then it returns false. */
export function roomFor({ count, together }: Omit<Bound, "bytes">): (bytes: number) => boolean {
  let [rows, sum] = [0, 0];
  return (bytes) => {
    rows += 1;
    sum += bytes;
    return rows <= count && sum <= together;
  };
}

/** The bytes of texts and blobs of a row. */
export function rowBytes(row: Row): number {
  let sum = 0;
  for (const value of Object.values(row))
    if (typeof value === "string" || value instanceof Uint8Array) sum += Buffer.byteLength(value);
  return sum;
}
