import type { Day } from "../../base/calendar.ts";
import type { DayCounts } from "../copy/difference.ts";
import type { Sums } from "../copy/end.ts";
import type { CopiedSurvey } from "../copy/source.ts";
import { encodeTaken, type Taken } from "../copy/taken.ts";
import type { AddedDay, Change } from "../copy/target.ts";
import type { SiteKey } from "../counting.ts";
import type { Directory } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import { Ledger } from "./counts/ledger.ts";
import { packCounts } from "./counts/upkeep.ts";
import type { Database } from "./database.ts";
import { takenOf } from "./tables/copied-days.ts";
import { carryOut } from "./tables/site-changes.ts";
import { readDirectory } from "./tables/sites.ts";

/** What a copy writes into the data of a folder. */
export class SqliteChange implements Change {
  readonly #db: Database;
  readonly #ledger: Ledger;
  readonly #today: () => Day;

  constructor(db: Database, today: () => Day) {
    this.#db = db;
    this.#ledger = new Ledger(db);
    this.#today = today;
  }

  /** To be called first in each transaction. */
  begin(): void {
    this.#ledger.noticeForeignCommits();
  }

  /** To be called after a rollback. */
  forget(): void {
    this.#ledger.forget();
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
    for (const { day, ageMs, counts } of days) {
      this.#ledger.countDay(site, day, counts, ageMs);
      // What is over is packed at once: years of open days would make the file many times as large.
      if (day < this.#today() - 1) packCounts(this.#db, site, day);
    }
  }

  async addPast(site: SiteKey, counters: Sums): Promise<void> {
    const add = this.#db.prepare(
      `INSERT INTO total (site, counter, n) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    );
    for (const [counter, n] of counters) add.run(site, counter, n);
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
