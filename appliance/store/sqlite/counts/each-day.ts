import type { Day } from "../../../base/calendar.ts";
import type { SiteKey } from "../../counting.ts";
import { unpack } from "../../counts/pack.ts";
import type { Database } from "../database.ts";

/**
 * Visits the counts of each day, ascending by day; a value may come twice on one day. Nothing is
 * held but the day that is visited.
 */
export function eachDay(
  db: Database,
  site: SiteKey,
  from: Day,
  to: Day,
  visit: (day: Day, id: number, n: number) => void,
): void {
  const open = db
    .prepare("SELECT day, value, n FROM count WHERE site = ? AND day BETWEEN ? AND ? ORDER BY day")
    .raw()
    .iterate(site, from, to) as IterableIterator<[Day, number, number]>;
  const packs = db
    .prepare(
      "SELECT day, counts FROM packed_day WHERE site = ? AND day BETWEEN ? AND ? ORDER BY day",
    )
    .raw()
    .iterate(site, from, to) as IterableIterator<[Day, Buffer]>;
  let packed: Day = from;
  const visitPacked = (id: number, n: number) => visit(packed, id, n);
  let row = open.next();
  const visitOpenUntil = (day: Day) => {
    for (; !row.done && row.value[0] <= day; row = open.next())
      visit(row.value[0], row.value[1], row.value[2]);
  };
  try {
    for (const [day, counts] of packs) {
      visitOpenUntil(day - 1);
      packed = day;
      unpack(counts, visitPacked);
    }
    visitOpenUntil(to);
  } finally {
    // A statement that is left in the middle keeps the database busy.
    open.return?.();
  }
}
