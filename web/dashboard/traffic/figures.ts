import { type Day, dayOf, hourOf } from "../../../appliance/base/calendar.ts";
import { samePart } from "../../../appliance/base/comparison.ts";
import type { METRICS, Selection } from "../../../appliance/base/input/selection.ts";
import { byTime, medianTime, TIMES, timeText } from "../../../appliance/base/reading.ts";
import { rowsAsked } from "../../../appliance/base/text/condition.ts";
import type { CountsOf } from "../../../appliance/base/text/dimensions.ts";
import { NO_FIGURE, percent, ratio, whole } from "../../shared/format.ts";
import {
  type DayRange,
  type History,
  type HourlyName,
  hoursOn,
  isUntold,
  seriesOf,
  sumByDay,
  valueByDay,
} from "../history.ts";

export type MetricUnit = "count" | "ratio" | "rate" | "seconds";

interface MetricFacts {
  name: string;
  help: string;
  unit: MetricUnit;
  /** the kind of counts that lists have, while this is chosen */
  of: CountsOf;
  /** a smaller number is the better one */
  lessIsBetter?: true;
}

export type Metric = (typeof METRICS)[number];

export const METRIC_FACTS: Record<Metric, MetricFacts> = {
  pv: {
    name: "Pageviews",
    unit: "count",
    of: "views",
    help: "Pages opened by people. Bots are never in it.",
  },
  uv: {
    name: "Visitors",
    unit: "count",
    of: "visitors",
    help: "Browsers seen, once a day each: someone who comes on three days counts three times.",
  },
  sessions: {
    name: "Sessions",
    unit: "count",
    of: "sessions",
    help: "Visits. A new one begins after 30 minutes without a view.",
  },
  viewsPerVisit: {
    name: "Views per visit",
    unit: "ratio",
    of: "sessions",
    help: "Pageviews divided by sessions.",
  },
  bounceRate: {
    name: "Bounce rate",
    unit: "rate",
    of: "sessions",
    lessIsBetter: true,
    help: "Sessions that saw no second view: 100% minus the engagement rate.",
  },
  engagementRate: {
    name: "Engagement rate",
    unit: "rate",
    of: "sessions",
    help: "Sessions with a second view.",
  },
  returning: {
    name: "Returning",
    unit: "rate",
    of: "visitors",
    help: "Visitors whose browser was here on an earlier day.",
  },
  interaction: {
    name: "Human interaction",
    unit: "rate",
    of: "views",
    help: "Views in which somebody moved, clicked, tapped, scrolled or typed.",
  },
  time: {
    name: "Time on page",
    unit: "seconds",
    of: "views",
    help: "Half of the pages that were left had been in sight for longer than this.",
  },
  app: {
    name: "App pings",
    unit: "count",
    of: "views",
    help: "Desktop apps that reported in. An app sends at most one a UTC day.",
  },
  events: { name: "Events", unit: "count", of: "views", help: "How often they happened." },
};

/** Charted until the tile of another one is pressed. */
const DEFAULT_METRIC: Metric = "uv";

/** Alike in all views of a session: under conditions on them its views are known together. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  ...["host", "source", "lang", "tz", "browser", "os", "device", "viewport", "country"],
  ...["browser_version", "os_version"],
]);

/** The counters that a figure is made of, as far as an import may lack them. */
const NEEDS: Partial<Record<Metric, readonly string[]>> = {
  pv: ["pv"],
  uv: ["uv"],
  sessions: ["sessions"],
  viewsPerVisit: ["pv", "sessions"],
  bounceRate: ["engagement"],
  engagementRate: ["engagement"],
  interaction: ["pv", "hi"],
  time: ["time"],
};

/** The things that a day lacks, by name: engagement where neither second views nor bounces are known. */
const unknownOf = ({ lacks }: Gap): readonly string[] =>
  lacks.includes("engaged") && lacks.includes("bounce") ? [...lacks, "engagement"] : lacks;

/** The gaps of a range in which a figure is not known. */
export const gapsOf = ({ gaps }: Pick<History, "gaps">, metric: Metric, range: DayRange) =>
  gaps.filter(
    (gap) =>
      gap.from <= range.to &&
      gap.to >= range.from &&
      NEEDS[metric]?.some((name) => unknownOf(gap).includes(name)),
  );

