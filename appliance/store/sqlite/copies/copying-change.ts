import type { Day } from "../../../base/calendar.ts";
import { monthOf } from "../../blocks/month.ts";
import {
  type BroughtDay,
  type Change,
  type CopiedSurvey,
  type Sums,
  sliceIn,
  type Taken,
} from "../../copy/end.ts";
import type { SiteKey } from "../../counting.ts";
import { partsOf } from "../../settling/parts.ts";
import type { Directory } from "../../sites/directory.ts";
import type { SiteChange } from "../../sites/draft.ts";
import type { BlockPieces } from "../../snapshot.ts";
import { markEarlier } from "../counted-days.ts";
import type { Database } from "../database.ts";
import { addPast, passGeneration, putBlock } from "../settle.ts";
import { carryOut } from "../tables/site-changes.ts";
import { readDirectory } from "../tables/sites.ts";

/** What was taken over of a site of a source. */
export function takenOf(db: Database, source: string, site: string): Taken {
  const all = (sql: string, ...more: unknown[]) => db.prepare(sql).all(source, site, ...more);
  const past = all("SELECT counter, n FROM copied_past WHERE source = ? AND site = ?") as {
    counter: string;
    n: number;
  }[];
  const days = all("SELECT day, hash FROM copied_day WHERE source = ? AND site = ?") as {
    day: Day;
    hash: Uint8Array;
  }[];
  return {
    past: new Map(past.map(({ counter, n }) => [counter, n])),
    days: new Map(days.map(({ day, hash }) => [day, hash])),
    async slices(asked) {
      const rows = all(
        `SELECT day, counters, counts, detail FROM copied_day
         WHERE source = ? AND site = ? AND day IN (SELECT value FROM json_each(?))`,
        JSON.stringify(asked),
      ) as (BlockPieces & { day: Day })[];
      return new Map(rows.map((row) => [row.day, sliceIn(row)]));
    },
  };
}

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
    for (const table of ["copied_day", "copied_past"])
      this.#db.prepare(`DELETE FROM ${table} WHERE source = ? AND site = ?`).run(source, site);
    this.#db
      .prepare(
        `DELETE FROM copied_survey WHERE source = ? AND survey NOT IN
           (SELECT survey.id FROM survey JOIN site ON site.key = survey.site)`,
      )
      .run(source);
  }

  async taken(source: string, site: string): Promise<Taken> {
    return takenOf(this.#db, source, site);
  }

  async addDays(
    source: string,
    site: string,
    key: SiteKey,
    days: readonly BroughtDay[],
  ): Promise<void> {
    const parts = this.#db
      .prepare("SELECT max(part) FROM block WHERE site = ? AND month = ? AND part BETWEEN ? AND ?")
      .pluck();
    const save = this.#db.prepare(
      `INSERT INTO copied_day (source, site, day, counters, counts, detail, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET counters = excluded.counters, counts = excluded.counts,
         detail = excluded.detail, hash = excluded.hash`,
    );
    for (const { day, ageMs, added, taken, hash } of days) {
      save.run(source, site, day, taken.counters, taken.counts, taken.detail, hash);
      if (added === undefined) continue;
      const month = monthOf(day);
      const [first, last] = partsOf(day);
      const newest = parts.get(key, month, first, last) as number | null;
      putBlock(this.#db, {
        site: key,
        month,
        part: newest === null ? first : newest + 1,
        ...added,
      });
      markEarlier(this.#db, day, ageMs);
    }
    passGeneration(this.#db);
  }

  async savePast(source: string, site: string, past: Sums, gone: readonly Day[]): Promise<void> {
    const save = this.#db.prepare(
      `INSERT INTO copied_past (source, site, counter, n) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = excluded.n`,
    );
    for (const [counter, n] of past) save.run(source, site, counter, n);
    this.#db
      .prepare(
        `DELETE FROM copied_day
         WHERE source = ? AND site = ? AND day IN (SELECT value FROM json_each(?))`,
      )
      .run(source, site, JSON.stringify(gone));
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
