import {
  MAX_TEXT_BYTES,
  MAX_TEXT_BYTES_PER_DAY,
  MAX_VALUES,
  MAX_VALUES_PER_DAY,
  type SiteKey,
} from "../../counting.ts";
import type { Database } from "../database.ts";

interface Held {
  values: number;
  bytes: number;
}

/**
 * How many values each dimension of a site holds over all days, and whether it may hold another. As
 * much as a day may bring is let in past the bounds: upkeep folds it, once it is of the past.
 */
export class ValueRoom {
  readonly #held = new Map<string, Held>();
  readonly #count;

  constructor(db: Database) {
    this.#count = db.prepare(
      `SELECT count(*) AS "values", total(octet_length(text)) AS bytes
       FROM value WHERE site = ? AND dimension = ?`,
    );
  }

  isLeft(site: SiteKey, dimension: string): boolean {
    const { values, bytes } = this.#heldBy(site, dimension);
    return (
      values < MAX_VALUES + MAX_VALUES_PER_DAY && bytes < MAX_TEXT_BYTES + MAX_TEXT_BYTES_PER_DAY
    );
  }

  /** To be called before the value is in the database. */
  take(site: SiteKey, dimension: string, text: string): void {
    const held = this.#heldBy(site, dimension);
    held.values += 1;
    held.bytes += Buffer.byteLength(text);
  }

  /** Values of the dimension are gone. */
  forget(site: SiteKey, dimension: string): void {
    this.#held.delete(`${site}/${dimension}`);
  }

  forgetAll(): void {
    this.#held.clear();
  }

  #heldBy(site: SiteKey, dimension: string): Held {
    const key = `${site}/${dimension}`;
    let held = this.#held.get(key);
    if (held === undefined) {
      held = this.#count.get(site, dimension) as Held;
      this.#held.set(key, held);
    }
    return held;
  }
}