/** A figure of the days of a range on which it is known; null where it is on none. */
export function figureOf(history: History, metric: Metric, range: DayRange): number | null {
  if (range.hour !== undefined) return figureOfHours(history, metric, range, range.hour);
  const gaps = gapsOf(history, metric, range);
  const days = sumsByDay(history, range).filter(
    (_, i) => !gaps.some(({ from, to }) => range.from + i >= from && range.from + i <= to),
  );
  return days.length === 0 ? null : figure(metric, addUp(days));
}

/** A figure of the 24 hours up to one of the last day; null where they do not tell it. */
function figureOfHours(history: History, metric: Metric, range: DayRange, hour: number) {
  if (!isKeptByHour(metric)) return null;
  const days = sumsByDay(history, range);
  const sums = { ...NO_SUMS };
  for (const name of PARTS[metric]) {
    const of = days.map((day) => day[name]);
    const all = samePart(of, hoursOn(history, name, range.to), hour);
    const early = samePart(of.slice(0, 1), hoursOn(history, name, range.from), hour);
    if (all === null || early === null) return null;
    sums[name] = all - early;
  }
  return figure(metric, sums);
}

type Gap = History["gaps"][number];
type Asked = Pick<History, "where" | "since" | "gaps">;

/** The reason that a figure of a range is unknown under the conditions of a history; null where it is known. */
export function whyUnknown(history: Asked, metric: Metric, range: DayRange): string | null {
  const { where, since } = history;
  const asked = rowsAsked(where);
  if (metric === "events") return asked === "views" ? "Events are a list of their own." : null;
  if (gapsOf(history, metric, range).some(({ from, to }) => from <= range.from && to >= range.to))
    return "These days were imported from a tool that does not tell it.";
  // A visitor counts once a day, in the first hour of it: parts of two days know neither all nor some of them.
  if (range.hour !== undefined && (metric === "uv" || metric === "app" || !isKeptByHour(metric)))
    return "It is not known of parts of two days.";
  if (where.length === 0) return null;
  if (range.to < since) return "These days are kept as totals, which cannot be filtered.";
  if (metric === "app") return "What apps send fits no filter.";
  if (metric === "interaction") return "A first touch is counted alone: it fits no filter.";
  if (asked !== "views" && (metric !== "time" || asked === "events"))
    return "Events are asked for, and not views.";
  if (metric === "time" || METRIC_FACTS[metric].unit === "count") return null;
  return where.every(({ dimension }) => OF_SESSIONS.has(dimension))
    ? null
    : "Which views were of one session is not known under this filter.";
}

/** The figure that a chart of a history draws: the chosen one, unless that cannot be known. */
export function chartable(
  history: Asked & Pick<History, "first" | "last">,
  { metric: chosen, choice }: Pick<Selection, "metric" | "choice">,
  usual?: Metric,
): Metric {
  if (rowsAsked(history.where) !== "views") return "events";
  const isOfHours = choice.period === "24h";
  const all = { from: history.first, to: history.last, hour: isOfHours ? 0 : undefined };
  const isKnown = (metric: Metric | null): metric is Metric =>
    metric !== null && whyUnknown(history, metric, all) === null;
  return [chosen, usual ?? (isOfHours ? "pv" : DEFAULT_METRIC)].find(isKnown) ?? "sessions";
}

/** The sums the figures are made of, before anything was counted. */
const NO_SUMS = {
  pv: 0,
  uv: 0,
  sessions: 0,
  /** sessions with a second view */
  engaged: 0,
  hi: 0,
  /** first views of a day whose browser says when it was here last, and those that are its first of all */
  again: 0,
  fresh: 0,
  app: 0,
  events: 0,
  ...byTime(() => 0),
};
type Sums = typeof NO_SUMS;

function sumsOf(sum: (key: keyof Sums) => number): Sums {
  const sums = { ...NO_SUMS };
  for (const key of Object.keys(sums) as (keyof Sums)[]) sums[key] = sum(key);
  return sums;
}

const quotient = (part: number, base: number): number | null => (base > 0 ? part / base : null);

/**
 * A part of its whole, never more than all of it; null without a whole. Both may be counted on two
 * sides of midnight, or one of them be lost on the way: a view opened before it has its first input
 * after it, and a session its second view.
 */
export function share(part: number, whole: number): number | null {
  return quotient(Math.min(whole, Math.max(0, part)), whole);
}

/** A figure from its sums; null where it has no base. */
export function figure(metric: Metric, sums: Sums): number | null {
  switch (metric) {
    case "viewsPerVisit":
      return quotient(sums.pv, sums.sessions);
    case "bounceRate":
      return share(sums.sessions - sums.engaged, sums.sessions);
    case "engagementRate":
      return share(sums.engaged, sums.sessions);
    case "returning":
      return share(sums.again - sums.fresh, sums.again);
    case "interaction":
      return share(sums.hi, sums.pv);
    case "time":
      return medianTime(TIMES.map((name) => sums[name]));
    default:
      return sums[metric];
  }
}

