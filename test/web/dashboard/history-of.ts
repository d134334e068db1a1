import { formatDay, parseDay } from "../../../appliance/base/calendar.ts";
import type { SeriesRow, StatsAnswer } from "../../../appliance/collector/wire.ts";
import { decodeHistory, type History } from "../../../web/dashboard/history.ts";

interface DayFigures {
  pv?: number;
  uv?: number;
  sessions?: number;
  bot?: number;
  app?: number;
}

/** The number of a day written `YYYY-MM-DD`. */
export function day(text: string): number {
  const number = parseDay(text);
  if (number === undefined) throw new Error(`${text} is no day`);
  return number;
}

/** Counts by day as the dashboard gets them. */
function inRuns(daily: StatsAnswer["daily"]): StatsAnswer["daily"] {
  const runs = (list: number[]) =>
    list.flatMap((n, at) => {
      const before = list[at - 2];
      if (at === 0 || at % 2 === 1) return n;
      return before === undefined || n === before + 1 ? [] : before + 1 - n;
    });
  const each = <A, B>(table: Record<string, A>, of: (one: A) => B) =>
    Object.fromEntries(Object.entries(table).map(([name, one]) => [name, of(one)]));
  return each(daily, (values) => each(values, runs));
}

/** A decoded history that begins on a day and has one entry per day. */
export function historyOf(
  from: string,
  days: DayFigures[],
  daily: StatsAnswer["daily"] = {},
  hours: NonNullable<StatsAnswer["hours"]> = {},
): History {
  const series = days.map(({ pv = 0, uv = 0, sessions = 0, bot = 0, app = 0 }, i): SeriesRow => {
    return [formatDay(day(from) + i), pv, uv, sessions, bot, app];
  });
  const to = formatDay(day(from) + days.length - 1);
  return decodeHistory({ site: "blog", from, to, series, daily: inRuns(daily), hours });
}
