import type { Day } from "../../../base/calendar.ts";
import { COUNTERS, type Counter, type SiteKey } from "../../counting.ts";
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

/** A counter on each day of a range, from its first day on, zeros included. */
export function counterByDay(
  db: Database,
  { site, counter, from, to }: { site: SiteKey; counter: Counter; from: Day; to: Day },
): number[] {
  const sums = Array<number>(to - from + 1).fill(0);
  const rows = db
    .prepare("SELECT day, n FROM day_total WHERE site = ? AND counter = ? AND day BETWEEN ? AND ?")
    .raw()
    .all(site, counter, from, to) as [Day, number][];
  for (const [day, n] of rows) sums[day - from] = n;
  return sums;
}

/** Page views of inclusive days, and of all time, days past retention included. */
export function viewCounts(
  db: Database,
  { site, from, to }: { site: SiteKey; from: Day; to: Day },
): { window: number; total: number } {
  const window = db
    .prepare(
      "SELECT sum(n) FROM day_total WHERE site = ? AND counter = 'pv' AND day BETWEEN ? AND ?",
    )
    .pluck()
    .get(site, from, to) as number | null;
  const total = db
    .prepare("SELECT n FROM total WHERE site = ? AND counter = 'pv'")
    .pluck()
    .get(site) as number | undefined;
  return { window: window ?? 0, total: total ?? 0 };
}
