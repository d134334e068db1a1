import type { Day } from "../../../base/calendar.ts";
import type { Counter, SiteKey } from "../../counting.ts";
import type { IdTable } from "../../counts/id-table.ts";
import { unpack } from "../../counts/pack.ts";
import type {
  FoldSource,
  Overfull,
  SiteDay,
  SiteDays,
  VisitSeen,
  VisitValue,
} from "../../counts/source.ts";
import type { Sql } from "../connection.ts";
import { DayPages } from "./day-pages.ts";
import type { KnownValues } from "./known-values.ts";
import { eachOf, openValues, overfull } from "./values.ts";

const HOURS = 24;
/** So many days of sites are looked into at once for their hours: some 10 MB at most. */
const DAYS_AT_ONCE = 64;

interface SiteNumber {
  readonly site: SiteKey;
  readonly n: number;
}

/** The counts in a database, all read in one transaction. */
export class PostgresCounts implements FoldSource {
  readonly #sql: Sql;
  readonly #known: KnownValues;
  readonly #days: DayPages;

  /** @param known is not of this transaction alone */
  constructor(sql: Sql, known: KnownValues) {
    this.#sql = sql;
    this.#known = known;
    this.#days = new DayPages(sql);
  }

  detail(): never {
    throw new Error("nothing is kept here of what came together");
  }

  eachDay(days: SiteDays, visit: (day: Day, id: number, n: number) => void): Promise<void> {
    return this.#days.each(days, visit);
  }

  eachValue(_site: SiteKey, ids: IdTable, visit: VisitValue): Promise<void> {
    return this.#known.eachValue(this.#sql, ids, visit);
  }

  texts(ids: readonly number[]): Promise<string[]> {
    return this.#known.texts(this.#sql, ids);
  }

