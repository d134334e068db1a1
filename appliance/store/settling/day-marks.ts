import type { Day } from "../../base/calendar.ts";
import { LAST_DAY } from "../blocks/month.ts";
import type { Rows, Statement } from "../sql.ts";

// Retention needs a second clock beside the calendar: the time for which the data was in use, over all starts. A day
// has a mark, the time run when it was last counted on. A wrong wall clock changes neither.

/** The saved time of the data in use, in ms. */
const RUN_MS = "coalesce((SELECT CAST(value AS bigint) FROM meta WHERE key = 'run_ms'), 0)";

/** The time run in ms, and by it when each day was last counted on. */
interface TimeRun {
  readonly runMs: number;
  readonly marks: ReadonlyMap<Day, number>;
}

export async function timeRun(rows: Rows): Promise<TimeRun> {
  const [run] = await rows<{ ms: number }>(TIME_RUN);
  const days = await rows<{ day: Day; ms: number }>(MARKS);
  return { runMs: run?.ms ?? 0, marks: new Map(days.map(({ day, ms }) => [day, ms])) };
}

/** Selects the time run, in ms. */
export const TIME_RUN: string = `SELECT ${RUN_MS} AS ms`;
const MARKS = `SELECT day, run_ms AS ms FROM counted_day WHERE day BETWEEN 0 AND ${LAST_DAY}`;

/** Marks a day as counted on, at a running time (ms). */
export function markDay(day: Day, runMs: number): Statement {
  return { text: mark("$2"), values: [day, runMs] };
}

/** Marks a day as counted on so many milliseconds of time run ago. */
export function markDayAgo(day: Day, ms: number): Statement {
  return { text: mark(`${RUN_MS} - $2`), values: [day, Math.floor(ms)] };
}

function mark(runMs: string): string {
  return `INSERT INTO counted_day (day, run_ms) VALUES ($1, ${runMs})
          ON CONFLICT (day) DO UPDATE SET run_ms = excluded.run_ms
          WHERE excluded.run_ms > counted_day.run_ms`;
}
