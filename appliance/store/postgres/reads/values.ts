import { OTHER } from "../../../base/names.ts";
import type { SiteKey } from "../../counting.ts";
import type { Overfull, VisitSeen } from "../../counts/source.ts";
import type { Sql } from "../connection.ts";

const ROWS = 5_000;

/** Dimensions of more than `values` values, or of more than `bytes` bytes of text. */
export function overfull(
  sql: Sql,
  { values, bytes }: { values: number; bytes: number },
): Promise<Overfull[]> {
  // What `room` says is quick to find and near enough; then these few are counted.
  return sql.rows<Overfull>(
    `SELECT value.site, value.dimension, count(*) AS "values"
     FROM room JOIN site ON site.key = room.site
     JOIN value ON value.site = room.site AND value.dimension = room.dimension
     WHERE room.day = -1 AND (room.n >= $1::bigint OR room.bytes >= $2::bigint)
     GROUP BY value.site, value.dimension
     HAVING count(*) > $1::bigint OR sum(octet_length(value.text)) > $2::bigint
     ORDER BY value.site, value.dimension`,
    [values, bytes],
  );
}

/** Visits all values of a dimension. */
export async function eachOf(
  sql: Sql,
  site: SiteKey,
  dimension: string,
  visit: VisitSeen,
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const rows: { id: number; day: number; text: string }[] = await sql.rows(
      `SELECT id, last_day AS day, text FROM value
       WHERE site = $1 AND dimension = $2 AND ($3::text IS NULL OR text > $3)
       ORDER BY text LIMIT ${ROWS}`,
      [site, dimension, after],
    );
    for (const { id, day, text } of rows) visit(id, day, Buffer.byteLength(text), text === OTHER);
    after = rows.at(-1)?.text ?? null;
    if (rows.length < ROWS) return;
  }
}

/** Ids of the values that were counted on a day that is not packed. */
export async function openValues(sql: Sql, site: SiteKey): Promise<ReadonlySet<number>> {
  const rows = await sql.rows<{ value: number }>(
    `SELECT value FROM day_value WHERE site = $1
     UNION SELECT value FROM count WHERE site = $1`,
    [site],
  );
  return new Set(rows.map(({ value }) => value));
}
