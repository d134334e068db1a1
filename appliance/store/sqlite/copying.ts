import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { DAY_MS, type Day, dayOf } from "../../base/calendar.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import { daySums, readDays } from "../copy/day-reading.ts";
import type { DayCounts } from "../copy/difference.ts";
import { CopyRefused, type CopySite, type Sums } from "../copy/end.ts";
import type { CopiedSurvey, CopySource, Outline, SourceDay } from "../copy/source.ts";
import type { Change, CopyTarget } from "../copy/target.ts";
import type { SiteKey } from "../counting.ts";
import { SqliteChange } from "./copying-change.ts";
import { SqliteCounts } from "./counts/source.ts";
import {
  type Database,
  databaseFile,
  isSqliteError,
  openForReading,
  storageProblem,
} from "./database.ts";
import { openData } from "./health.ts";
import { makeDataDir } from "./lock.ts";
import { ofOneMoment } from "./moment.ts";
import { takenOf } from "./tables/copied-days.ts";
import { siteAlarms } from "./tables/site-alarms.ts";
import { databaseSecret, readDirectory } from "./tables/sites.ts";
import { surveyLabels } from "./tables/survey-labels.ts";

const ID_BYTES = 8;
const SALT_BYTES = 32;

/** The data of a folder, whether a service runs on it or not, as `tallydeck copy` deals with it. */
export class SqliteEnd implements CopySource, CopyTarget {
  readonly id: string;
  readonly name: string;
  readonly #db: Database;
  readonly #counts: SqliteCounts;
  readonly #salt: Uint8Array;
  readonly #change: SqliteChange | undefined;

  private constructor(dataDir: string, db: Database, change: SqliteChange | undefined) {
    this.name = dataDir;
    this.#db = db;
    this.#counts = new SqliteCounts(db);
    this.#change = change;
    const { id, salt } = namesOf(db);
    this.id = Buffer.from(id).toString("hex");
    this.#salt = salt;
  }

  /** @throws {CopyRefused | DatabaseRefused} with a sentence for the owner */
  static openSource(dataDir: string): SqliteEnd {
    const file = databaseFile(dataDir);
    if (!existsSync(file)) throw new CopyRefused(`There is no data of Tallydeck in ${dataDir}.`);
    // It may be of an older version, or nobody may have asked for its name yet.
    const db = openData(file);
    try {
      namesOf(db);
    } finally {
      db.close();
    }
    return new SqliteEnd(dataDir, openForReading(file), undefined);
  }

  /** Made where there is none. @param now epoch ms @throws {DatabaseRefused} with a sentence for the owner */
  static openTarget(dataDir: string, now: () => number): SqliteEnd {
    makeDataDir(dataDir);
    const db = openData(databaseFile(dataDir));
    return new SqliteEnd(dataDir, db, new SqliteChange(db, () => dayOf(now())));
  }

  isAway(error: unknown): boolean {
    return isSqliteError(error, "SQLITE_BUSY");
  }

  problemOf(error: unknown): string | undefined {
    return storageProblem(error);
  }

