import type { Statement } from "../../appliance/store/sql.ts";

const ROWS_AT_ONCE = 2_000;

type Row = readonly (number | string | Uint8Array | null)[];

/** Statements that insert rows into a table of PostgreSQL. @param columns `name:type, name:type` */
export function inserts(table: string, columns: string, rows: readonly Row[]): Statement[] {
  const typed = columns.split(", ").map((column) => column.split(":") as [string, string]);
  const names = typed.map(([name]) => name).join(", ");
  const arrays = typed.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, i) => {
    const part = rows.slice(i * ROWS_AT_ONCE, (i + 1) * ROWS_AT_ONCE);
    return {
      text: `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays}) AS given`,
      values: typed.map((_, column) => part.map((row) => row[column] ?? null)),
    };
  });
}