/** The name of a figure under conditions. */
export function metricName(metric: Metric, where: History["where"]): string {
  const isOfReadings = metric === "events" && rowsAsked(where) === "readings";
  return isOfReadings ? "Readings" : METRIC_FACTS[metric].name;
}

/** The sums of each day of a range. */
export function sumsByDay(history: History, { from, to }: DayRange): readonly Sums[] {
  const ranges = known.get(history) ?? new Map<string, readonly Sums[]>();
  known.set(history, ranges);
  const sums = ranges.get(`${from} ${to}`) ?? addedUp(history, { from, to });
  ranges.set(`${from} ${to}`, sums);
  return sums;
}

/** The sums by range of a history, since every tile and the chart ask for those of the same days. */
const known = new WeakMap<History, Map<string, readonly Sums[]>>();

function addedUp(history: History, range: DayRange): Sums[] {
  const columns: Record<keyof Sums, Float64Array> = {
    pv: seriesOf(history, "pv", range),
    uv: seriesOf(history, "uv", range),
    sessions: seriesOf(history, "sessions", range),
    app: seriesOf(history, "app", range),
    engaged: engagedByDay(history, range),
    hi: sumByDay(history, "hi", range),
    again: sumByDay(history, "again", range),
    fresh: valueByDay(history, { dimension: "again", value: "new" }, range),
    events: sumByDay(history, rowsAsked(history.where) === "readings" ? "time" : "event", range),
    ...byTime((value) => valueByDay(history, { dimension: "time", value }, range)),
  };
  return Array.from(columns.pv, (_, i) => sumsOf((key) => columns[key][i] ?? 0));
}

/** The first day with reports of second views. A site without any waits for the first one. */
function firstEngaged(history: History): Day {
  // Under conditions there may be no second view for long, and detail does not go back as far: the whole history decides.
  if (history.where.length > 0) return history.whole ? firstEngaged(history.whole) : history.first;
  const offset = history.dimensions.get("engaged")?.offsets[0];
  return offset === undefined ? history.last + 1 : history.first + offset;
}

/** Days before the first report of second views, and days that have none, are judged by their bounces. */
function engagedByDay(history: History, range: DayRange): Float64Array {
  const told = sumByDay(history, "engaged", range);
  const sessions = seriesOf(history, "sessions", range);
  const bounced = sumByDay(history, "bounce", range);
  const since = firstEngaged(history) - range.from;
  return told.map((n, i) =>
    i < since || isUntold(history, range.from + i, "engaged")
      ? (sessions[i] ?? 0) - (bounced[i] ?? 0)
      : n,
  );
}

/** Days before the first report of second views whose bounces are doubtful: these were reported when a visitor came back. */
const DOUBTFUL_DAYS = 7;

function isDoubtful(history: History, { from, to }: DayRange): boolean {
  const first = firstEngaged(history);
  return from < first && to >= first - DOUBTFUL_DAYS;
}

interface Comparison {
  range: DayRange;
  compared: DayRange;
  /** the wall clock by which days are counted: milliseconds since 1970 there */
  now: number;
}

/** A figure and the one that it is compared with. */
export interface ComparedFigures {
  now: number | null;
  before: number | null;
  /** the day that runs is in neither */
  isWithoutToday: boolean;
}

/** The figures that are compared, if both were computed in the same way; null where they were not. */
export function comparedFigures(
  history: History,
  metric: Metric,
  { range, compared, now }: Comparison,
): ComparedFigures | null {
  // Beside days that are not known, or were not counted, a steady site would seem to grow.
  if (compared.from < history.first) return null;
  if ([range, compared].some((days) => gapsOf(history, metric, days).length > 0)) return null;
  if (isEngagement(metric) && [range, compared].some((days) => isDoubtful(history, days)))
    return null;
  const of = (days: DayRange) => figureOf(history, metric, days);
  if (range.hour !== undefined) {
    const known = { now: of(range), before: of(compared), isWithoutToday: false };
    return known.now === null || known.before === null ? null : known;
  }
  const isWithoutToday = range.to === dayOf(now) && !hasPart(history, metric, compared, now);
  if (!isWithoutToday) {
    const before = partBefore(history, metric, { range, compared, now });
    return { now: of(range), before, isWithoutToday };
  }
  if (range.from === range.to) return null;
  const [days, before] = [range, compared].map(({ from, to }) => ({ from, to: to - 1 }));
  return { now: of(days as DayRange), before: of(before as DayRange), isWithoutToday };
}

