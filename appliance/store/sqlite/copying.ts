import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { DAY_MS, type Day } from "../../base/calendar.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import { firstDayOf, MAX_MONTH } from "../blocks/month.ts";
import { daySums, readDays } from "../copy/day-reading.ts";
import type { DayCounts } from "../copy/difference.ts";
import { CopyRefused, type CopySite, type Sums } from "../copy/end.ts";
import type { CopiedSurvey, CopySource, Outline, SourceDay } from "../copy/source.ts";
import type { Change, CopyTarget } from "../copy/target.ts";
import { COUNTERS, type SiteKey } from "../counting.ts";
import { BlockCounts } from "../counts/block-counts.ts";
import { LogTail } from "../log/tail.ts";
import { SqliteChange } from "./copying-change.ts";
import { dayMarks, runMs } from "./counted-days.ts";
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
import { SqliteSnapshot } from "./snapshot.ts";
import { takenOf } from "./tables/copied-days.ts";
import { siteAlarms } from "./tables/site-alarms.ts";
import { databaseSecret, readDirectory } from "./tables/sites.ts";
import { surveyLabels } from "./tables/survey-labels.ts";

const ID_BYTES = 8;
/** The end of the year 2399: no clock of ours goes further. */
const LAST_DAY = firstDayOf(MAX_MONTH + 1) - 1;

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
    return ofOneMoment(this.#db, async () => ({
      days: await daysOf(this.#db, site),
      past: pastOf(this.#db, site),
    }));
  }

  days(
    site: SiteKey,
    days: readonly Day[],
    isKnown: (day: Day, hash: Uint8Array) => boolean,
  ): Promise<readonly SourceDay[]> {
    return ofOneMoment(this.#db, () =>
      readDays(countsOf(this.#db), site, days, { salt: null, isKnown }),
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
    return ofOneMoment(this.#db, async () => {
      const sites = [...new SqliteSnapshot(this.#db).siteKeys()];
      const hits = await countsOf(this.#db).pending(sites);
      const surveys = this.#db
        .prepare("SELECT count(*) FROM waiting_survey WHERE site IN (SELECT key FROM site)")
        .pluck()
        .get() as number;
      return hits.reduce((sum, n) => sum + n, surveys);
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
    return ofOneMoment(this.#db, () => daySums(countsOf(this.#db), site, days));
  }

  async totals(site: SiteKey): Promise<Sums> {
    return ofOneMoment(this.#db, async () => {
      const sums = new Map(pastOf(this.#db, site));
      const byDay = await daySums(countsOf(this.#db), site, await allDays(this.#db, site));
      for (const ofDay of byDay.values())
        for (const counter of COUNTERS) {
          const n = (sums.get(counter) ?? 0) + (ofDay.get(counter) ?? 0);
          if (n > 0) sums.set(counter, n);
        }
      return sums;
    });
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
}

/** The name of the data, which a backup of it has, too. */
function nameOf(db: Database): Uint8Array {
  return databaseSecret(db, "copy_id", () => randomBytes(ID_BYTES));
}

/** Made for each question: what it remembers of the log is of one moment. */
function countsOf(db: Database): BlockCounts {
  return new BlockCounts(new SqliteSnapshot(db), new LogTail(), {
    of: "views",
    where: [],
    detailFrom: Number.POSITIVE_INFINITY,
  });
}

async function allDays(db: Database, site: SiteKey): Promise<Day[]> {
  const counts = countsOf(db);
  const days = new Set<Day>();
  await counts.eachDay({ site, from: 0, to: LAST_DAY }, (day) => days.add(day));
  return [...days].sort((a, b) => a - b);
}

async function daysOf(db: Database, site: SiteKey): Promise<Outline["days"]> {
  const days = await allDays(db, site);
  const [marks, ran] = [dayMarks(db), runMs(db)];
  const newest = Math.max(days.at(-1) ?? 0, ...marks.keys());
  return days.map((day) => {
    const mark = marks.get(day);
    // What is still in the log has none: as if the service had run all the time.
    const age = mark === undefined ? (newest - day) * DAY_MS : ran - mark;
    return { day, ageMs: Math.max(0, age) };
  });
}

function pastOf(db: Database, site: SiteKey): Sums {
  return pairs(db, "SELECT counter, n FROM past WHERE site = ?", site);
}

function pairs<K = string>(db: Database, sql: string, ...values: unknown[]): Map<K, number> {
  return new Map(db.prepare(sql).raw().all(values) as [K, number][]);
}
