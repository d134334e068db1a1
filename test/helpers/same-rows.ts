import type { Statement } from "../../appliance/store/postgres/connection.ts";
import type { Database } from "../../appliance/store/sqlite/database.ts";

/** Counts that are not merged yet are those of this node, of another, or of both. */
const NODES = [0, 7, 8] as const;
const ROWS_AT_ONCE = 2_000;

type Row = readonly (number | string | Uint8Array | null)[];

/**
 * What fills empty tables of PostgreSQL with the numbers, sites and surveys of a SQLite database: the
 * same ids, and counts of open days split among nodes.
 */
export function sameRows(db: Database): Statement[] {
  const all = (sql: string) => db.prepare(sql).raw().all() as Row[];
  const split = (rows: readonly Row[]) => rows.flatMap(splitOf);
  return [
    ...inserts("site", "key:int, id:text", all("SELECT key, id FROM site")),
    ...inserts(
      "value",
      "id:bigint, site:int, dimension:text, text:text, last_day:int",
      all("SELECT id, site, dimension, text, last_day FROM value"),
    ),
    ...inserts(
      "count",
      "site:int, day:int, value:bigint, node:bigint, n:bigint",
      split(all("SELECT site, day, value, n FROM count")),
    ),
    ...inserts(
      "day_value",
      "site:int, day:int, dimension:text, value:bigint",
      all("SELECT c.site, c.day, v.dimension, v.id FROM count c JOIN value v ON v.id = c.value"),
    ),
    ...inserts(
      "day_total",
      "site:int, counter:text, day:int, node:bigint, n:bigint",
      split(all("SELECT site, counter, day, n FROM day_total")),
    ),
    // What retention has taken away; what it has not is in `day_total`.
    ...inserts(
      "total",
      "site:int, counter:text, n:bigint",
      all(
        `SELECT site, counter, n - (SELECT coalesce(sum(n), 0) FROM day_total AS d
           WHERE d.site = t.site AND d.counter = t.counter) FROM total AS t`,
      ),
    ),
    ...inserts(
      "packed_day",
      "site:int, day:int, counts:bytea",
      all("SELECT site, day, counts FROM packed_day"),
    ),
    ...inserts(
      "room",
      "site:int, dimension:text, day:int, n:bigint, bytes:bigint",
      all(
        `SELECT site, dimension, -1, count(*), total(octet_length(text)) FROM value
         GROUP BY site, dimension`,
      ),
    ),
    ...inserts(
      "survey",
      "id:bigint, site:int, version:int, day:int, payload:text",
      all("SELECT id, site, version, day, payload FROM survey"),
    ),
    ...inserts(
      "survey_labels",
      "site:int, labels:text",
      all("SELECT site, labels FROM survey_labels"),
    ),
    ...inserts(
      "waiting",
      "site:int, node:bigint, boot:text, at:bigint, saved_clock:bigint, hits:bigint, data:text",
      all("SELECT site, 7, boot, at, saved_clock, hits, data FROM waiting"),
    ),
    ...inserts("node", "id:bigint, name:text, batch:bigint", [
      [7, "seven", 1],
      [8, "eight", 1],
    ]),
  ];
}

/** A row that ends in a count, as that of one node or of two. */
function splitOf(row: Row, at: number): Row[] {
  const key = row.slice(0, -1);
  const n = Number(row.at(-1));
  if (n === 1) return [[...key, NODES[at % NODES.length] ?? 0, n]];
  return [
    [...key, at % 2 === 0 ? 7 : 8, Math.floor(n / 2)],
    [...key, 0, Math.ceil(n / 2)],
  ];
}

/** @param columns `name:type, name:type` */
function inserts(table: string, columns: string, rows: readonly Row[]): Statement[] {
  const typed = columns.split(", ").map((column) => column.split(":") as [string, string]);
  const statements: Statement[] = [];
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const part = rows.slice(at, at + ROWS_AT_ONCE);
    const names = typed.map(([name]) => name).join(", ");
    const arrays = typed.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
    const more = table === "node" ? [", seen_at", ", now()"] : ["", ""];
    statements.push({
      text: `INSERT INTO ${table} (${names}${more[0]}) SELECT *${more[1]} FROM unnest(${arrays}) AS given`,
      values: typed.map((_, i) => part.map((row) => row[i])),
    });
  }
  return statements;
}
