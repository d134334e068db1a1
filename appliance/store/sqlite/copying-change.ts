import type { Day } from "../../base/calendar.ts";
import type { DayCounts } from "../copy/difference.ts";
import type { Sums } from "../copy/end.ts";
import type { CopiedSurvey } from "../copy/source.ts";
import { encodeTaken, type Taken } from "../copy/taken.ts";
import type { AddedDay, Change } from "../copy/target.ts";
import type { SiteKey } from "../counting.ts";
import type { Directory } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import { addDays } from "./add-days.ts";
import { markEarlier } from "./counted-days.ts";
import type { Database } from "./database.ts";
import { addPast } from "./settle.ts";
import { takenOf } from "./tables/copied-days.ts";
import { carryOut } from "./tables/site-changes.ts";
import { readDirectory } from "./tables/sites.ts";

/** What a copy writes into the data of a folder. */
export class SqliteChange implements Change {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async directory(): Promise<Directory> {
    return readDirectory(this.#db);
  }

  async carryOut(changes: readonly SiteChange[]): Promise<void> {
    carryOut(this.#db, changes);
  }

  async saveSite(source: string, site: string, key: SiteKey): Promise<void> {
    this.#db
      .prepare(
        `INSERT INTO copied_site (source, site, key) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET key = excluded.key`,
      )
      .run(source, site, key);
  }

  async forgetSite(source: string, site: string): Promise<void> {
    const { changes } = this.#db
      .prepare("DELETE FROM copied_site WHERE source = ? AND site = ?")
      .run(source, site);
    if (changes === 0) return;
    this.#db.prepare("DELETE FROM copied_day WHERE source = ? AND site = ?").run(source, site);
    this.#db
      .prepare(
        `DELETE FROM copied_survey WHERE source = ? AND survey NOT IN
           (SELECT survey.id FROM survey JOIN site ON site.key = survey.site)`,
      )
      .run(source);
  }

  async taken(
    source: string,
    site: string,
    days: readonly Day[],
  ): Promise<ReadonlyMap<Day, DayCounts>> {
    return takenOf(this.#db, source, site, days);
  }

  async saveTaken(source: string, site: string, days: ReadonlyMap<Day, Taken>): Promise<void> {
    const save = this.#db.prepare(
      `INSERT INTO copied_day (source, site, day, counts, hash) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET counts = excluded.counts, hash = excluded.hash`,
    );
    for (const [day, { counts, hash }] of days)
      save.run(source, site, day, encodeTaken(counts), hash);
  }

  async forgetTaken(source: string, site: string, days: readonly Day[]): Promise<void> {
    this.#db
      .prepare(
        `DELETE FROM copied_day
         WHERE source = ? AND site = ? AND day IN (SELECT value FROM json_each(?))`,
      )
      .run(source, site, JSON.stringify(days));
  }

  async count(site: SiteKey, days: readonly AddedDay[]): Promise<void> {
    addDays(this.#db, site, days);
    for (const { day, ageMs } of days) markEarlier(this.#db, day, ageMs);
  }

  async addPast(site: SiteKey, counters: Sums): Promise<void> {
    addPast(this.#db, site, counters);
  }

  async addSurveys(source: string, surveys: readonly CopiedSurvey[]): Promise<number> {
    const known = this.#db.prepare("SELECT 1 FROM copied_survey WHERE source = ? AND id = ?");
    const add = this.#db.prepare(
      "INSERT INTO survey (site, version, day, payload) VALUES (?, ?, ?, ?)",
    );
    const save = this.#db.prepare(
      "INSERT INTO copied_survey (source, id, survey) VALUES (?, ?, ?)",
    );
    let added = 0;
    for (const { id, site, version, day, payload } of surveys) {
      if (known.get(source, id) !== undefined) continue;
      save.run(source, id, add.run(site, version, day, payload).lastInsertRowid);
      added += 1;
    }
    return added;
  }
}
