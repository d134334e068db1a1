import type { Day } from "../../../base/calendar.ts";
import { COUNTERS, type SiteKey } from "../../counting.ts";
import { Columns, numbers } from "../columns.ts";
import type { Sql } from "../connection.ts";
import type { DayTotal } from "./merge.ts";
import { daysOver } from "./run-time.ts";
import { ROWS_PER_STEP, type StepTime } from "./step.ts";
import { removeValues } from "./values.ts";

const DAYS_PER_STEP = 50;
const SITES_PER_STEP = 50;

/** Drops what is past retention, some sites in each step, then values, then the days themselves. */
export class Pruning {
  /** The last site that is done. */
  #after: SiteKey = 0;
  #next: SiteKey = 0;

  /** @returns false when nothing is past retention */
  async step(sql: Sql, { today, retentionDays, runMs }: StepTime): Promise<boolean> {
    const first = today - retentionDays + 1;
    this.#next = this.#after;
    const all = await daysOver(sql, first, { runMs, days: retentionDays });
    const over = all.slice(0, DAYS_PER_STEP);
    if (over.length === 0) return false;
    const sites = await sql.rows<{ key: SiteKey }>(
      `SELECT key FROM site WHERE key > $1 ORDER BY key LIMIT ${SITES_PER_STEP}`,
      [this.#after],
    );
    const last = sites.at(-1);
    if (last !== undefined) {
      await pruneSites(
        sql,
        sites.map(({ key }) => key),
        over,
      );
      this.#next = last.key;
    } else if (!(await pruneValues(sql, Math.min(await firstKept(sql, first, over), today - 1)))) {
      await sql.rows("DELETE FROM counted_day WHERE day = ANY($1::int[])", [numbers(over)]);
      this.#next = 0;
    }
    return true;
  }

  /** To be called once the step is committed. */
  done(): void {
    this.#after = this.#next;
  }
}

async function pruneSites(
  sql: Sql,
  sites: readonly SiteKey[],
  days: readonly Day[],
): Promise<void> {
  const values = [numbers(sites), numbers(days)];
  const of = (table: string) =>
    `DELETE FROM ${table} WHERE site = ANY($1::int[]) AND day = ANY($2::int[])`;
  await sql.all(
    ["packed_day", "count", "day_value", "room"].map((table) => ({ text: of(table), values })),
  );
  const totals = await sql.rows<DayTotal>(
    `${of("day_total")} AND counter = ANY($3::text[]) RETURNING site, counter, day, n`,
    [...values, COUNTERS],
  );
  if (totals.length === 0) return;
  const columns = new Columns<[number, string, number]>();
  for (const { site, counter, n } of totals) columns.add(site, counter, n);
  // All-time sums stay what they are.
  await sql.rows(
    `INSERT INTO total (site, counter, n)
     SELECT site, counter, sum(n)
     FROM unnest($1::int[], $2::text[], $3::bigint[]) AS w (site, counter, n)
     GROUP BY site, counter
     ON CONFLICT (site, counter) DO UPDATE SET n = total.n + excluded.n`,
    columns.values(),
  );
}

/** The first of all days that are not before `first` or not in `over`. */
async function firstKept(sql: Sql, first: Day, over: readonly Day[]): Promise<Day> {
  const [row] = await sql.rows<{ day: Day | null }>(
    "SELECT min(day) AS day FROM counted_day WHERE day < $1 AND NOT day = ANY($2::int[])",
    [first, numbers(over)],
  );
  return row?.day ?? first;
}

/** @returns false when there were none */
async function pruneValues(sql: Sql, before: Day): Promise<boolean> {
  const candidates = await sql.rows<{ id: number; site: SiteKey; dimension: string }>(
    `SELECT id, site, dimension FROM value WHERE last_day < $1 LIMIT ${ROWS_PER_STEP}`,
    [before],
  );
  await removeValues(sql, candidates, before);
  return candidates.length > 0;
}
