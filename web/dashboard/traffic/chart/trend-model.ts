import {
  type Day,
  dayOf,
  hourOf,
  mondayOf,
  monthStart,
  nextMonthStart,
  parseDay,
} from "../../../../appliance/base/calendar.ts";
import { UNITS } from "../../../../appliance/base/input/selection.ts";
import type { Mark } from "../../../../appliance/base/text/marks.ts";
import { monthName, rangeName, shortDay, weekdayAndDay } from "../../../shared/dates.ts";
import { NO_FIGURE, whole } from "../../../shared/format.ts";
import {
  addNumbers,
  type DayRange,
  type History,
  hasApp,
  hoursOn,
  SERIES,
  type SeriesName,
  seriesOf,
} from "../../history.ts";
import {
  addUp,
  figure,
  figureText,
  gapsOf,
  isPart,
  METRIC_FACTS,
  type Metric,
  partBefore,
  sumsByDay,
} from "../figures.ts";

/** A sentence about a day. */
interface TrendMark {
  day: Day;
  text: string;
  /** the chart's own, which says how days were counted */
  isQuiet?: true;
}

export type Unit = (typeof UNITS)[number];

/** One place on the x axis. */
interface Bucket {
  /** short, for the axis */
  label: string;
  /** long, for the read-out and the table */
  name: string;
  /** `open`: still being counted; `future`: has not begun, so there is nothing to draw */
  state: "whole" | "open" | "future";
  days: DayRange;
  marks?: TrendMark[];
}

type LineKey = Metric | "bot";

export interface Line {
  key: LineKey;
  name: string;
  /** one per bucket; null where there is nothing to say */
  values: (number | null)[];
  /** stands behind the chosen figure: drawn faint, and may be switched off */
  isOther?: true;
}

/** A sum that has no line, or only a part of one. */
export interface Total extends Pick<Line, "key" | "name" | "isOther"> {
  total: number;
}

export interface Trend {
  buckets: Bucket[];
  unit: Unit;
  lines: Line[];
  /** for a single day: counts without hours, or with only some of them */
  totals: Total[];
  /** the line drawn behind: the compared range of the one metric */
  before: Before | null;
}

interface Before extends Line {
  /** whether the line of comparison has the same part of a day as the running one, instead of the whole */
  isPart?: boolean;
}

export interface TrendOptions {
  range: DayRange;
  /** null when nothing is compared */
  compared: DayRange | null;
  metric: Metric;
  /** absent or null for the usual one of the range */
  unit?: Unit | null | undefined;
  bots: boolean;
  /** the wall clock by which days are counted: milliseconds since 1970 there */
  now: number;
}

/** The days of a range that is drawn by days, or weeks, where nothing else is asked for. */
const MAX_DAYS = 120;
const MAX_WEEKS = 800;
const DAYS_UP_TO_ONE = 14;

/** The days of a range that may be drawn by the unit: more would be points without room, fewer no line. */
const ALLOWED: Readonly<Record<Unit, { readonly from: number; readonly to: number }>> = {
  hour: { from: 2, to: 7 },
  day: { from: 2, to: 400 },
  week: { from: 14, to: Number.POSITIVE_INFINITY },
  month: { from: 62, to: Number.POSITIVE_INFINITY },
};

const lengthOf = ({ from, to }: DayRange): number => to - from + 1;

/** Whether a range is a day, or 24 hours of two. */
export const isOfHours = ({ from, to, hour }: DayRange): boolean =>
  from === to || hour !== undefined;

/** The units that a range can be drawn by. */
export function unitsOf(
  history: History,
  { range, metric }: Pick<TrendOptions, "range" | "metric">,
): Unit[] {
  const length = lengthOf(range);
  return UNITS.filter((unit) => {
    if (isOfHours(range)) return unit === "hour";
    const { from, to } = ALLOWED[unit];
    if (length < from || length > to) return false;
    if (unit !== "hour") return true;
    // The last day is known by the hour wherever any is.
    return isHourly(metric) && hoursOfDay(history, metric, range.to).hours !== null;
  });
}

/** The unit that a range is drawn by, unless another one is asked for. */
export function usualUnit(range: DayRange): Unit {
  const length = lengthOf(range);
  if (isOfHours(range)) return "hour";
  return length <= MAX_DAYS ? "day" : length <= MAX_WEEKS ? "week" : "month";
}

type HourlyKey = SeriesName;
/** A unit of whole days. */
type LongUnit = Exclude<Unit, "hour">;

/** Whether a figure is known by the hour, on days that were counted since that is kept. */
function isHourly<Key extends LineKey>(key: Key): key is Key & HourlyKey {
  return (SERIES as readonly string[]).includes(key);
}

/**
 * The series that is charted by the hour for a metric: views for one that is known by the day only.
 */
export function hourlyOf(metric: Metric): HourlyKey & Metric {
  return isHourly(metric) ? metric : "pv";
}

export function lineName(key: Metric | "bot"): string {
  return key === "bot" ? "Bots" : METRIC_FACTS[key].name;
}

