import type { Bound } from "../../../base/bounds.ts";
import { Refusal, type RefusalCode } from "../../../base/refusal.ts";
import type { Database } from "../database.ts";

/** A table that is bounded, its columns of texts, and how who adds too much is told. */
interface BoundedTable {
  readonly table: string;
  readonly columns: readonly string[];
  readonly bound: Bound;
  readonly refused: { readonly code: RefusalCode; readonly message: string };
}

/**
 * Runs a change of a table, within a transaction. What is beyond the bound already may become less.
 * @throws {Refusal} where the table would hold more than it may: the transaction is to be undone
 */
export function within(
  db: Database,
  { table, columns, bound, refused }: BoundedTable,
  change: () => void,
): void {
  // Lengths alone: no text is read for it.
  const bytes = columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(" + ");
  const held = db.prepare(`SELECT count(*) AS count, total(${bytes}) AS together FROM ${table}`);
  const before = held.get() as Held;
  change();
  const after = held.get() as Held;
  const isMore = (what: keyof Held) => after[what] > bound[what] && after[what] > before[what];
  if (isMore("count") || isMore("together")) throw new Refusal(refused.code, refused.message);
}

type Held = Readonly<Record<"count" | "together", number>>;

/** Adds rows, or replaces what those of the same key hold. All have the same columns; names are ours. */
export function put(
  db: Database,
  table: string,
  key: string,
  rows: readonly Readonly<Record<string, string | number | Uint8Array | null>>[],
): void {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const statement = db.prepare(
    `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map((name) => `:${name}`).join()})
     ON CONFLICT (${key}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join()}`,
  );
  for (const row of rows) statement.run(row);
}
