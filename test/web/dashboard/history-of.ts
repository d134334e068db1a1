import { formatDay, parseDay } from "../../../appliance/base/calendar.ts";
import type { SeriesRow, StatsAnswer } from "../../../appliance/traffic/collector/wire.ts";
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

/** Offset, count, offset, count, … of each value. */
type Offsets = Record<string, Record<string, number[]>>;

/** Counts by day as the dashboard gets them. */
function asText(daily: Offsets): StatsAnswer["daily"] {
  const text = (list: number[]) =>
    list
      .map((n, at) => {
        if (at % 2 === 0) return skip(n - (list[at - 2] ?? -1) - 1);
        return n < 36 ? n.toString(36) : `(${n})`;
      })
      .join("");
  const skip = (days: number): string =>
    days > 26 ? `Z${skip(days - 26)}` : days > 0 ? String.fromCharCode(64 + days) : "";
  const each = <A, B>(table: Record<string, A>, of: (one: A) => B) =>
    Object.fromEntries(Object.entries(table).map(([name, one]) => [name, of(one)]));
  return each(daily, (values) => each(values, text));
}

/** A decoded history that begins on a day and has one entry per day. */
export function historyOf(
  from: string,
  days: DayFigures[],
  daily: Offsets = {},
  hours: NonNullable<StatsAnswer["hours"]> = {},
  more: Pick<StatsAnswer, "only" | "sources" | "detail" | "zoneChange" | "gaps"> = {},
  asked: Partial<Pick<History, "where" | "of">> = {},
): History {
  const series = days.map(({ pv = 0, uv = 0, sessions = 0, bot = 0, app = 0 }, i): SeriesRow => {
    return [formatDay(day(from) + i), pv, uv, sessions, bot, app];
  });
  const to = formatDay(day(from) + days.length - 1);
  const answer = { site: "blog", zone: "UTC", from, to, series, daily: asText(daily), hours };
  return decodeHistory({ ...answer, ...more }, { where: [], of: "views", ...asked }, null);
}
