import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
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
import type { Database } from "../database.ts";

const HOURS = 24;

/** From so many values on, reading through all of a site's is quicker than finding each. */
const MANY_VALUES = 5_000;

type KindRow = [id: number, dimension: string, bytes: number, isOther: 0 | 1];

/** The counts in a file. To be asked in a transaction. */
export class SqliteCounts implements FoldSource {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Nothing is held but the day that is visited. */
  eachDay({ site, from, to }: SiteDays, visit: (day: Day, id: number, n: number) => void): void {
    const open = this.#db
      .prepare(
        "SELECT day, value, n FROM count WHERE site = ? AND day BETWEEN ? AND ? ORDER BY day",
      )
      .raw()
      .iterate(site, from, to) as IterableIterator<[Day, number, number]>;
    const packs = this.#db
      .prepare(
        "SELECT day, counts FROM packed_day WHERE site = ? AND day BETWEEN ? AND ? ORDER BY day",
      )
      .raw()
      .iterate(site, from, to) as IterableIterator<[Day, Buffer]>;
    let packed: Day = from;
    const visitPacked = (id: number, n: number) => visit(packed, id, n);
    let row = open.next();
    const visitOpenUntil = (day: Day) => {
      for (; !row.done && row.value[0] <= day; row = open.next())
        visit(row.value[0], row.value[1], row.value[2]);
    };
    try {
      for (const [day, counts] of packs) {
        visitOpenUntil(day - 1);
        packed = day;
        unpack(counts, visitPacked);
      }
      visitOpenUntil(to);
    } finally {
      // A statement that is left in the middle keeps the database busy.
      open.return?.();
    }
  }

  eachValue(site: SiteKey, ids: IdTable, visit: VisitValue): void {
    const see = ([id, dimension, bytes, isOther]: KindRow) =>
      visit(id, dimension, bytes, isOther === 1);
    const select = "SELECT id, dimension, octet_length(text), text = ? FROM value";
    if (ids.size > MANY_VALUES) {
      const all = this.#db.prepare(`${select} WHERE site = ?`).raw().iterate(OTHER, site);
      for (const row of all as IterableIterator<KindRow>) if (ids.has(row[0])) see(row);
    } else {
      // In one go: a statement for each would take five times as long.
      const asked = JSON.stringify(Array.from(ids, ([id]) => id));
      const those = this.#db.prepare(`${select} WHERE id IN (SELECT value FROM json_each(?))`);
      for (const row of those.raw().all(OTHER, asked) as KindRow[]) see(row);
    }
  }

  texts(ids: readonly number[]): string[] {
    const texts = this.#db.prepare(
      "SELECT text FROM json_each(?) AS asked JOIN value ON value.id = asked.value ORDER BY asked.key",
    );
    return texts.pluck().all(JSON.stringify(ids)) as string[];
  }

  fewValues(site: SiteKey, dimension: string): [number, string][] {
    const all = this.#db.prepare("SELECT id, text FROM value WHERE site = ? AND dimension = ?");
    return all.raw().all(site, dimension) as [number, string][];
  }

  counterByDay(sites: readonly SiteKey[], counter: Counter, from: Day, to: Day): number[][] {
    const rows = this.#db
      .prepare(
        "SELECT day, n FROM day_total WHERE site = ? AND counter = ? AND day BETWEEN ? AND ?",
      )
      .raw();
    return sites.map((site) => {
      const sums = Array<number>(to - from + 1).fill(0);
      for (const [day, n] of rows.all(site, counter, from, to) as [Day, number][])
        sums[day - from] = n;
      return sums;
    });
  }

  /** Looks only at the few values that are hours, however many others the day has. */
  byHour(days: readonly SiteDay[], dimension: string): number[][] {
    const rows = this.#db
      .prepare(
        `SELECT text, coalesce(n, 0) + iif(counts IS NULL, 0, packed_count(counts, id))
         FROM value
         LEFT JOIN count ON count.site = :site AND count.day = :day AND count.value = id
         LEFT JOIN packed_day ON packed_day.site = :site AND packed_day.day = :day
         WHERE value.site = :site AND dimension = :dimension`,
      )
      .raw();
    return days.map(({ site, day }) => {
      const hours = Array<number>(HOURS).fill(0);
      for (const [hour, n] of rows.all({ site, day, dimension }) as [string, number][])
        hours[Number(hour)] = n;
      return hours;
    });
  }

  firstDay(site: SiteKey): Day | null {
    const days = ["packed_day", "count"].map(
      (table) =>
        this.#db
          .prepare(`SELECT min(day) FROM ${table} WHERE site = ?`)
          .pluck()
          .get(site) as Day | null,
    );
    const first = Math.min(...days.filter((day) => day !== null));
    return Number.isFinite(first) ? first : null;
  }

  lastDays(sites: readonly SiteKey[]): (Day | null)[] {
    const last = this.#db
      .prepare("SELECT max(day) FROM day_total WHERE site = ? AND counter = 'pv'")
      .pluck();
    return sites.map((site) => last.get(site) as Day | null);
  }

  pending(sites: readonly SiteKey[]): number[] {
    const sum = this.#db.prepare("SELECT sum(hits) FROM waiting WHERE site = ?").pluck();
    return sites.map((site) => (sum.get(site) as number | null) ?? 0);
  }

  totals(sites: readonly SiteKey[]): number[] {
    const total = this.#db.prepare("SELECT n FROM total WHERE site = ? AND counter = 'pv'").pluck();
    return sites.map((site) => (total.get(site) as number | undefined) ?? 0);
  }

  overfull({ values, bytes }: { values: number; bytes: number }): Overfull[] {
    return this.#db
      .prepare(
        `SELECT site, dimension, count(*) AS "values" FROM value JOIN site ON site.key = site
         GROUP BY site, dimension HAVING count(*) > ? OR total(octet_length(text)) > ?`,
      )
      .all(values, bytes) as Overfull[];
  }

  eachOf(site: SiteKey, dimension: string, visit: VisitSeen): void {
    const rows = this.#db
      .prepare(
        `SELECT id, last_day, octet_length(text), text = ? FROM value
         WHERE site = ? AND dimension = ?`,
      )
      .raw();
    for (const row of rows.iterate(OTHER, site, dimension)) {
      const [id, lastDay, bytes, isOther] = row as [number, Day, number, 0 | 1];
      visit(id, lastDay, bytes, isOther === 1);
    }
  }

  openValues(site: SiteKey): ReadonlySet<number> {
    const ids = this.#db.prepare("SELECT DISTINCT value FROM count WHERE site = ?").pluck();
    return new Set(ids.all(site) as number[]);
  }
}