/** Whether the line of comparison has counts up to this hour at a place of the axis. */
export function isByThisHour({ before, buckets }: Trend, at: number): boolean {
  return before?.isPart === true && buckets[at]?.state === "open";
}

export function lineText(line: Line, value: number | null | undefined): string {
  if (value === null || value === undefined) return NO_FIGURE;
  return isMetric(line.key) ? figureText(line.key, value) : whole(value);
}

function isMetric(key: LineKey): key is Metric {
  return Object.hasOwn(METRIC_FACTS, key);
}

/** Everything the trend chart draws, without knowing how. */
export function trendOf(history: History, options: TrendOptions): Trend {
  const { range, metric } = options;
  const asked = unitsOf(history, options).find((unit) => unit === options.unit);
  const unit = asked ?? usualUnit(range);
  if (unit !== "hour") return daysOf(history, { ...options, unit });
  if (metric !== "events") return hoursOf(history, options);
  // Events are not kept by the hour: a single day only has a place among others.
  const shown = { from: range.to - DAYS_UP_TO_ONE + 1, to: range.to };
  return daysOf(history, { ...options, unit: "day", range: shown, compared: null });
}

/** A single day or a few, by the hour. */
function hoursOf(history: History, options: TrendOptions): Trend {
  const { range, compared, metric, bots, now } = options;
  const isDay = range.from === range.to;
  const thisHour = (range.from - dayOf(now)) * 24 - hourOf(now);
  const cut = <T>(hours: readonly T[]) =>
    range.hour === undefined ? [...hours] : hours.slice(range.hour + 1, range.hour + 25);
  const buckets = Array.from({ length: 24 * lengthOf(range) }, (_, i): Bucket => {
    const day = range.from + Math.floor(i / 24);
    const state = i + thisHour > 0 ? "future" : i + thisHour === 0 ? "open" : "whole";
    const text = String(i % 24).padStart(2, "0");
    const name = `${text}:00–${text}:59`;
    const days = { from: day, to: day };
    return isDay
      ? { label: text, name, state, days }
      : { label: `${shortDay(day)} ${text}h`, name: `${weekdayAndDay(day)}, ${name}`, state, days };
  });
  const isUpTo = (_: unknown, i: number) => buckets[i]?.state !== "future";
  const charted = hourlyOf(metric);
  const lines: Line[] = [];
  const totals: Total[] = [];
  for (const head of headsOf(history, charted, bots)) {
    const { hours, total } = hoursOfDays(history, head.key, range);
    const counted = hours === null ? 0 : addNumbers(hours.map((n) => n ?? 0));
    if (isDay && counted < total) totals.push({ ...head, total });
    const values = (hours ?? []).map((n, i) => (isUpTo(n, i) ? n : null));
    if (hours !== null) lines.push({ ...head, values: cut(values) });
  }
  const before = compared && hoursOfDays(history, charted, compared).hours;
  return {
    buckets: cut(buckets),
    unit: "hour",
    lines,
    before: before && { key: charted, name: lineName(charted), values: cut(before) },
    totals,
  };
}

/** The same of days in a row; a day without hours is a gap. */
function hoursOfDays(history: History, key: HourlyKey, range: DayRange) {
  const days = Array.from({ length: lengthOf(range) }, (_, i) =>
    hoursOfDay(history, key, range.from + i),
  );
  const total = days.reduce((sum, day) => sum + day.total, 0);
  if (days.every(({ hours }) => hours === null)) return { hours: null, total };
  const gap = new Array<null>(24).fill(null);
  return { hours: days.flatMap(({ hours }): readonly (number | null)[] => hours ?? gap), total };
}

/** The counts of a day by the hour, null where they were not kept, and in all. */
function hoursOfDay(history: History, key: HourlyKey, day: Day) {
  const total = addNumbers(seriesOf(history, key, { from: day, to: day }));
  const kept = hoursOn(history, key, day);
  // One line is always drawn.
  const isDrawn = key === "pv" || total === 0;
  return { hours: kept ?? (isDrawn ? new Array<number>(24).fill(0) : null), total };
}

function daysOf(history: History, options: TrendOptions & { unit: LongUnit }): Trend {
  const { range, compared, metric, bots, now, unit } = options;
  const { spans, buckets } = bucketsOf(range, unit, now);
  const days = sumsByDay(history, range);
  const hits = seriesOf(history, "bot", range);
  const sums = spans.map((span) => {
    const [a, b] = [span.from - range.from, span.to - range.from + 1];
    return { ...addUp(days.slice(a, b)), bot: addNumbers(hits.subarray(a, b)) };
  });
  const lines = headsOf(history, metric, bots).map(
    (head): Line => ({
      ...head,
      values: sums.map((sum, i) => {
        const span = spans[i] ?? range;
        const isGap = isMetric(head.key) && gapsOf(history, head.key, span).length > 0;
        if (buckets[i]?.state === "future" || span.to < history.since || isGap) return null;
        return head.key === "bot" ? sum.bot : figure(head.key, sum);
      }),
    }),
  );
  const before = compared && lineBefore(history, { range, compared, metric, now }, spans);
  return { buckets, unit, lines, totals: [], before };
}