/** Whether the last of the compared days can be told up to this hour; a rate is as good of the whole day. */
function hasPart(history: History, metric: Metric, compared: DayRange, now: number): boolean {
  if (!isKeptByHour(metric)) return METRIC_FACTS[metric].unit !== "count";
  const [last] = sumsByDay(history, { from: compared.to, to: compared.to });
  return PARTS[metric].every(
    (name) =>
      samePart([last?.[name] ?? 0], hoursOn(history, name, compared.to), hourOf(now)) !== null,
  );
}

/** Whether `partBefore` is of less than the whole of `compared`. */
export function isPart(
  history: History,
  metric: Metric,
  { range, compared, now }: Comparison,
): boolean {
  // Neither input nor bounces are stored by the hour.
  if (range.to !== dayOf(now) || !isKeptByHour(metric)) return false;
  return !isEngagement(metric) || compared.to >= firstEngaged(history);
}

/** The figure of `compared`, while `range` runs of the same part of it; null where that is not known. */
export function partBefore(
  history: History,
  metric: Metric,
  comparison: Comparison,
): number | null {
  const { compared, now } = comparison;
  const days = sumsByDay(history, compared);
  const sums = addUp(days);
  if (!isKeptByHour(metric) || !isPart(history, metric, comparison)) return figure(metric, sums);
  const part: Partial<Sums> = {};
  for (const name of PARTS[metric]) {
    const hours = hoursOn(history, name, compared.to);
    const n = samePart(
      days.map((day) => day[name]),
      hours,
      hourOf(now),
    );
    if (n === null) return null;
    part[name] = n;
  }
  return figure(metric, { ...sums, ...part });
}

const isEngagement = (metric: Metric): boolean =>
  metric === "bounceRate" || metric === "engagementRate";

type ByHour = Exclude<Metric, "returning" | "interaction" | "time" | "events">;

const isKeptByHour = (metric: Metric): metric is ByHour => Object.hasOwn(PARTS, metric);

/** The sums that a figure is made of and that are kept by the hour. */
const PARTS: Record<ByHour, Exclude<HourlyName, "bot">[]> = {
  pv: ["pv"],
  uv: ["uv"],
  sessions: ["sessions"],
  app: ["app"],
  viewsPerVisit: ["pv", "sessions"],
  bounceRate: ["engaged", "sessions"],
  engagementRate: ["engaged", "sessions"],
};

export const addUp = (days: readonly Sums[]): Sums =>
  sumsOf((key) => days.reduce((sum, day) => sum + day[key], 0));

/** A figure as text: `1,234`, `1.83`, `42%`, or `–` without a base. */
export function figureText(metric: Metric, value: number | null): string {
  if (value === null) return NO_FIGURE;
  const { unit } = METRIC_FACTS[metric];
  if (unit === "seconds") return timeText(value);
  return unit === "count" ? whole(value) : unit === "ratio" ? ratio(value) : percent(value);
}

interface Delta {
  /** `+12%`, `−3.1 pts`, `±0%`, or `–` where there is nothing to compare with */
  text: string;
  verdict: "good" | "bad" | "same" | "none";
}

const TENTH = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const ONE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** The change of a figure: rates in percentage points, others in percent. */
export function delta(metric: Metric, now: number | null, before: number | null): Delta {
  const facts = METRIC_FACTS[metric];
  if (now === null || before === null) return { text: NO_FIGURE, verdict: "none" };
  const isRate = facts.unit === "rate";
  if (!isRate && before === 0) return { text: NO_FIGURE, verdict: "none" };
  const change = isRate ? (now - before) * 100 : ((now - before) / before) * 100;
  const size = Math.abs(change);
  const text = isRate || size < 10 ? TENTH.format(size) : ONE.format(size);
  const unit = isRate ? " pts" : "%";
  if (text === "0") return { text: `±0${unit}`, verdict: "same" };
  const better = change > 0 !== (facts.lessIsBetter ?? false);
  return { text: `${change > 0 ? "+" : "−"}${text}${unit}`, verdict: better ? "good" : "bad" };
}

/** `4,287 visitors` */
export function totalText(history: History, metric: Metric, range: DayRange): string {
  const text = figureText(metric, figureOf(history, metric, range));
  return `${text} ${METRIC_FACTS[metric].name.toLowerCase()}`;
}