  async fewValues(site: SiteKey, dimension: string): Promise<[number, string][]> {
    const values = await this.#sql.rows<{ id: number; text: string }>(
      "SELECT id, text FROM value WHERE site = $1 AND dimension = $2",
      [site, dimension],
    );
    return values.map(({ id, text }) => [id, text]);
  }

  async counterByDay(
    sites: readonly SiteKey[],
    counter: Counter,
    from: Day,
    to: Day,
  ): Promise<number[][]> {
    const rows = await this.#sql.rows<SiteNumber & { day: Day }>(
      `SELECT site, day, sum(n) AS n FROM day_total
       WHERE site = ANY($1::int[]) AND counter = $2 AND day BETWEEN $3 AND $4
       GROUP BY site, day`,
      [sites, counter, from, to],
    );
    const bySite = Map.groupBy(rows, ({ site }) => site);
    return sites.map((site) => {
      const sums = Array<number>(to - from + 1).fill(0);
      for (const { day, n } of bySite.get(site) ?? []) sums[day - from] = n;
      return sums;
    });
  }

  async byHour(days: readonly SiteDay[], dimension: string): Promise<number[][]> {
    const hours: number[][] = [];
    for (let at = 0; at < days.length; at += DAYS_AT_ONCE)
      hours.push(...(await this.#hoursOf(days.slice(at, at + DAYS_AT_ONCE), dimension)));
    return hours;
  }

  async firstDay(site: SiteKey): Promise<Day | null> {
    const [first] = await this.#sql.rows<{ day: Day | null }>(
      `SELECT least((SELECT min(day) FROM packed_day WHERE site = $1),
                    (SELECT min(day) FROM count WHERE site = $1)) AS day`,
      [site],
    );
    return first?.day ?? null;
  }

  async lastDays(sites: readonly SiteKey[]): Promise<(Day | null)[]> {
    const rows = await this.#sql.rows<{ site: SiteKey; day: Day | null }>(
      `SELECT site, (SELECT max(day) FROM day_total
                     WHERE day_total.site = asked.site AND counter = 'pv') AS day
       FROM unnest($1::int[]) AS asked (site)`,
      [sites],
    );
    const bySite = new Map(rows.map(({ site, day }) => [site, day]));
    return sites.map((site) => bySite.get(site) ?? null);
  }

  pending(sites: readonly SiteKey[]): Promise<number[]> {
    return this.#perSite(
      "SELECT site, sum(hits) AS n FROM waiting WHERE site = ANY($1::int[]) GROUP BY site",
      sites,
    );
  }

  totals(sites: readonly SiteKey[]): Promise<number[]> {
    const views = "WHERE site = ANY($1::int[]) AND counter = 'pv'";
    return this.#perSite(
      `SELECT site, sum(n) AS n
       FROM (SELECT site, n FROM total ${views}
             UNION ALL SELECT site, n FROM day_total ${views}) AS ever
       GROUP BY site`,
      sites,
    );
  }

  overfull(bounds: { values: number; bytes: number }): Promise<Overfull[]> {
    return overfull(this.#sql, bounds);
  }

  eachOf(site: SiteKey, dimension: string, visit: VisitSeen): Promise<void> {
    return eachOf(this.#sql, site, dimension, visit);
  }

  openValues(site: SiteKey): Promise<ReadonlySet<number>> {
    return openValues(this.#sql, site);
  }

  async #perSite(text: string, sites: readonly SiteKey[]): Promise<number[]> {
    const rows = await this.#sql.rows<SiteNumber>(text, [sites]);
    const bySite = new Map(rows.map(({ site, n }) => [site, n]));
    return sites.map((site) => bySite.get(site) ?? 0);
  }

  async #hoursOf(days: readonly SiteDay[], dimension: string): Promise<number[][]> {
    const asked = [days.map(({ site }) => site), days.map(({ day }) => day)];
    const [values, packs, open] = await Promise.all([
      this.#sql.rows<{ id: number; text: string }>(
        "SELECT id, text FROM value WHERE site = ANY($1::int[]) AND dimension = $2",
        [asked[0], dimension],
      ),
      this.#sql.rows<SiteDay & { counts: Uint8Array }>(
        `SELECT site, day, counts FROM packed_day
         JOIN unnest($1::int[], $2::int[]) AS asked (site, day) USING (site, day)`,
        asked,
      ),
      // One value after the other, by the whole of its key: a day has many others. Packed days are left
      // out first, for each start of a process within a month was a node.
      this.#sql.rows<SiteDay & { value: number; n: number | null }>(
        `SELECT asked.site, asked.day, value.id AS value,
           sum((SELECT n FROM count
                WHERE count.site = asked.site AND count.day = asked.day
                  AND count.node = each_node.id AND count.value = value.id)) AS n
         FROM (SELECT site, day FROM unnest($1::int[], $2::int[]) AS each_day (site, day)
               WHERE EXISTS (SELECT 1 FROM count
                 WHERE count.site = each_day.site AND count.day = each_day.day)) AS asked
         JOIN value ON value.site = asked.site AND value.dimension = $3
         CROSS JOIN (SELECT id FROM node UNION SELECT 0) AS each_node (id)
         GROUP BY asked.site, asked.day, value.id`,
        [...asked, dimension],
      ),
    ]);
    const hourOf = new Map(values.map(({ id, text }) => [id, Number(text)]));
    const byDay = new Map<string, number[]>();
    const hoursOf = ({ site, day }: SiteDay): number[] => {
      const key = `${site}/${day}`;
      const known = byDay.get(key) ?? Array<number>(HOURS).fill(0);
      byDay.set(key, known);
      return known;
    };
    const add = (hours: number[], id: number, n: number) => {
      const hour = hourOf.get(id);
      if (hour !== undefined) hours[hour] = (hours[hour] ?? 0) + n;
    };
    for (const pack of packs) {
      const hours = hoursOf(pack);
      unpack(pack.counts, (id, n) => add(hours, id, n));
    }
    for (const row of open) add(hoursOf(row), row.value, row.n ?? 0);
    return days.map(hoursOf);
  }
}
