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
  return decodeHistory({ site: "blog", from, to, series, daily, hours });
}