/** Adds marks to the days of a trend, the history's own too; to the first hour of a day. */
export function withMarks(trend: Trend, history: History, marks: readonly Mark[]): Trend {
  const noted = [
    ...marks.map(({ day, text }): TrendMark => ({ day: parseDay(day) ?? -1, text })),
    ...ownMarks(history, trend.buckets[0]?.days.from ?? 0),
  ];
  return {
    ...trend,
    buckets: trend.buckets.map((bucket, i) => {
      const { from, to } = bucket.days;
      const isFirst = trend.buckets[i - 1]?.days.from !== from;
      const marks = noted.filter(({ day }) => isFirst && day >= from && day <= to);
      return marks.length === 0 ? bucket : { ...bucket, marks };
    }),
  };
}

/** The days from which on days were counted otherwise, where the drawn ones have some of before. */
function ownMarks({ first, since, zoneChange, sources, only }: History, from: Day): TrendMark[] {
  const counted = Math.max(first, from);
  const firstOf = (isCopy: boolean) =>
    Math.min(
      ...sources
        .filter(({ kind }) => (kind === "copy" || kind === "import") === isCopy)
        .map((source) => parseDay(source.from ?? "") ?? Number.POSITIVE_INFINITY),
    );
  const here = firstOf(false);
  const marks: [Day, string][] = [[since, "Detail begins"]];
  if (zoneChange) marks.push([zoneChange.from, `Zone changed: ${zoneChange.before} before`]);
  if (!only && firstOf(true) < here) marks.push([here, "Imported until here"]);
  return marks
    .filter(([day], i) => day > counted && (i === 0 || day > since))
    .map(([day, text]) => ({ day, text, isQuiet: true }));
}

/** The places on the axis of a range, each with its days. */
function bucketsOf(range: DayRange, unit: LongUnit, now: number) {
  const spans = spansOf(range, unit);
  const today = dayOf(now);
  return { spans, buckets: spans.map((span) => bucketOf(span, unit, today)) };
}

/** The counts, in the order of display. */
const COUNTS = ["uv", "pv", "sessions", "app", "bot"] as const;

/**
 * The lines that are drawn, the chosen figure first. A rate is drawn alone: counts have another
 * axis.
 */
function headsOf<Chosen extends Metric>(history: History, chosen: Chosen, bots: boolean) {
  const head = { key: chosen, name: lineName(chosen) };
  if (METRIC_FACTS[chosen].unit !== "count" || chosen === "events") return [head];
  const isFiltered = history.where.length > 0;
  const isThere = (key: SeriesName) =>
    key === "app" ? hasApp(history) && !isFiltered : key !== "bot" || (bots && !isFiltered);
  const others = COUNTS.filter((key) => key !== chosen && isThere(key));
  return [head, ...others.map((key) => ({ key, name: lineName(key), isOther: true as const }))];
}

interface LineBefore extends Pick<TrendOptions, "range" | "metric" | "now"> {
  compared: DayRange;
}

/** The line of the days before; for an unfinished day, the last point covers the same part, like the tiles' figures. */
function lineBefore(
  history: History,
  { range, compared, metric, now }: LineBefore,
  spans: DayRange[],
): Before {
  const shift = compared.from - range.from;
  const days = sumsByDay(history, compared);
  const values = spans.map(({ from, to }) =>
    figure(metric, addUp(days.slice(from - range.from, to - range.from + 1))),
  );
  const last = spans.at(-1) ?? range;
  const comparison = {
    range: last,
    compared: { from: last.from + shift, to: last.to + shift },
    now,
  };
  return {
    key: metric,
    name: lineName(metric),
    values: [...values.slice(0, -1), partBefore(history, metric, comparison)],
    isPart: isPart(history, metric, comparison),
  };
}

function spansOf(range: DayRange, unit: LongUnit): DayRange[] {
  const spans: DayRange[] = [];
  for (let from = range.from; from <= range.to; ) {
    const next =
      unit === "day" ? from + 1 : unit === "week" ? mondayOf(from) + 7 : nextMonthStart(from);
    spans.push({ from, to: Math.min(next - 1, range.to) });
    from = next;
  }
  return spans;
}

function bucketOf(span: DayRange, unit: LongUnit, today: Day): Bucket {
  const state = span.from > today ? "future" : endOf(span, unit) >= today ? "open" : "whole";
  const facts: Pick<Bucket, "state" | "days"> = { state, days: span };
  if (unit === "day")
    return { label: shortDay(span.from), name: weekdayAndDay(span.from), ...facts };
  if (unit === "week")
    return { label: shortDay(span.from), name: rangeName(span.from, span.to), ...facts };
  const isWhole = span.from === monthStart(span.from) && span.to + 1 === nextMonthStart(span.from);
  const name = isWhole ? monthName(span.from) : rangeName(span.from, span.to);
  return { label: monthName(span.from), name, ...facts };
}

/** The last day a week or month has, also where the range ends before it. */
function endOf(span: DayRange, unit: LongUnit): Day {
  if (unit === "day") return span.from;
  return unit === "week" ? mondayOf(span.from) + 6 : nextMonthStart(span.from) - 1;
}
