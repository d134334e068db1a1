import type { Day } from "../../../base/calendar.ts";
import type { SiteKey } from "../../counting.ts";
import { Columns } from "../columns.ts";
import type { Sql } from "../connection.ts";
import { type Step, takeOut } from "./step.ts";

export interface DayTotal {
  readonly site: SiteKey;
  readonly counter: string;
  readonly day: Day;
  readonly n: number;
}

interface Count {
  readonly site: SiteKey;
  readonly day: Day;
  readonly value: number;
  readonly n: number;
}

/** Of a node that is called `gone`. */
const HAS_COUNTED = `
  EXISTS (SELECT 1 FROM count c WHERE c.node = gone.id AND c.node <> 0)
  OR EXISTS (SELECT 1 FROM day_total t WHERE t.node = gone.id AND t.node <> 0)`;

/** Adds what nodes have counted that are gone to what is nobody's, so that a read meets fewer rows. */
export const mergeNodes: Step = async (sql) => {
  const [gone] = await sql.rows<{ id: number }>(
    `SELECT id FROM node AS gone
     WHERE seen_at < now() - interval '10 minutes' AND (${HAS_COUNTED}) LIMIT 1`,
  );
  if (gone === undefined) return false;
  const which = { which: "node = $1 AND node <> 0", values: [gone.id] };
  const counts = await takeOut<Count>(sql, "count", which, "count.site, count.day, count.value, n");
  await addCounts(sql, counts);
  const totals = await takeOut<DayTotal>(
    sql,
    "day_total",
    which,
    "day_total.site, day_total.counter, day_total.day, n",
  );
  await addDayTotals(sql, totals);
  return true;
};

/** Forgets nodes that nobody has heard of for a month, and that have left nothing. */
export const dropNodes: Step = async (sql) => {
  await sql.rows(
    `DELETE FROM node AS gone WHERE seen_at < now() - interval '30 days'
       AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.node = gone.id)
       AND NOT (${HAS_COUNTED})`,
  );
  return false;
};

async function addCounts(sql: Sql, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return;
  const columns = new Columns<[number, number, number, number]>();
  for (const { site, day, value, n } of counts) columns.add(site, day, value, n);
  await sql.rows(
    `INSERT INTO count (site, day, node, value, n)
     SELECT site, day, 0, value, n
     FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[]) AS w (site, day, value, n)
     ON CONFLICT (site, day, node, value) DO UPDATE SET n = count.n + excluded.n`,
    columns.values(),
  );
}

/** Adds to what is nobody's. Several may be of one counter and day. */
export async function addDayTotals(sql: Sql, totals: readonly DayTotal[]): Promise<void> {
  if (totals.length === 0) return;
  const columns = new Columns<[number, string, number, number]>();
  for (const { site, counter, day, n } of totals) columns.add(site, counter, day, n);
  await sql.rows(
    `INSERT INTO day_total (site, counter, day, node, n)
     SELECT site, counter, day, 0, sum(n)
     FROM unnest($1::int[], $2::text[], $3::int[], $4::bigint[]) AS w (site, counter, day, n)
     GROUP BY site, counter, day
     ON CONFLICT (site, counter, day, node) DO UPDATE SET n = day_total.n + excluded.n`,
    columns.values(),
  );
}
