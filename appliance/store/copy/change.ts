import type { Day } from "../../base/calendar.ts";
import { monthOf } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { partsOf } from "../settling/parts.ts";
import type { Directory } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import type { BlockPieces } from "../snapshot.ts";
import type { CopiedSurvey, CopyWrites, Sums } from "./engine.ts";
import { type Taken, takenOf } from "./taken.ts";

/** For how long the service has run with the data, in ms. */
export const RUN_MS = "coalesce((SELECT CAST(value AS bigint) FROM meta WHERE key = 'run_ms'), 0)";

/**
 * The first part of site `$1` and month `$2` that is free, from `$3` to `$4`: a card may have bent one to the last
 * there is, so that none is after it.
 */
const FREE_PART = `(
  SELECT min(part) FROM (
    SELECT CAST($3 AS integer) AS part
    UNION ALL SELECT part + 1 FROM block
      WHERE site = $1 AND month = $2 AND part >= $3 AND part < $4) AS next
  WHERE NOT EXISTS (SELECT 1 FROM block
    WHERE site = $1 AND month = $2 AND block.part = next.part))`;

/** A day as it is brought. */
export interface BroughtDay {
  readonly day: Day;
  /** For how long the data there had been in use since the day was last counted on, in ms. */
  readonly ageMs: number;
  /** What is to be added to what is there; undefined for nothing. */
  readonly added: BlockPieces | undefined;
  /** All that was brought of the day by then, and the state it brings it to. */
  readonly taken: BlockPieces;
  readonly hash: Uint8Array;
}

/** What is done in one transaction: what was taken from the source is no other's to change meanwhile. */
export class Change {
  readonly #to: CopyWrites;

  constructor(to: CopyWrites) {
    this.#to = to;
  }

  async directory(): Promise<Directory> {
    return this.#to.directory();
  }

  async carryOut(changes: readonly SiteChange[]): Promise<void> {
    await this.#to.carryOut(changes);
  }

  async saveSite(source: string, site: string, key: SiteKey): Promise<void> {
    await this.#to.rows(
      `INSERT INTO copied_site (source, site, key) VALUES ($1, $2, $3)
       ON CONFLICT (source, site) DO UPDATE SET key = excluded.key`,
      [source, site, key],
    );
  }

  /** Forgets all that was taken over of a site: here it was erased since. */
  async forgetSite(source: string, site: string): Promise<void> {
    const values = [source, site];
    const gone = await this.#to.rows(
      "DELETE FROM copied_site WHERE source = $1 AND site = $2 RETURNING key",
      values,
    );
    if (gone.length === 0) return;
    await this.#to.all([
      { text: "DELETE FROM copied_day WHERE source = $1 AND site = $2", values },
      { text: "DELETE FROM copied_past WHERE source = $1 AND site = $2", values },
      {
        text: `DELETE FROM copied_survey WHERE source = $1 AND NOT EXISTS
                 (SELECT 1 FROM survey JOIN site ON site.key = survey.site
                  WHERE survey.id = copied_survey.survey)`,
        values: [source],
      },
    ]);
  }

  async taken(source: string, site: string): Promise<Taken> {
    // Locked until the end: another copy from the same source waits, and then finds what this one brought.
    await this.#to.rows("UPDATE copied_site SET key = key WHERE source = $1 AND site = $2", [
      source,
      site,
    ]);
    return takenOf(this.#to.rows, source, site);
  }

  /** Adds days of one month, as far as anything of them is new, and remembers what came. */
  async addDays(
    source: string,
    site: string,
    key: SiteKey,
    days: readonly BroughtDay[],
  ): Promise<void> {
    await this.#to.passGeneration();
    await this.#to.all(
      days.flatMap(({ day, ageMs, added, taken, hash }) => {
        const save = {
          text: `INSERT INTO copied_day (source, site, day, counters, counts, detail, hash)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)
                 ON CONFLICT (source, site, day) DO UPDATE SET counters = excluded.counters,
                   counts = excluded.counts, detail = excluded.detail, hash = excluded.hash`,
          values: [source, site, day, taken.counters, taken.counts, taken.detail, hash],
        };
        if (added === undefined) return [save];
        const { counters, counts, detail } = added;
        const put = {
          text: `INSERT INTO block (site, month, part, counters, counts, detail)
                 VALUES ($1, $2, ${FREE_PART}, $5, $6, $7)`,
          values: [key, monthOf(day), ...partsOf(day), counters, counts, detail],
        };
        // Retention goes by how long the data was in use since a day was counted, wherever that was.
        const mark = {
          text: `INSERT INTO counted_day (day, run_ms) VALUES ($1, ${RUN_MS} - $2)
                 ON CONFLICT (day) DO UPDATE SET run_ms = excluded.run_ms
                 WHERE excluded.run_ms > counted_day.run_ms`,
          values: [day, Math.floor(ageMs)],
        };
        return [save, put, mark];
      }),
    );
  }

  /**
   * Adds to the counters of all time what no day shows, and remembers it.
   * @param past what was taken of it by now, in which the days that are `gone` are
   */
  async addPast(
    source: string,
    site: string,
    key: SiteKey,
    { added, past, gone }: { added: Sums; past: Sums; gone: readonly Day[] },
  ): Promise<void> {
    await this.#to.all([
      ...[...added].map(([counter, n]) => ({
        text: `INSERT INTO past (site, counter, n) VALUES ($1, $2, $3)
               ON CONFLICT (site, counter) DO UPDATE SET n = past.n + excluded.n`,
        values: [key, counter, n],
      })),
      ...[...past].map(([counter, n]) => ({
        text: `INSERT INTO copied_past (source, site, counter, n) VALUES ($1, $2, $3, $4)
               ON CONFLICT (source, site, counter) DO UPDATE SET n = excluded.n`,
        values: [source, site, counter, n],
      })),
      ...gone.map((day) => ({
        text: "DELETE FROM copied_day WHERE source = $1 AND site = $2 AND day = $3",
        values: [source, site, day],
      })),
    ]);
  }

  /** Those that were not brought yet; their `site` is the one here. @returns how many */
  async addSurveys(source: string, surveys: readonly CopiedSurvey[]): Promise<number> {
    const ids = await this.#to.surveyIds(surveys.length);
    const noted = await this.#to.all(
      surveys.map(({ id }, at) => ({
        text: `INSERT INTO copied_survey (source, id, survey) VALUES ($1, $2, $3)
               ON CONFLICT (source, id) DO NOTHING RETURNING id`,
        values: [source, id, ids[at]],
      })),
    );
    const added = surveys.flatMap(({ site, version, day, payload }, at) => {
      if (noted[at]?.length !== 1) return [];
      return {
        text: `INSERT INTO survey (id, site, version, day, payload) VALUES ($1, $2, $3, $4, $5)`,
        values: [ids[at], site, version, day, payload],
      };
    });
    await this.#to.all(added);
    return added.length;
  }
}
