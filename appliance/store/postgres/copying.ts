import { randomBytes } from "node:crypto";
import type { Day } from "../../base/calendar.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import { Refusal } from "../../base/refusal.ts";
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
} from "../copy/end.ts";
import type { Opening } from "../copy/options.ts";
import { daySums, outlineOf, pendingHits, readDays, totalsOf } from "../copy/reading.ts";
import type { SiteKey } from "../counting.ts";
import type { SurveyLabels } from "../reports.ts";
import { numbers } from "./columns.ts";
import { Connection, type Sql } from "./connection.ts";
import { PostgresChange, takenOf } from "./copying-change.ts";
import { isFull, isLost, reasonOf, refusalOf } from "./errors.ts";
import { hasTables, migrate } from "./migrate.ts";
import { PASS_GENERATION } from "./settle.ts";
import { PostgresSnapshot } from "./snapshot.ts";
import { SurveyIds } from "./surveys.ts";
import { readDirectory } from "./tables/directory.ts";
import { databaseSecret } from "./tables/secrets.ts";
import { siteAlarms } from "./tables/site-alarms.ts";
import { dayMarks, runMs } from "./upkeep/run-time.ts";
import { type ConnectionSettings, parseDatabaseUrl, shownUrl } from "./url.ts";

const ID_BYTES = 8;

/** A database that any number of nodes count into, as `tallydeck copy` deals with it. */
export class PostgresEnd implements CopySource, CopyTarget {
  readonly id: string;
  readonly name: string;
  readonly #settings: ConnectionSettings;
  readonly #connection: Connection;
  readonly #ids: SurveyIds;

  private constructor(
    settings: ConnectionSettings,
    connection: Connection,
    id: string,
    ids: SurveyIds,
  ) {
    this.#settings = settings;
    this.#connection = connection;
    this.name = shownUrl(settings);
    this.id = id;
    this.#ids = ids;
  }

