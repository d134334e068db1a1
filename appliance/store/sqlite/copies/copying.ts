import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { Day } from "../../../base/calendar.ts";
import type { ZoneSetting } from "../../../base/day-zone.ts";
import {
  type Change,
  type CopiedSurvey,
  CopyRefused,
  type CopySite,
  type CopySource,
  type CopyTarget,
  type Outline,
  type SourceDay,
  type Sums,
  type Taken,
} from "../../copy/end.ts";
import { daySums, outlineOf, pendingHits, readDays, totalsOf } from "../../copy/reading.ts";
import type { SiteKey } from "../../counting.ts";
import { dayMarks, runMs } from "../counted-days.ts";
import {
  type Database,
  databaseFile,
  isSqliteError,
  openForReading,
  storageProblem,
} from "../database.ts";
import { openData } from "../health.ts";
import { makeDataDir } from "../lock.ts";
import { ofOneMoment, SqliteSnapshot } from "../snapshot.ts";
import { siteAlarms } from "../tables/site-alarms.ts";
import { databaseSecret, readDirectory, surveyLabels } from "../tables/sites.ts";
import { SqliteChange, takenOf } from "./copying-change.ts";

const ID_BYTES = 8;

/** The data of a folder, whether a service runs on it or not, as `tallydeck copy` deals with it. */
export class SqliteEnd implements CopySource, CopyTarget {
  readonly id: string;
  readonly name: string;
  readonly #db: Database;
  readonly #change: SqliteChange | undefined;

  private constructor(dataDir: string, db: Database, change: SqliteChange | undefined) {
    this.name = dataDir;
    this.#db = db;
    this.#change = change;
    this.id = Buffer.from(nameOf(db)).toString("hex");
  }

  /** @throws {CopyRefused | DatabaseRefused} with a sentence for the owner */
  static openSource(dataDir: string): SqliteEnd {
    const file = databaseFile(dataDir);
    if (!existsSync(file)) throw new CopyRefused(`There is no data of Tallydeck in ${dataDir}.`);
    // It may be of an older version, or nobody may have asked for its name yet.
    const db = openData(file);
    try {
      nameOf(db);
    } finally {
      db.close();
    }
    return new SqliteEnd(dataDir, openForReading(file), undefined);
  }

  /** Made where there is none. @throws {DatabaseRefused} with a sentence for the owner */
  static openTarget(dataDir: string): SqliteEnd {
    makeDataDir(dataDir);
    const db = openData(databaseFile(dataDir));
    return new SqliteEnd(dataDir, db, new SqliteChange(db));
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

  async taken(source: string, site: string): Promise<Taken> {
    return takenOf(this.#db, source, site);
  }

  outline(site: SiteKey): Promise<Outline> {
    return this.#moment((snapshot) =>
      outlineOf(snapshot, site, { days: dayMarks(this.#db), runMs: runMs(this.#db) }),
    );
  }

  days(
    site: SiteKey,
    days: readonly Day[],
    isKnown: (day: Day, hash: Uint8Array) => boolean,
  ): Promise<readonly SourceDay[]> {
    return this.#moment((snapshot) => readDays(snapshot, site, days, isKnown));
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

  waiting(): Promise<number> {
    return this.#moment(async (snapshot) => {
      const surveys = this.#db
        .prepare("SELECT count(*) FROM waiting_survey WHERE site IN (SELECT key FROM site)")
        .pluck()
        .get() as number;
      return surveys + (await pendingHits(snapshot));
    });
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
    return this.#moment((snapshot) => daySums(snapshot, site, days));
  }

  totals(site: SiteKey): Promise<Sums> {
    return this.#moment((snapshot) => totalsOf(snapshot, site));
  }

  async surveySums(site: SiteKey): Promise<Sums> {
    const rows = this.#db
      .prepare(
        "SELECT version || ' ' || day, count(*) FROM survey WHERE site = ? GROUP BY version, day",
      )
      .raw();
    return new Map(rows.all(site) as [string, number][]);
  }

  async keptDays(): Promise<ReadonlySet<Day>> {
    return new Set(this.#db.prepare("SELECT day FROM counted_day").pluck().all() as Day[]);
  }

  async transaction<T>(task: (change: Change) => Promise<T>): Promise<T> {
    const change = this.#change;
    if (change === undefined) throw new Error("a source is only read");
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = await task(change);
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #moment<T>(task: (snapshot: SqliteSnapshot) => Promise<T>): Promise<T> {
    return ofOneMoment(this.#db, () => task(new SqliteSnapshot(this.#db)));
  }
}

/** The name of the data, which a backup of it has, too. */
function nameOf(db: Database): Uint8Array {
  return databaseSecret(db, "copy_id", () => randomBytes(ID_BYTES));
}
