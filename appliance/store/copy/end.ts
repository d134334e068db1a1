import type { Day } from "../../base/calendar.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import { bodyOf } from "../../base/documents.ts";
import { databaseUrl } from "../../base/input/database-url.ts";
import type { Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { timeRun } from "../settling/day-marks.ts";
import { ALARMS_QUERY, alarmsIn } from "../sites/alarms.ts";
import type { Directory, SiteRecord } from "../sites/directory.ts";
import type { SourceNumber } from "../snapshot.ts";
import { runSteps } from "../sql.ts";
import { SURVEY_LABELS } from "../surveys/labels.ts";
import {
  type CopiedSurvey,
  type CopyAccess,
  type CopyEngine,
  CopyRefused,
  type CopySite,
  type CopyWrites,
  type Opening,
  type Source,
} from "./engine.ts";
import { monthsBySource, pendingHits } from "./reading.ts";
import { knownSources, numberOf, sourcesOfSite } from "./sources.ts";

/** A database that is copied from, or to, or compared. */
export class CopyEnd {
  /** Of what it counts now. */
  readonly origin: string;
  readonly name: string;
  readonly #engine: CopyEngine;

  constructor(engine: CopyEngine) {
    this.origin = engine.origin;
    this.name = engine.name;
    this.#engine = engine;
  }

  /** @throws {CopyRefused} where it holds what is no block, and no batch */
  async readable<T>(read: () => Promise<T>): Promise<T> {
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

  /** All that is read is of one moment. @throws {CopyRefused} as `readable` */
  read<T>(task: (access: CopyAccess) => Promise<T>): Promise<T> {
    return this.readable(() => this.#engine.read(task));
  }

  /** All of it or nothing; `task` may run more than once. @throws {CopyRefused} as `readable` */
  transaction<T>(task: (access: CopyWrites) => Promise<T>): Promise<T> {
    return this.readable(() => this.#engine.write(task));
  }

  isAway(error: unknown): boolean {
    return this.#engine.isAway(error);
  }

  problemOf(error: unknown): string | undefined {
    return this.#engine.problemOf(error);
  }

  sites(): Promise<readonly CopySite[]> {
    return this.read(async (access) => {
      const { sites, retired } = await access.directory();
      const alarms = alarmsIn(await access.rows(ALARMS_QUERY));
      const rows = await access.rows<{ id: string; body: string }>(
        "SELECT id, body FROM document WHERE kind = $1",
        [SURVEY_LABELS.name],
      );
      const labels = new Map(
        rows.map(({ id, body }) => [Number(id), bodyOf(SURVEY_LABELS, id, body)]),
      );
      const whole = (isRetired: boolean) => (site: SiteRecord) => ({
        ...site,
        retired: isRetired,
        labels: labels.get(site.key) ?? {},
        alarms: alarms.find((each) => each.site === site.key),
      });
      return [...sites.map(whole(false)), ...retired.map(whole(true))];
    });
  }

  directory(): Promise<Directory> {
    return this.read(async (access) => access.directory());
  }

  async adminHash(): Promise<Uint8Array | null> {
    return (await this.directory()).adminHash;
  }

  /** The zone by which days begin; null where none was named. */
  async dayZone(): Promise<ZoneSetting | null> {
    return (await this.directory()).dayZone;
  }

  /** All whose counts it may have: the first one is what it counts itself. */
  sources(): Promise<readonly Source[]> {
    return this.read((access) => knownSources(access, this.name));
  }

  /** The same of which there may be anything of a site. */
  sourcesOf(site: SiteKey): Promise<readonly Source[]> {
    return this.read((access) => sourcesOfSite(access, this.name, site));
  }

  /** Whether it has anything of an origin, or a copy from there began. */
  async knows(origin: string): Promise<boolean> {
    return (await this.read((access) => numberOf(access, origin))) !== undefined;
  }

  /** By source, the months of a site in which there is anything, ascending. */
  months(
    site: SiteKey,
    sources: readonly Source[],
  ): Promise<ReadonlyMap<SourceNumber, readonly Month[]>> {
    const numbers = sources.map(({ number }) => number);
    return this.read(({ snapshot }) => monthsBySource(snapshot, site, numbers));
  }

  /** Responses of a source whose ids are beyond `after`, ascending. */
  surveys(source: SourceNumber, after: number, limit: number): Promise<readonly CopiedSurvey[]> {
    return this.read(({ rows }) =>
      rows<CopiedSurvey>(
        `SELECT id, source, coalesce(number, id) AS number, site, version, day, payload FROM survey
         WHERE id > $1 AND source = $2 AND site IN (SELECT key FROM site)
         ORDER BY id LIMIT $3`,
        [after, source, limit],
      ),
    );
  }

  /** Those of the responses of an origin that are not here. */
  missingSurveys(
    origin: string,
    surveys: readonly CopiedSurvey[],
  ): Promise<readonly CopiedSurvey[]> {
    if (surveys.length === 0) return Promise.resolve([]);
    const numbers = surveys.map(({ number }) => number);
    return this.read(async (access) => {
      const rows = await access.rows<{ number: number }>(
        `SELECT coalesce(number, id) AS number FROM survey
         WHERE source = $1 AND site IN (SELECT key FROM site)
           AND (number BETWEEN $2 AND $3 OR (number IS NULL AND id BETWEEN $2 AND $3))`,
        [(await numberOf(access, origin)) ?? -1, Math.min(...numbers), Math.max(...numbers)],
      );
      const known = new Set(rows.map(({ number }) => number));
      return surveys.filter(({ number }) => !known.has(number));
    });
  }

  /** How many hits and responses wait for the clock. */
  waiting(): Promise<number> {
    return this.read(async ({ rows, snapshot }) => {
      const [surveys] = await rows<{ n: number }>(
        "SELECT count(*) AS n FROM waiting_survey WHERE site IN (SELECT key FROM site)",
      );
      return (surveys?.n ?? 0) + (await pendingHits(snapshot));
    });
  }

  /** Every day that retention has not dropped. */
  async keptDays(): Promise<ReadonlySet<Day>> {
    const { marks } = await this.read(({ all }) => runSteps(all, timeRun()));
    return new Set(marks.keys());
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
    return new CopyEnd((await import("../sqlite/copies/copying.ts")).openFolder(where, opening));
  return new CopyEnd(await (await import("../postgres/copying.ts")).openDatabase(where, opening));
}
