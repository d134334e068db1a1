import { COUNTERS } from "../../counting.ts";
import type { Database } from "../database.ts";

const COUNTER_LIST = COUNTERS.map((counter) => `'${counter}'`).join(", ");

/**
 * Makes the counters by day anew from the counts they follow from: for data whose own cannot be
 * trusted or is missing, as after a restore. To be called in a transaction.
 */
export function rebuildDayTotals(db: Database): void {
  db.exec(`
    DELETE FROM day_total;
    INSERT INTO day_total (site, counter, day, n)
    SELECT site, counter, day, sum(n) FROM (
      SELECT c.site, v.dimension AS counter, c.day, c.n
      FROM count c JOIN value v ON v.id = c.value
      UNION ALL
      SELECT p.site, v.dimension, p.day, packed_count(p.counts, v.id)
      FROM packed_day p JOIN value v ON v.site = p.site
      WHERE v.dimension IN (${COUNTER_LIST})
    )
    WHERE counter IN (${COUNTER_LIST})
    GROUP BY site, counter, day
    HAVING sum(n) > 0`);
}
