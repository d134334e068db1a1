import { dayOf, hourOf, weekdayOf } from "../../../appliance/base/calendar.ts";
import { type DayRange, type History, sumByValue } from "../history.ts";

export const WEEKDAYS = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
];

export interface HeatCell {
  /** 0 = Sunday */
  weekday: number;
  hour: number;
  views: number;
  /** how often this hour of the week lies in the range, up to now; 0 means there is nothing to show */
  times: number;
  /** 0–1: views per time, of the busiest hour's */
  heat: number;
}

/** Rows Monday to Sunday, columns hours 00–23, all in UTC. */
export function heatmapOf(history: History, range: DayRange, now: number): HeatCell[][] {
  const views = viewsByHour(history, range);
  const times = timesByHour(range, now);
  const rate = (at: number) => (times[at] ? (views[at] ?? 0) / (times[at] ?? 1) : 0);
  const busiest = Math.max(...views.map((_, at) => rate(at)), 0) || 1;
  return [1, 2, 3, 4, 5, 6, 0].map((weekday) =>
    Array.from({ length: 24 }, (_, hour) => {
      const at = weekday * 24 + hour;
      return {
        weekday,
        hour,
        views: views[at] ?? 0,
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

function timesByHour(range: DayRange, now: number): number[] {
  const times = new Array<number>(7 * 24).fill(0);
  const today = dayOf(now);
  for (let day = range.from; day <= Math.min(range.to, today); day++) {
    const hours = day < today ? 24 : hourOf(now) + 1;
    for (let hour = 0; hour < hours; hour++) {
      const at = weekdayOf(day) * 24 + hour;
      times[at] = (times[at] ?? 0) + 1;
    }
  }
  return times;
}
