import {
  type DayNumber,
  dayOf,
  hourOf,
  mondayOf,
  monthName,
  monthStart,
  nextMonthStart,
  rangeName,
  shortDay,
  weekdayAndDay,
} from "../shared/dates.ts";
import { NO_FIGURE, whole } from "../shared/format.ts";
import {
  addUp,
  figure,
  figureText,
  METRIC_FACTS,
  type Metric,
  type Sums,
  sumsByDay,
} from "./figures.ts";
import { type DayRange, type History, seriesOf } from "./history.ts";

/** One place on the x axis. */
export interface Bucket {
  /** short, for the axis */
  label: string;
  /** long, for the read-out and the table */
  name: string;
  /** `open`: still being counted; `future`: has not begun, so there is nothing to draw */
  state: "whole" | "open" | "future";
}

export type LineKey = Metric | "bot";

export interface Line {
  key: LineKey;
  name: string;
  /** one per bucket; null where there is nothing to say */
  values: (number | null)[];
}

export interface Trend {
  buckets: Bucket[];
  unit: "hour" | "day" | "week" | "month";
  lines: Line[];
  /** the compared range of the one line that is charted */
  before: Line | null;
}

export interface TrendOptions {
  range: DayRange;
  compared: DayRange;
  /** one metric, or null for the overview */
  metric: Metric | null;
  bots: boolean;
  /** the server's clock in epoch milliseconds */
  now: number;
}

const MAX_DAYS = 120;
const MAX_WEEKS = 800;

/** The series of the overview, in the order they are drawn. */
function overviewLines(history: History, bots: boolean): LineKey[] {
  const lines: LineKey[] = ["pv", "uv", "sessions"];
  if (history.series.app.some((n) => n > 0)) lines.push("app");
  if (bots) lines.push("bot");
  return lines;
}

function lineName(key: LineKey): string {
  return key === "bot" ? "Bots" : METRIC_FACTS[key].name;
}

/** A value of a line as text. */
export function lineText(line: Line, value: number | null | undefined): string {
  if (value === null || value === undefined) return NO_FIGURE;
  return line.key === "bot" ? whole(value) : figureText(line.key, value);
}

/** Everything the trend chart draws, without knowing how. */
export function trendOf(history: History, options: TrendOptions): Trend {
  const { range } = options;
  return range.from === range.to ? hoursOf(history, options) : daysOf(history, options);
}

/** By the hour only page views are kept, so a single day is drawn from them alone. */
function hoursOf(history: History, { range, compared, now }: TrendOptions): Trend {
  const thisHour = (range.from - dayOf(now)) * 24 - hourOf(now);
  const buckets = Array.from({ length: 24 }, (_, hour): Bucket => {
    const state = hour + thisHour > 0 ? "future" : hour + thisHour === 0 ? "open" : "whole";
    const text = String(hour).padStart(2, "0");
    return { label: text, name: `${text}:00–${text}:59 UTC`, state };
  });
  const views = hourlyViews(history, range.from);
  const before = hourlyViews(history, compared.from);
  const line = (values: (number | null)[]): Line => ({ key: "pv", name: lineName("pv"), values });
  return {
    buckets,
    unit: "hour",
    lines: [line(buckets.map(({ state }, i) => (state === "future" ? null : (views[i] ?? 0))))],
    before: line(before),
  };
}

function hourlyViews(history: History, day: DayNumber): number[] {
  const hours = new Array<number>(24).fill(0);
  const dimension = history.dimensions.get("hour");
  if (!dimension) return hours;
  const wanted = day - history.first;
  dimension.values.forEach((value, i) => {
    const end = dimension.starts[i + 1] ?? 0;
    for (let at = dimension.starts[i] ?? 0; at < end; at++) {
      if (dimension.offsets[at] === wanted) hours[Number(value)] = dimension.counts[at] ?? 0;
    }
  });
  return hours;
}

function daysOf(history: History, options: TrendOptions): Trend {
  const { range, compared, metric, bots, now } = options;
  const length = range.to - range.from + 1;
  const unit = length <= MAX_DAYS ? "day" : length <= MAX_WEEKS ? "week" : "month";
  const spans = spansOf(range, unit);
  const today = dayOf(now);
  const buckets = spans.map((span) => bucketOf(span, unit, today));
  const keys = metric === null ? overviewLines(history, bots) : withBots(metric, bots);
  const days = sumsByDay(history, range);
  const hits = seriesOf(history, "bot", range);
  const lines = keys.map(
    (key): Line => ({
      key,
      name: lineName(key),
      values: spans.map((span, i) => {
        if (buckets[i]?.state === "future") return null;
        const [a, b] = [span.from - range.from, span.to - range.from + 1];
        return key === "bot"
          ? addNumbers(hits.subarray(a, b))
          : figure(key, addUp(days.slice(a, b)));
      }),
    }),
  );
  const before =
    metric === null ? null : lineBefore(metric, sumsByDay(history, compared), spans, range);
  return { buckets, unit, lines, before };
}

/** Bots are counted, so they go with the counts; beside a rate they would flatten it. */
function withBots(metric: Metric, bots: boolean): LineKey[] {
  return bots && METRIC_FACTS[metric].unit === "count" ? [metric, "bot"] : [metric];
}

function addNumbers(numbers: Float64Array): number {
  return numbers.reduce((sum, n) => sum + n, 0);
}

function lineBefore(metric: Metric, days: Sums[], spans: DayRange[], range: DayRange): Line {
  return {
    key: metric,
    name: lineName(metric),
    values: spans.map((span) =>
      figure(metric, addUp(days.slice(span.from - range.from, span.to - range.from + 1))),
    ),
  };
}

function spansOf(range: DayRange, unit: "day" | "week" | "month"): DayRange[] {
  const spans: DayRange[] = [];
  for (let from = range.from; from <= range.to; ) {
    const next =
      unit === "day" ? from + 1 : unit === "week" ? mondayOf(from) + 7 : nextMonthStart(from);
    spans.push({ from, to: Math.min(next - 1, range.to) });
    from = next;
  }
  return spans;
}

function bucketOf(span: DayRange, unit: "day" | "week" | "month", today: DayNumber): Bucket {
  const state = span.from > today ? "future" : endOf(span, unit) >= today ? "open" : "whole";
  if (unit === "day") return { label: shortDay(span.from), name: weekdayAndDay(span.from), state };
  if (unit === "week") {
    return { label: shortDay(span.from), name: rangeName(span.from, span.to), state };
  }
  const isWhole = span.from === monthStart(span.from) && span.to + 1 === nextMonthStart(span.from);
  const name = isWhole ? monthName(span.from) : rangeName(span.from, span.to);
  return { label: monthName(span.from), name, state };
}

/** The last day a week or month has, also where the range ends before it. */
function endOf(span: DayRange, unit: "day" | "week" | "month"): DayNumber {
  if (unit === "day") return span.from;
  return unit === "week" ? mondayOf(span.from) + 6 : nextMonthStart(span.from) - 1;
}
