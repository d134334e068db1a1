import type { Day } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import type { DayCounts } from "../copy/difference.ts";
import type { Sums } from "../copy/end.ts";
import type { CopiedSurvey } from "../copy/source.ts";
import { encodeTaken, type Taken } from "../copy/taken.ts";
import type { AddedDay, Change } from "../copy/target.ts";
import type { SiteKey } from "../counting.ts";
import { isCounter } from "../counts/group.ts";
import { type Counts, pack, unpack } from "../counts/pack.ts";
import type { Directory } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import { COUNT, DAY_TOTAL } from "./batch.ts";
import { Columns, numbers } from "./columns.ts";
import type { Sql } from "./connection.ts";
import type { Node } from "./node.ts";
import { takenOf } from "./tables/copied-days.ts";
import { carryOut, lockDirectory } from "./tables/site-changes.ts";
import { lockSite } from "./upkeep/pack.ts";
import { admit } from "./values/admission.ts";
import { textKey, type WantedValue } from "./values/places.ts";

/** What a copy writes into a database, in one transaction. */
export class PostgresChange implements Change {
  readonly #sql: Sql;
  readonly #node: Node;
  readonly #today: Day;

  private constructor(sql: Sql, node: Node, today: Day) {
    this.#sql = sql;
    this.#node = node;
    this.#today = today;
  }

