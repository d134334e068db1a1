import { DAY_MS, type Day } from "../../../base/calendar.ts";
import type { Sql } from "../connection.ts";

/** A day is packed when the one after it is over. */
const OPEN_DAYS = 2;

/**
 * What retention goes by besides the calendar: for how long somebody has done upkeep of this data, and
 * when, by that measure, each day was last counted on. A clock that is wrong moves neither.
 * @param ms that have passed since it was told last
 * @returns ms over all nodes and starts
 */
export async function addRunTime(sql: Sql, ms: number): Promise<number> {
  const [row] = await sql.rows<{ value: string }>(
    `INSERT INTO meta (key, value) VALUES ('run_ms', $1)
     ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + excluded.value::bigint)::text
     RETURNING value`,
    [String(ms)],
  );
  return Number(row?.value ?? 0);
}

/** A day is packed: it was counted on until it was over, which a clock that is wrong may say long ago. */
export async function markDay(
  sql: Sql,
  day: Day,
  { today, runMs }: { today: Day; runMs: number },
): Promise<void> {
  const ago = Math.max(0, Math.min(OPEN_DAYS, today - day));
  await sql.rows(
    `INSERT INTO counted_day (day, run_ms) VALUES ($1, $2)
     ON CONFLICT (day) DO UPDATE SET run_ms = GREATEST(counted_day.run_ms, excluded.run_ms)`,
    [day, runMs - ago * DAY_MS],
  );
}

/** The days before `first` that were last counted on before the last `days` × 24 hours of running. */
export async function daysOver(
  sql: Sql,
  first: Day,
  { runMs, days }: { runMs: number; days: number },
): Promise<Day[]> {
  const rows = await sql.rows<{ day: Day }>(
    "SELECT day FROM counted_day WHERE day < $1 AND run_ms <= $2 ORDER BY day",
    [first, runMs - days * DAY_MS],
  );
  return rows.map(({ day }) => day);
}
