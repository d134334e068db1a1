import type { Day } from "../../../base/calendar.ts";
import type { SiteKey } from "../../counting.ts";
import type { Database } from "../database.ts";
import { counterByDay } from "./day-totals.ts";
import { eachDay } from "./each-day.ts";

const HOURS = 24;

/** A site's views over inclusive days by hour, UTC, from 00 of the first day on; and its sessions by day. */
export function hourlyViews(
  db: Database,
  { site, from, to }: { site: SiteKey; from: Day; to: Day },
): { hours: number[]; sessions: number[] } {
  const rows = db
    .prepare("SELECT id, text FROM value WHERE site = ? AND dimension = 'hour'")
    .raw()
    .all(site) as [number, string][];
  const hourOf = new Map(rows.map(([id, text]) => [id, Number(text)]));
  const hours = Array<number>((to - from + 1) * HOURS).fill(0);
  eachDay(db, site, from, to, (day, id, n) => {
    const hour = hourOf.get(id);
    if (hour === undefined) return;
    const at = (day - from) * HOURS + hour;
    hours[at] = (hours[at] ?? 0) + n;
  });
  return { hours, sessions: counterByDay(db, { site, counter: "sessions", from, to }) };
}
