import { type Day, dayOf, hourOf, weekdayOf } from "../../../appliance/base/calendar.ts";
import {
  type DayRange,
  type History,
  isUntold,
  type SeriesName,
  seriesOf,
  sumByValue,
} from "../history.ts";

export interface HeatCell {
  /** 0 = Sunday */
  weekday: number;
  hour: number;
  count: number;
  /** the number of these hours of the week in the range, up to now; 0 for none */
  times: number;
  /** 0–1: count per time, of the busiest hour's */
  heat: number;
}

interface HeatOptions {
  range: DayRange;
  /** the metric that is counted */
  key: SeriesName;
  /** the wall clock by which days are counted: milliseconds since 1970 there */
  now: number;
}

/** Rows Monday to Sunday, columns hours 00–23. */
export function heatmapOf(history: History, { range, key, now }: HeatOptions): HeatCell[][] {
  const isOfViews = key === "pv" && history.of === "views";
  const counts = isOfViews ? viewsByHour(history, range) : countsByHour(history, key, range);
  const times = timesByHour(range, now, (day) => isKept(history, key, day));
  const rate = (at: number) => (times[at] ? (counts[at] ?? 0) / (times[at] ?? 1) : 0);
  const busiest = Math.max(...counts.map((_, at) => rate(at)), 0) || 1;
  return [1, 2, 3, 4, 5, 6, 0].map((weekday) =>
    Array.from({ length: 24 }, (_, hour) => {
      const at = weekday * 24 + hour;
      return {
        weekday,
        hour,
        count: counts[at] ?? 0,
        times: times[at] ?? 0,
        heat: rate(at) / busiest,
      };
    }),
  );
}

function viewsByHour(history: History, range: DayRange): number[] {
  const views = new Array<number>(7 * 24).fill(0);
  const dimension = history.dimensions.get("dowhour");
  if (!dimension) return views;
  const sums = sumByValue(dimension, history, range);
  dimension.values.forEach((value, i) => {
    const [weekday, hour] = value.split("-").map(Number);
    if (weekday !== undefined && hour !== undefined) views[weekday * 24 + hour] = sums[i] ?? 0;
  });
  return views;
}

function countsByHour(history: History, key: SeriesName, range: DayRange): number[] {
  const counts = new Array<number>(7 * 24).fill(0);
  for (const [day, hours] of history.hours.get(key) ?? []) {
    if (day < range.from || day > range.to) continue;
    hours.forEach((count, hour) => {
      const at = weekdayOf(day) * 24 + hour;
      counts[at] = (counts[at] ?? 0) + count;
    });
  }
  return counts;
}

/** Whether a day's hours are known; where nothing was counted, they are: nothing. */
function isKept(history: History, key: SeriesName, day: Day): boolean {
  if (isUntold(history, day, "hours", key)) return false;
  if (key === "pv" || history.hours.get(key)?.has(day)) return true;
  return seriesOf(history, key, { from: day, to: day })[0] === 0;
}

function timesByHour(range: DayRange, now: number, isKnown: (day: Day) => boolean): number[] {
  const times = new Array<number>(7 * 24).fill(0);
  const today = dayOf(now);
  for (let day = range.from; day <= Math.min(range.to, today); day++) {
    if (!isKnown(day)) continue;
    const hours = day < today ? 24 : hourOf(now) + 1;
    for (let hour = 0; hour < hours; hour++) {
      const at = weekdayOf(day) * 24 + hour;
      times[at] = (times[at] ?? 0) + 1;
    }
  }
  return times;
}
