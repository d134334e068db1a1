import { createHmac, randomInt } from "node:crypto";
import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import { type CountGroup, FIXED_DIMENSIONS, NOBODY, type SiteKey } from "../../counting.ts";
import type { Database } from "../database.ts";

// What is sent for a site that does not exist is written as if it did, so that the time of the
// answer tells nothing: the same rows, but of NOBODY, illegible, and gone when their day is over.

/** Names that nobody's sites are told apart by, so that each seems to have a bound of its own. */
const NAMES = 256;
/** Made anew at each start: nobody can tell what a mask stood for. */
const SALT = randomInt(2 ** 32);
const FNV_PRIME = 0x01000193;

/** Stands for a site that does not exist and was called `name`. `secret`: 32 bytes. */
export function nobodyCalled(name: string, secret: Uint8Array): SiteKey {
  const digest = createHmac("sha256", secret).update(`survey\0${name}`).digest();
  return -1 - (digest.readUInt32BE() % NAMES);
}

/** A group as it is written for NOBODY: as large, and of no meaning. */
export function masked(group: CountGroup): CountGroup {
  const counts = [...group.counts].map(([dimension, values]): [string, Map<string, number>] => [
    dimension,
    FIXED_DIMENSIONS.has(dimension)
      ? values
      : new Map([...values].map(([text, n]) => [maskOf(text), n])),
  ]);
  return { ...group, site: NOBODY, counts: new Map(counts) };
}

/** A survey's payload as it is written for NOBODY. */
export function maskedPayload(payload: string): string {
  return JSON.stringify("-".repeat(Buffer.byteLength(payload)));
}

/** Alike for like texts, and quick: what it costs must not show either. */
function maskOf(text: string): string {
  if (text === OTHER) return text;
  let mask = SALT;
  for (let i = 0; i < text.length; i++) mask = Math.imul(mask ^ text.charCodeAt(i), FNV_PRIME);
  return (mask >>> 0).toString(36).padEnd(Buffer.byteLength(text), "-");
}

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
