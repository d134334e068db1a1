import { randomBytes } from "node:crypto";
import { BOUNDS } from "../../../base/bounds.ts";
import { OWN_SOURCE, type SourceNumber } from "../../snapshot.ts";
import { isOrigin, isWhole } from "../../transfer/values.ts";
import type { Database } from "../database.ts";

const ORIGIN_BYTES = 8;

/**
 * Gives the sources of a backup new numbers. The counts of the backup's own database become a source, too, with
 * the origin of that database: it may live on, and a later copy of it must find the counts that are here.
 */
export class RestoredSources {
  readonly #from: Database;
  readonly #to: Database;
  readonly #numbers = new Map<unknown, SourceNumber>();
  #made = 0;

  constructor(from: Database, to: Database) {
    this.#from = from;
    this.#to = to;
  }

  /** The row of the backup that had this number has another one here. */
  add(was: unknown, is: SourceNumber): void {
    this.#numbers.set(was, is);
  }

  /**
   * A number without a row is damaged, or its row is; it counts as a source all the same.
   * @returns undefined for a value that is no number, and where there are too many sources
   */
  numberOf(was: unknown): SourceNumber | undefined {
    const known = this.#numbers.get(was);
    if (known !== undefined || !isWhole(was) || this.#made > BOUNDS.sources.count) return known;
    this.#made += 1;
    const origin = was === OWN_SOURCE ? this.#originOfBackup() : randomOrigin();
    const made = this.#to
      .prepare("INSERT INTO source (origin, kind, name) VALUES (?, 'here', ?)")
      .run(origin, "before a restore");
    const number = Number(made.lastInsertRowid);
    this.#numbers.set(was, number);
    return number;
  }

  /** Responses are known elsewhere by the number they had there. */
  nameSurveys(): void {
    const own = this.#numbers.get(OWN_SOURCE);
    if (own !== undefined)
      this.#to
        .prepare("UPDATE survey SET number = id WHERE source = ? AND number IS NULL")
        .run(own);
  }

  /** The origin of the backup; a new one where it has none, or that of another source. */
  #originOfBackup(): string {
    const noted = this.#from.prepare("SELECT value FROM meta WHERE key = 'origin'").pluck().get();
    if (!isOrigin(noted)) return randomOrigin();
    const isTaken = this.#to.prepare("SELECT 1 FROM source WHERE origin = ?").get(noted);
    return isTaken === undefined ? String(noted) : randomOrigin();
  }
}

function randomOrigin(): string {
  return randomBytes(ORIGIN_BYTES).toString("hex");
}
