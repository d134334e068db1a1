import { DAY_MS, type Day, formatDay } from "../../base/calendar.ts";
import { daysBack } from "../../base/comparison.ts";
import type { DayZone } from "../../base/day-zone.ts";
import { GOALS } from "../../base/input/goals.ts";
import { isObject } from "../../base/input/json.ts";
import type { DigestSpan } from "../../base/text/digest.ts";
import type { Goal } from "../../base/text/goals.ts";
import type { Gap, GoalsAnswer, Lack, SeriesRow } from "../../store/reports.ts";
import { type Numbers, type SiteKey, settingOfSite } from "../../store/store.ts";
import type { PastAlarm } from "../alarms/alarm-log.ts";
import { type Counted, type Movers, moversOf } from "./movers.ts";

/**
 * A figure, and its value in the span before; null where days of it were imported from a tool that does not tell it, or
 * before counting began.
 */
export interface DigestFigure {
  readonly now: number | null;
  readonly before: number | null;
}

/** All contents of a digest. Days are `YYYY-MM-DD`. */
export interface DigestFigures extends Movers {
  readonly site: string;
  readonly every: DigestSpan;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  /** Not all of the span before was counted: nothing is compared. */
  readonly isFirst: boolean;
  readonly visitors: DigestFigure;
  readonly views: DigestFigure;
  readonly sessions: DigestFigure;
  /** The first five by views. */
  readonly pages: Counted;
  readonly sources: Counted;
  readonly goals: readonly (DigestFigure & { readonly name: string })[];
  readonly alarms: readonly PastAlarm[];
}

/** The days of a digest and of the span before it. */
interface Asked {
  readonly site: { readonly key: SiteKey; readonly id: string };
  readonly every: DigestSpan;
  /** The last day. */
  readonly to: Day;
  readonly zone: DayZone;
  readonly now: number;
  /** The alarms of a site that stood at some time of a span of epoch milliseconds. */
  readonly alarms: (site: string, from: number, until: number) => readonly PastAlarm[];
}

const SPAN_DAYS: Readonly<Record<DigestSpan, number>> = { day: 1, week: 7 };
const FIRST = 5;
const PLAIN = { encoding: null, ifNoneMatch: "" } as const;

/** The answer of `/stats` with its days. */
interface Totals {
  readonly series: readonly SeriesRow[];
  readonly gaps?: readonly Gap[];
  readonly [dimension: string]: unknown;
}

/** Reads the contents of a digest. Rejects as `Numbers.read` does. */
export async function digestFigures(
  numbers: Pick<Numbers, "read">,
  { site, every, to, zone: dayZone, now: moment, alarms }: Asked,
): Promise<DigestFigures> {
  const days = SPAN_DAYS[every];
  const from = to - days + 1;
  const zone = dayZone.nameAt(moment);
  const range = { site: site.key, id: site.id, zone, where: [], detailFrom: Infinity };
  const span = async (first: Day, last: Day) => {
    const query = {
      ...({ ...range, from: first, to: last, of: "views", single: false, series: true } as const),
      daily: undefined,
      warnings: [],
    };
    return bodyOf<Totals>(await numbers.read("stats", { query, accepts: PLAIN }));
  };
  const back = daysBack(days);
  const [now, before] = [await span(from, to), await span(from - back, to - back)];
  const { goals } = (await settingOfSite(numbers, GOALS, site.key)) ?? { goals: [] };
  const reachedIn = async (first: Day | "first", wanted: readonly Goal[]) => {
    const query = { ...range, from: first, to, goals: wanted };
    return bodyOf<GoalsAnswer>(await numbers.read("goals", { query, accepts: PLAIN }));
  };
  const reached = goals.length === 0 ? [] : (await reachedIn(from - back, goals)).goals;
  // Beside days of which some were not counted, a steady site would seem to grow.
  const isWhole = (await reachedIn("first", [])).from <= formatDay(from - back);
  // Where the clock on the wall stepped meanwhile, an hour more or less: an alarm of midnight is told twice.
  const until = moment - (dayZone.wall(moment) - (to + 1) * DAY_MS);
  const compared = (name: "pv" | "uv" | "sessions", at: number): DigestFigure => ({
    now: sumOf(now, name, at),
    before: isWhole ? sumOf(before, name, at) : null,
  });
  const views = compared("pv", 1);
  // Older scripts do not send the source of a session.
  const sources = isObject(now.source) ? "source" : "ref";
  const spansOf = (name: string) => ({ now: valuesOf(now[name]), before: valuesOf(before[name]) });
  return {
    site: site.id,
    every,
    zone,
    isFirst: !isWhole,
    from: formatDay(from),
    to: formatDay(to),
    views,
    visitors: compared("uv", 2),
    sessions: compared("sessions", 3),
    pages: firstOf(now.path),
    sources: firstOf(now[sources]),
    ...moversOf(views, { pages: spansOf("path"), sources: spansOf(sources) }),
    goals: reached.map(({ name, daily }) => ({
      name,
      now: sum(daily.slice(-days)),
      before: isWhole ? sum(daily.slice(0, days)) : null,
    })),
    alarms: alarms(site.id, until - days * DAY_MS, until),
  };
}

function bodyOf<Body>({ body }: { readonly body: Uint8Array | null }): Body {
  return JSON.parse(Buffer.from(body ?? []).toString("utf8"));
}

/** @param at the place of the counter in a row of days @returns null where it is not known of all of them */
function sumOf({ series, gaps = [] }: Totals, name: Lack, at: number): number | null {
  if (gaps.some(({ lacks }) => lacks.includes(name))) return null;
  return sum(series.map((row) => Number(row[at])));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

function firstOf(values: unknown): Counted {
  return valuesOf(values)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, FIRST);
}

function valuesOf(values: unknown): Counted {
  return isObject(values) ? Object.entries(values as Record<string, number>) : [];
}
