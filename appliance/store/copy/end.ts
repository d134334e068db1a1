import type { Day } from "../../base/calendar.ts";
import { databaseUrl } from "../../base/database-url.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import type { SiteKey } from "../counting.ts";
import type { SurveyLabels } from "../reports.ts";
import type { SiteRecord } from "../sites/directory.ts";
import { Change, RUN_MS } from "./change.ts";
import {
  type CopiedSurvey,
  type CopyAccess,
  type CopyEngine,
  CopyRefused,
  type CopySite,
  type Opening,
  type Rows,
  type Sums,
} from "./engine.ts";
import {
  daySums,
  type Outline,
  outlineOf,
  pendingHits,
  readDays,
  type SourceDay,
  totalsOf,
} from "./reading.ts";
import { type Taken, takenOf } from "./taken.ts";

/** A database that is copied from, or to, or compared. */
export class CopyEnd {
  readonly id: string;
  readonly name: string;
  readonly #engine: CopyEngine;
  readonly #rows: Rows;

  constructor(engine: CopyEngine) {
    this.id = engine.id;
    this.name = engine.name;
    this.#engine = engine;
    this.#rows = (text, values) => engine.read((access) => access.rows(text, values));
  }

  /** @throws {CopyRefused} where it holds what is no block, and no batch */
  async #readable<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new CopyRefused(
        `Some of what ${this.name} has counted cannot be read: ${error.message}. Restore a backup of it; then give the same command again.`,
        { cause: error },
      );
    }
  }

  #ofOneMoment<T>(read: (access: CopyAccess) => Promise<T>): Promise<T> {
    return this.#readable(() => this.#engine.read(read));
  }

  isAway(error: unknown): boolean {
    return this.#engine.isAway(error);
  }

  problemOf(error: unknown): string | undefined {
    return this.#engine.problemOf(error);
  }

  sites(): Promise<readonly CopySite[]> {
    return this.#engine.read(async (access) => {
      const { sites, retired } = await access.directory();
      const alarms = await access.alarms();
      const rows = await access.rows<{ site: SiteKey; labels: string }>(
        "SELECT site, labels FROM survey_labels",
      );
      const labels = new Map(rows.map((row) => [row.site, JSON.parse(row.labels) as SurveyLabels]));
      const whole = (isRetired: boolean) => (site: SiteRecord) => ({
        ...site,
        retired: isRetired,
        labels: labels.get(site.key) ?? {},
        alarms: alarms.find((each) => each.site === site.key),
      });
      return [...sites.map(whole(false)), ...retired.map(whole(true))];
    });
  }

  async adminHash(): Promise<Uint8Array | null> {
    return (await this.#engine.read(async (access) => access.directory())).adminHash;
  }

  /** By which days begin; null where nobody has named it. */
  async dayZone(): Promise<ZoneSetting | null> {
    return (await this.#engine.read(async (access) => access.directory())).dayZone;
  }

  // What it remembers of the copies it took, by the id of their source. Both ends are asked, for what
  // came from the other one does not go back.

  /** Site there → site here, which may be erased since. */
  async takenSites(source: string): Promise<ReadonlyMap<string, SiteKey>> {
    const rows = await this.#rows<{ site: string; key: SiteKey }>(
      "SELECT site, key FROM copied_site WHERE source = $1",
      [source],
    );
    return new Map(rows.map(({ site, key }) => [site, key]));
  }

  async taken(source: string, site: string): Promise<Taken> {
    const taken = await takenOf(this.#rows, source, site);
    return { ...taken, slices: (days) => this.#readable(() => taken.slices(days)) };
  }

  /** Those of the responses that were not brought yet. */
  async missingSurveys(
    source: string,
    surveys: readonly CopiedSurvey[],
  ): Promise<readonly CopiedSurvey[]> {
    const rows = await this.#rows<{ id: number }>(
      "SELECT id FROM copied_survey WHERE source = $1 AND id BETWEEN $2 AND $3",
      [source, surveys[0]?.id ?? 0, surveys.at(-1)?.id ?? 0],
    );
    const known = new Set(rows.map(({ id }) => id));
    return surveys.filter(({ id }) => !known.has(id));
  }

  // What it has.

  outline(site: SiteKey): Promise<Outline> {
    return this.#ofOneMoment(async ({ rows, snapshot }) => {
      const [run] = await rows<{ ms: number }>(`SELECT ${RUN_MS} AS ms`);
      const days = await rows<{ day: Day; ms: number }>(
        "SELECT day, run_ms AS ms FROM counted_day",
      );
      const marks = new Map(days.map(({ day, ms }) => [day, ms]));
      return outlineOf(snapshot, site, { days: marks, runMs: run?.ms ?? 0 });
    });
  }

  /** Those of the days, all of one month, on which there is anything. */
  days(
    site: SiteKey,
    days: readonly Day[],
    isKnown: (day: Day, hash: Uint8Array) => boolean,
  ): Promise<readonly SourceDay[]> {
    return this.#ofOneMoment(({ snapshot }) => readDays(snapshot, site, days, isKnown));
  }

  /** Responses whose ids are beyond `after`, ascending, but those that came from the database `but`. */
  surveys(after: number, limit: number, but: string): Promise<readonly CopiedSurvey[]> {
    return this.#rows<CopiedSurvey>(
      `SELECT id, site, version, day, payload FROM survey
       WHERE id > $1 AND site IN (SELECT key FROM site)
         AND NOT EXISTS (SELECT 1 FROM copied_survey WHERE survey = survey.id AND source = $2)
       ORDER BY id LIMIT $3`,
      [after, but, limit],
    );
  }

  /** How many hits and responses wait for the clock. */
  waiting(): Promise<number> {
    return this.#ofOneMoment(async ({ rows, snapshot }) => {
      const [surveys] = await rows<{ n: number }>(
        "SELECT count(*) AS n FROM waiting_survey WHERE site IN (SELECT key FROM site)",
      );
      return (surveys?.n ?? 0) + (await pendingHits(snapshot));
    });
  }

  // What a comparison looks at.

  /** Of those days, all of one month, on which there is anything. */
  sums(site: SiteKey, days: readonly Day[]): Promise<ReadonlyMap<Day, Sums>> {
    return this.#ofOneMoment(({ snapshot }) => daySums(snapshot, site, days));
  }

  /** Counters of all time, days past retention included. */
  totals(site: SiteKey): Promise<Sums> {
    return this.#ofOneMoment(({ snapshot }) => totalsOf(snapshot, site));
  }

  /** How many responses there are, by `version day`. */
  async surveySums(site: SiteKey): Promise<Sums> {
    const rows = await this.#rows<{ name: string; n: number }>(
      `SELECT version || ' ' || day AS name, count(*) AS n FROM survey
       WHERE site = $1 GROUP BY version, day`,
      [site],
    );
    return new Map(rows.map(({ name, n }) => [name, n]));
  }

  /** Every day that retention has not dropped. */
  async keptDays(): Promise<ReadonlySet<Day>> {
    const rows = await this.#rows<{ day: Day }>("SELECT day FROM counted_day");
    return new Set(rows.map(({ day }) => day));
  }

  /** All of it or nothing; `task` may run more than once. */
  transaction<T>(task: (change: Change) => Promise<T>): Promise<T> {
    return this.#readable(() => this.#engine.write((access) => task(new Change(access))));
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/**
 * Opens what is copied from, or only compared; or, as a target, what is copied to, which is made where
 * there is none.
 * @param where a data folder, or `postgres://…`
 * @throws {CopyRefused | Refusal} with a sentence for the owner
 */
export async function openEnd(where: string, opening: Opening): Promise<CopyEnd> {
  if (databaseUrl(where) === undefined)
    return new CopyEnd((await import("../sqlite/copying.ts")).openFolder(where, opening));
  return new CopyEnd(await (await import("../postgres/copying.ts")).openDatabase(where, opening));
}