  static async begin(sql: Sql, node: Node): Promise<PostgresChange> {
    const [, [row]] = (await sql.all([node.hello, { text: TODAY }])) as [object[], { day: Day }[]];
    return new PostgresChange(sql, node, row?.day ?? 0);
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
      {
        text: "DELETE FROM copied_day WHERE source = $1 AND site = $2",
        values: [source, site],
      },
      {
        text: `DELETE FROM copied_survey WHERE source = $1 AND NOT EXISTS
                 (SELECT 1 FROM survey JOIN site ON site.key = survey.site
                  WHERE survey.id = copied_survey.survey)`,
        values: [source],
      },
    ]);
  }

  async taken(
    source: string,
    site: string,
    days: readonly Day[],
  ): Promise<ReadonlyMap<Day, DayCounts>> {
    // Held until the end: another copy from the same source waits, and then finds what this one brought.
    await this.#sql.rows("SELECT key FROM copied_site WHERE source = $1 AND site = $2 FOR UPDATE", [
      source,
      site,
    ]);
    return takenOf(this.#sql, source, site, days);
  }

  async saveTaken(source: string, site: string, days: ReadonlyMap<Day, Taken>): Promise<void> {
    await this.#sql.all(
      [...days].map(([day, { counts, hash }]) => ({
        text: `INSERT INTO copied_day (source, site, day, counts, hash) VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT (source, site, day)
               DO UPDATE SET counts = excluded.counts, hash = excluded.hash`,
        values: [source, site, day, encodeTaken(counts), hash],
      })),
    );
  }

  async forgetTaken(source: string, site: string, days: readonly Day[]): Promise<void> {
    await this.#sql.rows(
      "DELETE FROM copied_day WHERE source = $1 AND site = $2 AND day = ANY($3::int[])",
      [source, site, days],
    );
  }

  async count(site: SiteKey, days: readonly AddedDay[]): Promise<void> {
    if (days.length === 0) return;
    // Who packs the site's days waits, and then finds what came.
    await lockSite(this.#sql, site);
    const ids = await this.#idsOf(site, days);
    const totals = new Columns<[number, string, number, number]>();
    const open = new Columns<[number, number, number, number]>();
    const past = new Map<Day, Counts>();
    for (const { day, counts } of days) {
      const byId: Counts = new Map();
      for (const [dimension, values] of counts) {
        let sum = 0;
        for (const [text, n] of values) {
          const id = ids({ site, day, dimension, text });
          byId.set(id, (byId.get(id) ?? 0) + n);
          sum += n;
        }
        if (isCounter(dimension)) totals.add(site, dimension, day, sum);
      }
      if (day < this.#today - 1) past.set(day, byId);
      else for (const [id, n] of byId) open.add(site, day, id, n);
    }
    if (totals.size > 0) await this.#sql.rows(DAY_TOTAL, [this.#node.id, ...totals.values()]);
    if (open.size > 0) await this.#sql.rows(COUNT, [this.#node.id, ...open.values()]);
    if (past.size > 0) await this.#pack(site, past);
    await this.#mark(days.filter(({ day }) => past.has(day)));
  }

  async addPast(site: SiteKey, counters: Sums): Promise<void> {
    await this.#sql.all(
      [...counters].map(([counter, n]) => ({
        text: `INSERT INTO total (site, counter, n) VALUES ($1, $2, $3)
               ON CONFLICT (site, counter) DO UPDATE SET n = total.n + excluded.n`,
        values: [site, counter, n],
      })),
    );
  }

  async addSurveys(source: string, surveys: readonly CopiedSurvey[]): Promise<number> {
    const added = await this.#sql.all(
      surveys.map(({ id, site, version, day, payload }) => ({
        text: `WITH drawn AS (
                 INSERT INTO copied_survey (source, id, survey)
                 SELECT $1::text, $2::bigint, nextval('survey_id_seq')
                 ON CONFLICT (source, id) DO NOTHING RETURNING survey)
               INSERT INTO survey (id, site, version, day, payload)
               SELECT survey, $3::int, $4::int, $5::int, $6::text FROM drawn RETURNING id`,
        values: [source, id, site, version, day, payload],
      })),
    );
    return added.flat().length;
  }

  /** The numbers of values, within the bounds of all who count: what goes beyond is OTHER. */
  async #idsOf(site: SiteKey, days: readonly AddedDay[]): Promise<(value: WantedValue) => number> {
    const wanted: WantedValue[] = [];
    for (const { day, counts } of days)
      for (const [dimension, values] of counts)
        for (const text of values.keys()) wanted.push({ site, day, dimension, text });
    const admitted = await admit(this.#sql, wanted, this.#today);
    const keyOf = (value: WantedValue) => `${textKey(value)}\0${value.day}`;
    const ids = new Map(admitted.ids.map(([value, id]) => [keyOf(value), id]));
    return (value) => {
      const id = ids.get(keyOf(value)) ?? ids.get(keyOf({ ...value, text: OTHER }));
      if (id === undefined) throw new Error(`there is no value for ${value.dimension}`);
      return id;
    };
  }

  /** Days that are over are packed at once: their values held open would be many times as large. */
  async #pack(site: SiteKey, past: ReadonlyMap<Day, Counts>): Promise<void> {
    const days = [...past.keys()];
    const [, rows] = (await this.#sql.all([
      {
        text: `INSERT INTO packed_day (site, day, counts)
               SELECT $1::int, day, ''::bytea FROM unnest($2::int[]) AS day
               ON CONFLICT (site, day) DO NOTHING`,
        values: [site, days],
      },
      {
        text: `SELECT day, counts FROM packed_day WHERE site = $1 AND day = ANY($2::int[])
               ORDER BY day FOR UPDATE`,
        values: [site, days],
      },
    ])) as [object[], { day: Day; counts: Uint8Array }[]];
    await this.#sql.all([
      ...rows.map(({ day, counts }) => {
        const sum: Counts = new Map(past.get(day));
        unpack(counts, (id, n) => sum.set(id, (sum.get(id) ?? 0) + n));
        return {
          text: "UPDATE packed_day SET counts = $3 WHERE site = $1 AND day = $2",
          values: [site, day, pack(sum)],
        };
      }),
      // What the blob tells of a day is told nowhere else.
      {
        text: "DELETE FROM day_value WHERE site = $1 AND day = ANY($2::int[])",
        values: [site, days],
      },
      { text: "DELETE FROM room WHERE site = $1 AND day = ANY($2::int[])", values: [site, days] },
    ]);
  }

  /** Retention goes by how long upkeep has run since a day was counted, wherever that was. */
  async #mark(days: readonly AddedDay[]): Promise<void> {
    if (days.length === 0) return;
    await this.#sql.rows(
      `INSERT INTO counted_day (day, run_ms)
       SELECT day, coalesce((SELECT value::bigint FROM meta WHERE key = 'run_ms'), 0) - age
       FROM unnest($1::int[], $2::bigint[]) AS w (day, age)
       ON CONFLICT (day) DO UPDATE SET run_ms = GREATEST(counted_day.run_ms, excluded.run_ms)`,
      [days.map(({ day }) => day), numbers(days.map(({ ageMs }) => Math.floor(ageMs)))],
    );
  }
}

const TODAY = "SELECT floor(extract(epoch FROM now()) / 86400)::int AS day";