  /** @throws {CopyRefused | Refusal} with a sentence for the owner */
  static openSource(url: string, opening: Opening): Promise<PostgresEnd> {
    return PostgresEnd.#open(url, opening, async (connection, settings) => {
      if (!(await hasTables(connection, settings)))
        throw new CopyRefused(`There is no data of Tallydeck in ${shownUrl(settings)}.`);
    });
  }

  /** Its tables are made where there are none. @throws {CopyRefused | Refusal} with a sentence for the owner */
  static openTarget(url: string, opening: Opening): Promise<PostgresEnd> {
    return PostgresEnd.#open(url, opening, async () => {});
  }

  static async #open(
    url: string,
    { clock, random, flag }: Opening,
    check: (connection: Connection, settings: ConnectionSettings) => Promise<void>,
  ): Promise<PostgresEnd> {
    const settings = { ...orRefused(flag, () => parseDatabaseUrl(url)), name: "copy" };
    const connection = new Connection(settings, { clock, role: "chores", random });
    try {
      await check(connection, settings);
      await migrate(connection, settings);
      const id = await databaseSecret(connection, "copy_id", () => randomBytes(ID_BYTES));
      return new PostgresEnd(
        settings,
        connection,
        Buffer.from(id).toString("hex"),
        new SurveyIds(clock, random),
      );
    } catch (error) {
      await connection.close();
      const refusal = refusalOf(error, settings);
      if (refusal !== undefined) throw refusedOf(flag, refusal);
      throw isLost(error)
        ? new CopyRefused(
            `${shownUrl(settings)} cannot be reached: ${reasonOf(error)}. Check that the server runs and that this machine may reach it.`,
          )
        : error;
    }
  }

  isAway(error: unknown): boolean {
    return isLost(error) && refusalOf(error, this.#settings) === undefined;
  }

  problemOf(error: unknown): string | undefined {
    if (isFull(error)) return `There is no room on the disk of ${this.name}. Make some.`;
    return refusalOf(error, this.#settings)?.message;
  }

  async sites(): Promise<readonly CopySite[]> {
    return this.#moment(async (sql) => {
      const { directory } = await readDirectory(sql);
      const alarms = await siteAlarms(sql);
      const rows = await sql.rows<{ site: SiteKey; labels: string }>(
        "SELECT site, labels FROM survey_labels",
      );
      const labels = new Map(rows.map((row) => [row.site, JSON.parse(row.labels) as SurveyLabels]));
      const whole = (isRetired: boolean) => (site: (typeof directory.sites)[number]) => ({
        ...site,
        retired: isRetired,
        labels: labels.get(site.key) ?? {},
        alarms: alarms.find((each) => each.site === site.key),
      });
      return [...directory.sites.map(whole(false)), ...directory.retired.map(whole(true))];
    });
  }

  async dayZone(): Promise<ZoneSetting | null> {
    return (await readDirectory(this.#connection)).directory.dayZone;
  }

  async adminHash(): Promise<Uint8Array | null> {
    return (await readDirectory(this.#connection)).directory.adminHash;
  }

  async takenSites(source: string): Promise<ReadonlyMap<string, SiteKey>> {
    const rows = await this.#connection.rows<{ site: string; key: SiteKey }>(
      "SELECT site, key FROM copied_site WHERE source = $1",
      [source],
    );
    return new Map(rows.map(({ site, key }) => [site, key]));
  }

  taken(source: string, site: string): Promise<Taken> {
    return takenOf(this.#connection, source, site);
  }

  outline(site: SiteKey): Promise<Outline> {
    return this.#moment(async (sql) => {
      const marks = { days: await dayMarks(sql), runMs: await runMs(sql) };
      return outlineOf(new PostgresSnapshot(sql), site, marks);
    });
  }

  days(
    site: SiteKey,
    days: readonly Day[],
    isKnown: (day: Day, hash: Uint8Array) => boolean,
  ): Promise<readonly SourceDay[]> {
    return this.#moment((sql) => readDays(new PostgresSnapshot(sql), site, days, isKnown));
  }

  async surveyIds(after: number, limit: number, but: string): Promise<readonly number[]> {
    const rows = await this.#connection.rows<{ id: number }>(
      `SELECT id FROM survey WHERE id > $1 AND EXISTS (SELECT 1 FROM site WHERE key = survey.site)
         AND NOT EXISTS (SELECT 1 FROM copied_survey WHERE survey = survey.id AND source = $2)
       ORDER BY id LIMIT $3`,
      [after, but, limit],
    );
    return rows.map(({ id }) => id);
  }

  surveys(ids: readonly number[]): Promise<readonly CopiedSurvey[]> {
    return this.#connection.rows<CopiedSurvey>(
      `SELECT id, site, version, day, payload FROM survey
       WHERE id = ANY($1::bigint[]) ORDER BY id`,
      [numbers(ids)],
    );
  }

  waiting(): Promise<number> {
    return this.#moment(async (sql) => {
      const [row] = await sql.rows<{ n: number }>(
        `SELECT count(*) AS n FROM waiting_survey
         WHERE EXISTS (SELECT 1 FROM site WHERE key = waiting_survey.site)`,
      );
      return (row?.n ?? 0) + (await pendingHits(new PostgresSnapshot(sql)));
    });
  }

  async missingSurveys(source: string, ids: readonly number[]): Promise<readonly number[]> {
    const rows = await this.#connection.rows<{ id: number }>(
      "SELECT id FROM copied_survey WHERE source = $1 AND id = ANY($2::bigint[])",
      [source, numbers(ids)],
    );
    const known = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !known.has(id));
  }

  sums(site: SiteKey, days: readonly Day[]): Promise<ReadonlyMap<Day, Sums>> {
    return this.#moment((sql) => daySums(new PostgresSnapshot(sql), site, days));
  }

  totals(site: SiteKey): Promise<Sums> {
    return this.#moment((sql) => totalsOf(new PostgresSnapshot(sql), site));
  }

  async surveySums(site: SiteKey): Promise<Sums> {
    const rows = await this.#connection.rows<{ name: string; n: number }>(
      `SELECT version || ' ' || day AS name, count(*) AS n FROM survey
       WHERE site = $1 GROUP BY version, day`,
      [site],
    );
    return new Map(rows.map(({ name, n }) => [name, n]));
  }

  async keptDays(): Promise<ReadonlySet<Day>> {
    const rows = await this.#connection.rows<{ day: Day }>("SELECT day FROM counted_day");
    return new Set(rows.map(({ day }) => day));
  }

  transaction<T>(task: (change: Change) => Promise<T>): Promise<T> {
    return this.#connection.transaction(async (sql) => {
      const result = await task(new PostgresChange(sql, this.#ids));
      // Whoever shows numbers looks at them again.
      await sql.rows(PASS_GENERATION);
      return result;
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #moment<T>(read: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#connection.transaction(read, { read: true });
  }
}

function orRefused<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? refusedOf(flag, error) : error;
  }
}

/** The sentence is about a setting; here the address is given otherwise. */
function refusedOf(flag: string, { message }: Refusal): CopyRefused {
  return new CopyRefused(message.replaceAll("DATABASE_URL", flag));
}
