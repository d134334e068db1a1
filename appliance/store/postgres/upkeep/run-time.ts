import type { Day } from "../../../base/calendar.ts";
import type { Sql } from "../connection/connection.ts";

/**
 * Adds to the time that retention goes by besides the calendar: for how long nodes have done upkeep
 * of this data. A clock that is wrong does not move it.
 * @param ms that have passed since it was told last
 */
export async function addRunTime(sql: Sql, ms: number): Promise<void> {
  await sql.rows(
    `INSERT INTO meta (key, value) VALUES ('run_ms', $1)
     ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + excluded.value::bigint)::text`,
    [String(ms)],
  );
}

/** In ms, over all nodes and starts. */
export async function runMs(sql: Sql): Promise<number> {
  const [row] = await sql.rows<{ value: string }>("SELECT value FROM meta WHERE key = 'run_ms'");
  return Number(row?.value ?? 0);
}

/** When each day was last counted on, by the time run. */
export async function dayMarks(sql: Sql): Promise<ReadonlyMap<Day, number>> {
  const rows = await sql.rows<{ day: Day; ms: number }>(
    "SELECT day, run_ms AS ms FROM counted_day",
  );
  return new Map(rows.map(({ day, ms }) => [day, ms]));
}
