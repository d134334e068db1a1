import type { Day } from "../../base/calendar.ts";
import { monthOf } from "../blocks/month.ts";
import {
  type BroughtDay,
  type Change,
  type CopiedSurvey,
  type Sums,
  sliceIn,
  type Taken,
} from "../copy/end.ts";
import type { SiteKey } from "../counting.ts";
import { partsOf } from "../settling/parts.ts";
import type { Directory } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import type { BlockPieces } from "../snapshot.ts";
import { numbers } from "./columns.ts";
import type { Sql } from "./connection.ts";
import { addPast, PASS_GENERATION, putBlocks } from "./settle.ts";
import type { SurveyIds } from "./surveys.ts";
import { carryOut, lockDirectory } from "./tables/site-changes.ts";

/** What was taken over of a site of a source. */
export async function takenOf(sql: Sql, source: string, site: string): Promise<Taken> {
  const [past, days] = (await sql.all([
    {
      text: "SELECT counter, n FROM copied_past WHERE source = $1 AND site = $2",
      values: [source, site],
    },
    {
      text: "SELECT day, hash FROM copied_day WHERE source = $1 AND site = $2",
      values: [source, site],
    },
  ])) as [{ counter: string; n: number }[], { day: Day; hash: Uint8Array }[]];
  return {
    past: new Map(past.map(({ counter, n }) => [counter, n])),
    days: new Map(days.map(({ day, hash }) => [day, hash])),
    async slices(asked) {
      const rows = await sql.rows<BlockPieces & { day: Day }>(
        `SELECT day, counters, counts, detail FROM copied_day
         WHERE source = $1 AND site = $2 AND day = ANY($3::int[])`,
        [source, site, asked],
      );
      return new Map(rows.map((row) => [row.day, sliceIn(row)]));
    },
  };
}

/** What a copy writes into a database, in one transaction. */
export class PostgresChange implements Change {
  readonly #sql: Sql;
  readonly #ids: SurveyIds;

  constructor(sql: Sql, ids: SurveyIds) {
    this.#sql = sql;
    this.#ids = ids;
  }

  directory(): Promise<Directory> {
    return lockDirectory(this.#sql);
  }

  carryOut(changes: readonly SiteChange[]): Promise<void> {
    return carryOut(this.#sql, changes);
  }

  async saveSite(source: string, site: string, key: SiteKey): Promise<void> {
    await this.#sql.rows(
      `INSERT INTO copied_site (source, site, key) VALUES ($1, $2, $3)
       ON CONFLICT (source, site) DO UPDATE SET key = excluded.key`,
      [source, site, key],
    );
  }

  async forgetSite(source: string, site: string): Promise<void> {
    const gone = await this.#sql.rows(
      "DELETE FROM copied_site WHERE source = $1 AND site = $2 RETURNING key",
      [source, site],
    );
    if (gone.length === 0) return;
    await this.#sql.all([
      ...["copied_day", "copied_past"].map((table) => ({
        text: `DELETE FROM ${table} WHERE source = $1 AND site = $2`,
        values: [source, site],
      })),
      {
        text: `DELETE FROM copied_survey WHERE source = $1 AND NOT EXISTS
                 (SELECT 1 FROM survey JOIN site ON site.key = survey.site
                  WHERE survey.id = copied_survey.survey)`,
        values: [source],
      },
    ]);
  }

  async taken(source: string, site: string): Promise<Taken> {
    // Held until the end: another copy from the same source waits, and then finds what this one brought.
    await this.#sql.rows("SELECT key FROM copied_site WHERE source = $1 AND site = $2 FOR UPDATE", [
      source,
      site,
    ]);
    return takenOf(this.#sql, source, site);
  }

  async addDays(
    source: string,
    site: string,
    key: SiteKey,
    days: readonly BroughtDay[],
  ): Promise<void> {
    // Who settles meanwhile finds another generation, and prepares anew.
    await this.#sql.rows(PASS_GENERATION);
    const added = days.filter((day) => day.added !== undefined);
    const newest = await this.#sql.all(
      added.map(({ day }) => ({
        text: "SELECT max(part) AS part FROM block WHERE site = $1 AND month = $2 AND part BETWEEN $3 AND $4",
        values: [key, monthOf(day), ...partsOf(day)],
      })),
    );
    const puts = added.map(({ day, added: pieces }, i) => {
      const [row] = newest[i] as { part: number | null }[];
      const part = row?.part == null ? partsOf(day)[0] : row.part + 1;
      return { site: key, month: monthOf(day), part, ...(pieces as BlockPieces) };
    });
    await this.#sql.all([
      ...(puts.length > 0 ? [putBlocks(puts)] : []),
      ...days.map(({ day, taken, hash }) => ({
        text: SAVE_DAY,
        values: [source, site, day, taken.counters, taken.counts, taken.detail, hash],
      })),
      // Retention goes by how long upkeep has run since a day was counted, wherever that was.
      {
        text: MARK_EARLIER,
        values: [added.map(({ day }) => day), numbers(added.map(({ ageMs }) => Math.floor(ageMs)))],
      },
    ]);
  }

  async savePast(source: string, site: string, past: Sums, gone: readonly Day[]): Promise<void> {
    await this.#sql.all([
      ...[...past].map(([counter, n]) => ({
        text: `INSERT INTO copied_past (source, site, counter, n) VALUES ($1, $2, $3, $4)
               ON CONFLICT (source, site, counter) DO UPDATE SET n = excluded.n`,
        values: [source, site, counter, n],
      })),
      {
        text: "DELETE FROM copied_day WHERE source = $1 AND site = $2 AND day = ANY($3::int[])",
        values: [source, site, gone],
      },
    ]);
  }

  async addPast(site: SiteKey, counters: Sums): Promise<void> {
    await this.#sql.all([addPast([{ site, counters: new Map(counters) }])]);
  }

  async addSurveys(source: string, surveys: readonly CopiedSurvey[]): Promise<number> {
    const added = await this.#sql.all(
      surveys.map(({ id, site, version, day, payload }) => ({
        text: `WITH noted AS (
                 INSERT INTO copied_survey (source, id, survey)
                 VALUES ($1::text, $2::bigint, $7::bigint)
                 ON CONFLICT (source, id) DO NOTHING RETURNING survey)
               INSERT INTO survey (id, site, version, day, payload)
               SELECT survey, $3::int, $4::bigint, $5::int, $6::text FROM noted RETURNING id`,
        values: [source, id, site, version, day, payload, this.#ids.draw()],
      })),
    );
    return added.flat().length;
  }
}

const SAVE_DAY = `
  INSERT INTO copied_day (source, site, day, counters, counts, detail, hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (source, site, day) DO UPDATE SET counters = excluded.counters,
    counts = excluded.counts, detail = excluded.detail, hash = excluded.hash`;

const MARK_EARLIER = `
  INSERT INTO counted_day (day, run_ms)
  SELECT day, coalesce((SELECT value::bigint FROM meta WHERE key = 'run_ms'), 0) - age
  FROM unnest($1::int[], $2::bigint[]) AS w (day, age)
  ON CONFLICT (day) DO UPDATE SET run_ms = GREATEST(counted_day.run_ms, excluded.run_ms)`;
