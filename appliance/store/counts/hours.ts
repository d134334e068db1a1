import { HOURLY_COUNTERS, hourDimension } from "../counting.ts";
import type { HourlyCounts, HoursOfDay } from "../reports.ts";
import type { DayCounts } from "./day-counts.ts";
import type { CountsSource } from "./source.ts";
import type { DimensionTally } from "./tallies.ts";

const HOURS = 24;

/**
 * What counters counted by the hour, as JSON: `{uv: [[offset, n, …], …], …}`, days ascending; a day
 * of which no hours are known is not in it.
 */
export async function hoursOf(
  source: CountsSource,
  dimensions: readonly DimensionTally[],
  counts: DayCounts,
): Promise<string> {
  const tables: HourlyCounts = {};
  const kept = HOURLY_COUNTERS.flatMap((counter) => {
    const dimension = dimensions.find(({ name }) => name === hourDimension(counter));
    return dimension === undefined ? [] : [{ counter, dimension }];
  });
  const texts = await Promise.all(
    kept.map(({ dimension }) => source.texts(dimension.kept.map(({ id }) => id))),
  );
  for (const [i, { counter, dimension }] of kept.entries())
    tables[counter] = daysOf(dimension, counts, texts[i] ?? []);
  return JSON.stringify(tables);
}

function daysOf(
  { kept }: DimensionTally,
  counts: DayCounts,
  hours: readonly string[],
): HoursOfDay[] {
  const days = new Map<number, HoursOfDay>();
  for (const [row, value] of kept.entries()) {
    const hour = Number(hours[row]);
    const list = counts.of(value);
    for (let i = 0; i + 1 < list.length; i += 2) {
      const offset = list[i] ?? 0;
      const ofDay = days.get(offset) ?? [offset, ...Array<number>(HOURS).fill(0)];
      ofDay[1 + hour] = (ofDay[1 + hour] ?? 0) + (list[i + 1] ?? 0);
      days.set(offset, ofDay);
    }
  }
  return [...days.values()].sort(([a = 0], [b = 0]) => a - b);
}
