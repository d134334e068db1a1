import { HOURLY_COUNTERS, hourDimension } from "../../counting.ts";
import type { HourlyCounts, HoursOfDay } from "../../reports.ts";
import type { Database } from "../database.ts";
import type { DayCounts } from "./day-counts.ts";
import type { DimensionTally } from "./tallies.ts";

const HOURS = 24;

/**
 * What counters counted by the hour, as JSON: `{uv: [[offset, n, …], …], …}`, days ascending; a day
 * of which no hours are known is not in it.
 */
export function hoursOf(
  db: Database,
  dimensions: readonly DimensionTally[],
  counts: DayCounts,
): string {
  const text = db.prepare("SELECT text FROM value WHERE id = ?").pluck();
  const tables: HourlyCounts = {};
  for (const counter of HOURLY_COUNTERS) {
    const dimension = dimensions.find(({ name }) => name === hourDimension(counter));
    if (dimension !== undefined)
      tables[counter] = daysOf(dimension, counts, (id) => Number(text.get(id)));
  }
  return JSON.stringify(tables);
}

function daysOf(
  { kept }: DimensionTally,
  counts: DayCounts,
  hourAt: (id: number) => number,
): HoursOfDay[] {
  const days = new Map<number, HoursOfDay>();
  for (const value of kept) {
    const hour = hourAt(value.id);
    const list = counts.of(value);
    for (let i = 0; i + 1 < list.length; i += 2) {
      const offset = list[i] ?? 0;
      const hours = days.get(offset) ?? [offset, ...Array<number>(HOURS).fill(0)];
      hours[1 + hour] = (hours[1 + hour] ?? 0) + (list[i + 1] ?? 0);
      days.set(offset, hours);
    }
  }
  return [...days.values()].sort(([a = 0], [b = 0]) => a - b);
}
