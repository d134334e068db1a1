import type { Day } from "../../../base/calendar.ts";
import type { DayCounts } from "../../copy/difference.ts";
import { decodeTaken } from "../../copy/taken.ts";
import type { Database } from "../database.ts";

/** What was taken over of some days. */
export function takenOf(
  db: Database,
  source: string,
  site: string,
  days: readonly Day[],
): Map<Day, DayCounts> {
  const rows = db
    .prepare(
      `SELECT day, counts FROM copied_day
       WHERE source = ? AND site = ? AND day IN (SELECT value FROM json_each(?))`,
    )
    .raw()
    .all(source, site, JSON.stringify(days)) as [Day, Uint8Array][];
  return new Map(rows.map(([day, counts]) => [day, decodeTaken(counts)]));
}
