import { randomBytes } from "node:crypto";
import type { Day } from "../../base/calendar.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import { Refusal } from "../../base/refusal.ts";
import { daySums, readDays } from "../copy/day-reading.ts";
import type { DayCounts } from "../copy/difference.ts";
import { CopyRefused, type CopySite, type Sums } from "../copy/end.ts";
import type { Opening } from "../copy/options.ts";
import type { CopiedSurvey, CopySource, Outline, SourceDay } from "../copy/source.ts";
import type { Change, CopyTarget } from "../copy/target.ts";
import type { SiteKey } from "../counting.ts";
import type { SurveyLabels } from "../reports.ts";
import { numbers } from "./columns.ts";
import { Connection, type Sql } from "./connection.ts";
import { PostgresChange } from "./copying-change.ts";
import { isFull, isLost, reasonOf, refusalOf } from "./errors.ts";
import { hasTables, migrate } from "./migrate.ts";
import { Node } from "./node.ts";
import { PostgresCounts } from "./reads/counts.ts";
import { KnownValues } from "./reads/known-values.ts";
import { takenOf } from "./tables/copied-days.ts";
import { readDirectory } from "./tables/directory.ts";
import { databaseSecret } from "./tables/secrets.ts";
import { siteAlarms } from "./tables/site-alarms.ts";
import { type ConnectionSettings, parseDatabaseUrl, shownUrl } from "./url.ts";

const ID_BYTES = 8;
const SALT_BYTES = 32;

/** A database that any number of nodes count into, as `tallydeck copy` deals with it. */
export class PostgresEnd implements CopySource, CopyTarget {
  readonly id: string;
  readonly name: string;
  readonly #settings: ConnectionSettings;
  readonly #connection: Connection;
  readonly #salt: Uint8Array;
  readonly #node: Node;
  readonly #known = new KnownValues();

  private constructor(
    settings: ConnectionSettings,
    connection: Connection,
    { id, salt, node }: { id: string; salt: Uint8Array; node: Node },
  ) {
    this.#settings = settings;
    this.#connection = connection;
    this.name = shownUrl(settings);
    this.id = id;
    this.#salt = salt;
    this.#node = node;
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
      const salt = await databaseSecret(connection, "copy_salt", () => randomBytes(SALT_BYTES));
      return new PostgresEnd(settings, connection, {
        id: Buffer.from(id).toString("hex"),
        salt,
        node: new Node("copy", random),
      });
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

  async takenHashes(source: string, site: string): Promise<ReadonlyMap<Day, Uint8Array | null>> {
    const rows = await this.#connection.rows<{ day: Day; hash: Uint8Array | null }>(
      "SELECT day, hash FROM copied_day WHERE source = $1 AND site = $2",
      [source, site],
    );
    return new Map(rows.map(({ day, hash }) => [day, hash]));
  }

  taken(source: string, site: string, days: readonly Day[]): Promise<ReadonlyMap<Day, DayCounts>> {
    return takenOf(this.#connection, source, site, days);
  }

  outline(site: SiteKey): Promise<Outline> {
    return this.#moment(async (sql) => {
      const [days, past] = await sql.all([
        { text: DAYS, values: [site] },
        { text: "SELECT counter AS name, n FROM total WHERE site = $1 AND n > 0", values: [site] },
      ]);
      return { days: days as Outline["days"], past: sumsOf(past as readonly Sum[]) };
    });
  }

  days(
    site: SiteKey,
    days: readonly Day[],
    isKnown: (day: Day, hash: Uint8Array) => boolean,
  ): Promise<readonly SourceDay[]> {
    const how = { salt: this.#salt, isKnown };
    return this.#counted((counts) => readDays(counts, site, days, how));
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

  async waiting(): Promise<number> {
    const [row] = await this.#connection.rows<{ n: number }>(
      `SELECT coalesce(sum(GREATEST(hits, 1)), 0) AS n FROM waiting
       WHERE EXISTS (SELECT 1 FROM site WHERE key = waiting.site)`,
    );
    return row?.n ?? 0;
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
    return this.#counted((counts) => daySums(counts, site, days));
  }

  totals(site: SiteKey): Promise<Sums> {
    return this.#sums(
      `SELECT counter AS name, sum(n) AS n FROM (
         SELECT counter, n FROM total WHERE site = $1
         UNION ALL SELECT counter, n FROM day_total WHERE site = $1) AS ever
       GROUP BY counter`,
      site,
    );
  }

  surveySums(site: SiteKey): Promise<Sums> {
    return this.#sums(
      `SELECT version || ' ' || day AS name, count(*) AS n FROM survey
       WHERE site = $1 GROUP BY version, day`,
      site,
    );
  }

  async keptDays(): Promise<ReadonlySet<Day>> {
    const rows = await this.#connection.rows<{ day: Day }>("SELECT day FROM counted_day");
    return new Set(rows.map(({ day }) => day));
  }

  transaction<T>(task: (change: Change) => Promise<T>): Promise<T> {
    return this.#connection.transaction(async (sql) => {
      const change = await PostgresChange.begin(sql, this.#node);
      const result = await task(change);
      // Whoever shows numbers looks at them again.
      await sql.rows("UPDATE node SET batch = batch + 1, seen_at = now() WHERE id = $1", [
        this.#node.id,
      ]);
      return result;
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #moment<T>(read: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#connection.transaction(read, { read: true });
  }

  #counted<T>(read: (counts: PostgresCounts) => Promise<T>): Promise<T> {
    this.#known.trim();
    return this.#moment((sql) => read(new PostgresCounts(sql, this.#known)));
  }

  async #sums(text: string, site: SiteKey): Promise<Sums> {
    return sumsOf(await this.#connection.rows<Sum>(text, [site]));
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

interface Sum {
  readonly name: string;
  readonly n: number;
}

function sumsOf(rows: readonly Sum[]): Sums {
  return new Map(rows.map(({ name, n }) => [name, n]));
}

/** A day that is not packed yet was counted a moment ago, and has no mark. */
const DAYS = `
  SELECT day, GREATEST(0, coalesce(
    coalesce((SELECT value::bigint FROM meta WHERE key = 'run_ms'), 0) - counted_day.run_ms, 0))
    AS "ageMs"
  FROM (SELECT day FROM packed_day WHERE site = $1 UNION SELECT day FROM count WHERE site = $1) AS days
  LEFT JOIN counted_day USING (day) ORDER BY day`;
