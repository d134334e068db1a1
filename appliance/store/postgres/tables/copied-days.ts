import type { Day } from "../../../base/calendar.ts";
import type { DayCounts } from "../../copy/difference.ts";
import { decodeTaken } from "../../copy/taken.ts";
import type { Sql } from "../connection.ts";

/** What was taken over of some days. */
export async function takenOf(
  sql: Sql,
  source: string,
  site: string,
  days: readonly Day[],
): Promise<Map<Day, DayCounts>> {
  const rows = await sql.rows<{ day: Day; counts: Uint8Array }>(
    `SELECT day, counts FROM copied_day
     WHERE source = $1 AND site = $2 AND day = ANY($3::int[])`,
    [source, site, days],
  );
  return new Map(rows.map(({ day, counts }) => [day, decodeTaken(counts)]));
}
