import type { MetricUnit } from "../figures.ts";
import type { Line, Trend } from "./trend-model.ts";

/**
 * Corrections of frappe-charts, which joins all points of a line, and draws a missing one as zero: its lines are clipped to
 * complete points, and running periods are drawn over it.
 */

export interface FrappeData {
  labels: string[];
  datasets: { name: string; chartType: "line"; values: number[] }[];
}

/** The parts of a frappe-charts 1.6.2 chart with the positions of its drawing. */
export interface DrawnChart {
  /** Pixels from the plot's top left corner. */
  state: {
    xAxis: { positions: number[] };
    yAxis: { zeroLine: number; scaleMultiplier: number };
  };
  measures: {
    titleHeight: number;
    margins: { top: number; left: number };
    paddings: { top: number; left: number };
  };
  width: number;
  height: number;
}

/** The parts of it that the trend relies on. */
export interface FrappeChart extends DrawnChart {
  /** the parent's size at the last drawing, the room for a legend included */
  baseWidth: number;
  baseHeight: number;
  data: FrappeData;
  update(data: FrappeData): void;
  /** draws again for another size */
  draw(): void;
  destroy(): void;
}

/** A point in pixels. */
export type Point = [x: number, y: number];

export interface Plot {
  width: number;
  height: number;
  left: number;
  top: number;
  xs: number[];
  zero: number;
  lines: PlotLine[];
  before: Point[][];
}

interface PlotLine {
  line: Line;
  /** stretches of x to show of frappe's line */
  whole: { from: number; to: number }[];
  /** stretches to fill down to zero, the point still open included; of the chosen figure only */
  area: Point[][];
  /** whole points with no neighbour: a line cannot show them */
  lone: Point[];
  /** from the last whole point to the one still open */
  open: Point[];
}

/** The value the axis has to reach so that frappe's steps between its lines are whole numbers. */
export function axisTop(values: (number | null)[], unit: MetricUnit): number {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  if (unit === "rate") return 100;
  if (unit === "ratio") return Math.max(1, Math.ceil(most));
  if (unit === "seconds") return Math.max(10, Math.ceil(most));
  if (most <= 4) return 4;
  return most > 9 && most <= 10 ? 12 : most;
}

/** A sign that is not seen. */
const NO_WIDTH = "\u200b";

/** The data that frappe draws: first an invisible line that sets the axis, then the lines. */
export function frappeData(trend: Trend, unit: MetricUnit): FrappeData {
  const scale = scaleOf(unit);
  const top = axisTop(
    [...trend.lines.flatMap((line) => line.values), ...(trend.before?.values ?? [])],
    unit,
  );
  const longest = Math.max(...trend.buckets.map(({ label }) => label.length));
  return {
    // Where there is no room for all, frappe would write the short ones besides every second or third.
    labels: trend.buckets.map(({ label }) => label.padEnd(longest, NO_WIDTH)),
    datasets: [
      { name: "", chartType: "line", values: trend.buckets.map(() => top) },
      ...trend.lines.map((line) => ({
        name: "",
        chartType: "line" as const,
        values: filled(line.values).map((value) => value * scale),
      })),
    ],
  };
}

/** Rates are drawn in percent. */
export const scaleOf = (unit: MetricUnit): number => (unit === "rate" ? 100 : 1);

/** Holes take the value before them; the clipping hides them. */
function filled(values: (number | null)[]): number[] {
  let last = 0;
  return values.map((value) => {
    last = value ?? last;
    return last;
  });
}

/** The places of all parts in a chart that frappe has drawn. */
export function plotOf(chart: DrawnChart, trend: Trend, scale: number): Plot {
  const { xAxis, yAxis } = chart.state;
  const { margins, paddings, titleHeight } = chart.measures;
  const xs = xAxis.positions;
  const y = (value: number) => yAxis.zeroLine - value * scale * yAxis.scaleMultiplier;
  return {
    width: chart.width,
    height: chart.height,
    left: margins.left + paddings.left,
    top: titleHeight + margins.top + paddings.top,
    xs,
    zero: yAxis.zeroLine,
    lines: trend.lines.map((line) => plotLine(line, trend, xs, y)),
    before: runsOf(pointsOf(trend.before?.values ?? [], xs, y)),
  };
}

function pointsOf(values: (number | null)[], xs: number[], y: (value: number) => number) {
  return values.map((value, i): Point | null => (value === null ? null : [xs[i] ?? 0, y(value)]));
}

function plotLine(line: Line, trend: Trend, xs: number[], y: (value: number) => number): PlotLine {
  const points = pointsOf(line.values, xs, y);
  const stateOf = (i: number) => trend.buckets[i]?.state;
  const runs = runsOf(points.map((point, i) => (stateOf(i) === "whole" ? point : null)));
  const at = points.findIndex((point, i) => point !== null && stateOf(i) === "open");
  const before = points[at - 1];
  const now = points[at];
  return {
    line,
    whole: runs
      .filter((run) => run.length > 1)
      .map((run) => ({ from: run[0]?.[0] ?? 0, to: run.at(-1)?.[0] ?? 0 })),
    area: !line.isOther ? runsOf(points).filter((run) => run.length > 1) : [],
    lone: runs.filter((run) => run.length === 1).flat(),
    open: now ? (before ? [before, now] : [now]) : [],
  };
}

/** The stretches of points without a hole. */
function runsOf(points: (Point | null)[]): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  for (const point of points) {
    if (point) run.push(point);
    else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  if (run.length > 0) runs.push(run);
  return runs;
}
