import type { Day } from "../../../base/calendar.ts";
import { NOBODY, type SiteKey } from "../../counting.ts";
import type { Database } from "../database.ts";

/**
 * Removes some of what was written for NOBODY, at most `rows` of a kind; a null `today` leaves
 * alone what is of a day, for the day is not known.
 * @returns true when there is more
 */
export function emptyNobody(
  db: Database,
  forgetValue: (site: SiteKey, dimension: string, text: string) => void,
  today: Day | null,
  rows: number,
): boolean {
  const removed = (table: string, key: string, day = "true") =>
    db
      .prepare(
        `DELETE FROM ${table} WHERE (${key}) IN
           (SELECT ${key} FROM ${table} WHERE site = ${NOBODY} AND ${day} LIMIT ${rows})`,
      )
      .run().changes;
  let most = Math.max(removed("survey", "id"), removed("waiting", "id"));
  if (today !== null) {
    const over = `day < ${today}`;
    const counts = removed("count", "site, day, value", over);
    most = Math.max(most, counts, removed("day_total", "site, counter, day", over));
    // After what counts them: a stop in between must leave no count of a value that is gone.
    if (counts < rows) most = Math.max(most, removeValues(db, forgetValue, today, rows));
  }
  // What came in meanwhile is a few rows, which have time.
  return most === rows;
}

function removeValues(
  db: Database,
  forgetValue: (site: SiteKey, dimension: string, text: string) => void,
  today: Day,
  rows: number,
): number {
  const values = db
    .prepare(
      `DELETE FROM value WHERE id IN
         (SELECT id FROM value WHERE site = ${NOBODY} AND last_day < ${today} LIMIT ${rows})
       RETURNING dimension, text`,
    )
    .all() as { dimension: string; text: string }[];
  for (const { dimension, text } of values) forgetValue(NOBODY, dimension, text);
  return values.length;
}
