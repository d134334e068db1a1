import { FULL_LOG_BYTES } from "../../base/bounds.ts";
import { type BatchData, NOBODY, type SiteKey, type SurveyRow } from "../counting.ts";
import { findOnce, holdOnce, noteOnce } from "../intake/once.ts";
import { eraseGone, withoutTexts } from "../log/rewriting.ts";
import { SITES } from "../sites/kinds.ts";
import { takeSurvey } from "../surveys/statements.ts";
import { type Database, dataVersionOf } from "./database.ts";
import { run } from "./sql.ts";

/** A full log is measured again after so many commits. */
const LOOK_EVERY = 64;

/**
 * Adds batches to the log, and responses to surveys, inside the caller's transactions. One connection;
 * whenever that changed sites, `forget` is to be called.
 */
export class Commits {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #dataVersion: () => number;
  /** Sites that are known to exist. The database is asked about others, and rarely. */
  readonly #sites = new Set<SiteKey>([NOBODY]);
  #foreignCommits = -1;
  /** The bytes that the log takes at most; undefined before it was looked at. */
  #logBytes: number | undefined;
  #sinceLook = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#statements = prepare(db);
    this.#dataVersion = dataVersionOf(db);
  }

  /** Empties the caches. */
  forget(): void {
    this.#foreignCommits = -1;
    this.#logBytes = undefined;
  }

  /** @returns whether each survey of the batch, in order, was taken: a site has only so many on a day */
  add({ log, surveys }: Pick<BatchData, "log" | "surveys">): boolean[] {
    this.#noticeForeignCommits();
    for (const sent of log) {
      // Hits that were on their way to a site erased since are removed.
      const body = eraseGone(sent, (site) => this.#exists(site));
      if (body !== undefined) this.#append(body);
    }
    return surveys.map((survey) => this.#addSurvey(survey));
  }

  /** Remembers a batch that counts once. @returns false where it was counted before */
  passOnce({ once }: Pick<BatchData, "once">): boolean {
    if (once === undefined) return true;
    if (run(this.#db, findOnce(once)).length > 0) return false;
    run(this.#db, holdOnce(once));
    run(this.#db, noteOnce(once));
    return true;
  }

  /** The log is only full while it waits for the clock, or cannot be settled. */
  #append(sent: Uint8Array): void {
    if (this.#logBytes === undefined || (this.#isFull && ++this.#sinceLook >= LOOK_EVERY)) {
      this.#logBytes = this.#statements.logBytes.get() as number;
      this.#sinceLook = 0;
    }
    const body = this.#isFull ? withoutTexts(sent) : sent;
    this.#statements.append.run(body);
    this.#logBytes += body.length;
  }

  get #isFull(): boolean {
    return (this.#logBytes ?? 0) >= FULL_LOG_BYTES;
  }

  #exists(site: SiteKey): boolean {
    if (this.#sites.has(site)) return true;
    const exists = this.#statements.siteExists.get(String(site)) !== undefined;
    if (exists) this.#sites.add(site);
    return exists;
  }

  #noticeForeignCommits(): void {
    const version = this.#dataVersion();
    if (version === this.#foreignCommits) return;
    this.#foreignCommits = version;
    this.#sites.clear();
    this.#sites.add(NOBODY);
  }

  #addSurvey(survey: SurveyRow): boolean {
    // SQLite numbers the rows.
    const [count, add] = takeSurvey(survey, null, (site) => this.#exists(site));
    run(this.#db, count);
    return run(this.#db, add).length > 0;
  }
}

function prepare(db: Database) {
  return {
    // The number of a folded row is never used again: readers remember by it which rows they have seen.
    append: db.prepare(
      `INSERT INTO log (n, body) VALUES (1 + max(
         coalesce((SELECT max(n) FROM log), 0), (SELECT n FROM folded WHERE node = 0)), ?)`,
    ),
    logBytes: db.prepare("SELECT coalesce(sum(length(body)), 0) FROM log").pluck(),
    siteExists: db.prepare(
      `SELECT 1 FROM document
       WHERE kind = '${SITES.name}' AND id = ? AND body IS NOT NULL`,
    ),
  };
}