  async sites(): Promise<readonly CopySite[]> {
    return ofOneMoment(this.#db, () => {
      const { sites, retired } = readDirectory(this.#db);
      const alarms = siteAlarms(this.#db);
      const whole = (isRetired: boolean) => (site: (typeof sites)[number]) => ({
        ...site,
        retired: isRetired,
        labels: surveyLabels(this.#db, { site: site.key }),
        alarms: alarms.find((each) => each.site === site.key),
      });
      return [...sites.map(whole(false)), ...retired.map(whole(true))];
    });
  }

  async dayZone(): Promise<ZoneSetting | null> {
    return readDirectory(this.#db).dayZone;
  }

  async adminHash(): Promise<Uint8Array | null> {
    return readDirectory(this.#db).adminHash;
  }

  async takenSites(source: string): Promise<ReadonlyMap<string, SiteKey>> {
    const rows = this.#db.prepare("SELECT site, key FROM copied_site WHERE source = ?").raw();
    return new Map(rows.all(source) as [string, SiteKey][]);
  }

  async takenHashes(source: string, site: string): Promise<ReadonlyMap<Day, Uint8Array | null>> {
    const rows = this.#db
      .prepare("SELECT day, hash FROM copied_day WHERE source = ? AND site = ?")
      .raw();
    return new Map(rows.all(source, site) as [Day, Uint8Array | null][]);
  }

  async taken(
    source: string,
    site: string,
    days: readonly Day[],
  ): Promise<ReadonlyMap<Day, DayCounts>> {
    return takenOf(this.#db, source, site, days);
  }

  async outline(site: SiteKey): Promise<Outline> {
    return ofOneMoment(this.#db, () => ({
      days: daysOf(this.#db, site),
      past: pastOf(this.#db, site),
    }));
  }

  days(
    site: SiteKey,
    days: readonly Day[],
    isKnown: (day: Day, hash: Uint8Array) => boolean,
  ): Promise<readonly SourceDay[]> {
    return ofOneMoment(this.#db, () =>
      readDays(this.#counts, site, days, { salt: this.#salt, isKnown }),
    );
  }

  async surveyIds(after: number, limit: number, but: string): Promise<readonly number[]> {
    return this.#db
      .prepare(
        `SELECT id FROM survey WHERE id > ? AND site IN (SELECT key FROM site)
           AND id NOT IN (SELECT survey FROM copied_survey WHERE source = ?)
         ORDER BY id LIMIT ?`,
      )
      .pluck()
      .all(after, but, limit) as number[];
  }

  async surveys(ids: readonly number[]): Promise<readonly CopiedSurvey[]> {
    return this.#db
      .prepare(
        `SELECT id, site, version, day, payload FROM survey
         WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
      )
      .all(JSON.stringify(ids)) as CopiedSurvey[];
  }

  async waiting(): Promise<number> {
    return this.#db
      .prepare(
        "SELECT coalesce(sum(max(hits, 1)), 0) FROM waiting WHERE site IN (SELECT key FROM site)",
      )
      .pluck()
      .get() as number;
  }

  async missingSurveys(source: string, ids: readonly number[]): Promise<readonly number[]> {
    return this.#db
      .prepare(
        `SELECT value FROM json_each(?)
         WHERE value NOT IN (SELECT id FROM copied_survey WHERE source = ?) ORDER BY value`,
      )
      .pluck()
      .all(JSON.stringify(ids), source) as number[];
  }

  sums(site: SiteKey, days: readonly Day[]): Promise<ReadonlyMap<Day, Sums>> {
    return ofOneMoment(this.#db, () => daySums(this.#counts, site, days));
  }

  async totals(site: SiteKey): Promise<Sums> {
    return pairs(this.#db, "SELECT counter, n FROM total WHERE site = ?", site);
  }

  async surveySums(site: SiteKey): Promise<Sums> {
    return pairs(
      this.#db,
      "SELECT version || ' ' || day, count(*) FROM survey WHERE site = ? GROUP BY version, day",
      site,
    );
  }

  async keptDays(): Promise<ReadonlySet<Day>> {
    return new Set(this.#db.prepare("SELECT day FROM counted_day").pluck().all() as Day[]);
  }

  async transaction<T>(task: (change: Change) => Promise<T>): Promise<T> {
    const change = this.#change;
    if (change === undefined) throw new Error("a source is only read");
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      change.begin();
      const result = await task(change);
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      change.forget();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

/**
 * The name of the data, which a backup of it has, too; and the salt, which it has not: in what is
 * restored, numbers of values that were given since are given once more.
 */
function namesOf(db: Database): { id: Uint8Array; salt: Uint8Array } {
  return {
    id: databaseSecret(db, "copy_id", () => randomBytes(ID_BYTES)),
    salt: databaseSecret(db, "copy_salt", () => randomBytes(SALT_BYTES)),
  };
}

function daysOf(db: Database, site: SiteKey): Outline["days"] {
  const days = db
    .prepare(
      "SELECT day FROM packed_day WHERE site = :site UNION SELECT day FROM count WHERE site = :site ORDER BY day",
    )
    .pluck()
    .all({ site }) as Day[];
  const marks = pairs<Day>(db, "SELECT day, run_ms FROM counted_day");
  const runMs = (db.prepare("SELECT value FROM meta WHERE key = 'run_ms'").pluck().get() ??
    0) as number;
  const newest = Math.max(days.at(-1) ?? 0, ...marks.keys());
  return days.map((day) => {
    const mark = marks.get(day);
    // As markUnmarkedDays has it: as if the service had run all the time.
    const age = mark === undefined ? (newest - day) * DAY_MS : runMs - mark;
    return { day, ageMs: Math.max(0, age) };
  });
}

function pastOf(db: Database, site: SiteKey): Sums {
  return pairs(
    db,
    `SELECT counter, n - coalesce((SELECT sum(d.n) FROM day_total d
       WHERE d.site = total.site AND d.counter = total.counter), 0) AS past
     FROM total WHERE site = ? AND past > 0`,
    site,
  );
}

function pairs<K = string>(db: Database, sql: string, ...values: unknown[]): Map<K, number> {
  return new Map(db.prepare(sql).raw().all(values) as [K, number][]);
}
