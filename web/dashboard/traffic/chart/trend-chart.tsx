import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { METRIC_FACTS, type Metric, type MetricUnit } from "../figures.ts";
import { drawLines } from "./frappe.ts";
import { isByThisHour, lineText, type Trend } from "./trend-model.ts";
import {
  type FrappeChart,
  frappeData,
  type Plot,
  type Point,
  plotOf,
  scaleOf,
} from "./trend-plot.ts";

/** The height of a chart that is drawn before there is room for it. */
const HEIGHT = 300;
/** The room that frappe keeps free below the labels of its x axis for a legend. */
const LEGEND = 54;
/** The room that it keeps free to the right of the plot. */
const RIGHT = 30;
/** The gap between the pointer and the values, in pixels. */
const GAP = 12;

interface TrendChartProps {
  trend: Trend;
  title: string;
  beforeName: string;
  metric: Metric;
  isDrawn: boolean;
}

/** Signs behind the numbers of the axis. */
const SIGNS: Partial<Record<MetricUnit, string>> = { rate: "%", seconds: " s" };

/** frappe's axes and lines, with an overlay for the rest. A table has the same values. */
export function TrendChart({ trend, title, beforeName, metric, isDrawn }: TrendChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<FrappeChart>(null);
  const shape = useRef("");
  const [plot, setPlot] = useState<Plot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const unit = trend.unit !== "hour" ? METRIC_FACTS[metric].unit : "count";
  // The chosen figure is drawn last, over the others.
  const drawing = useMemo(() => ({ ...trend, lines: [...trend.lines].reverse() }), [trend]);

  useLayoutEffect(() => {
    if (!isDrawn || !host.current) return;
    const data = frappeData(drawing, unit);
    const newShape = `${data.datasets.length} ${unit}`;
    if (chart.current && shape.current === newShape) chart.current.update(data);
    else {
      const height = (host.current.clientHeight || HEIGHT) + LEGEND;
      chart.current = drawLines(host.current, data, height, SIGNS[unit] ?? "");
    }
    shape.current = newShape;
    setAt(null);
    const drawn = chart.current;
    const read = () => setPlot(plotOf(drawn, drawing, scaleOf(unit)));
    read();
    const observer = new ResizeObserver(([room]) => {
      const { width = 0, height = 0 } = room?.contentRect ?? {};
      const more = height + LEGEND - drawn.baseHeight;
      if (width === 0 || (width === drawn.baseWidth && more === 0)) return;
      drawn.baseHeight += more;
      drawn.height += more;
      drawn.draw();
      read();
    });
    observer.observe(host.current);
    return () => observer.disconnect();
  }, [drawing, unit, isDrawn]);

  const point = (event: PointerEvent) => {
    if (!plot || !host.current) return;
    const x = event.clientX - host.current.getBoundingClientRect().left - plot.left;
    const step = (plot.xs[1] ?? 0) - (plot.xs[0] ?? 0) || plot.width;
    const i = Math.floor(x / step);
    setAt(i >= 0 && i < trend.buckets.length ? i : null);
  };
  const last = trend.buckets.length - 1;
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(Math.min(last, Math.max(0, (at ?? last) + step)));
  };
  // Counts have colours of their own; a rate has the one of views.
  const style = Object.fromEntries(
    drawing.lines.flatMap(({ key, isOther }, i) => [
      [
        `--line-${i + 1}`,
        `color-mix(in srgb, var(--${key}, var(--pv)) ${isOther ? 33 : 100}%, transparent)`,
      ],
      [`--width-${i + 1}`, isOther ? "1.5px" : "2.5px"],
      [`--dash-${i + 1}`, key === "bot" ? "6 5" : "none"],
    ]),
  );
  return (
    <div
      class="plot"
      style={style}
      // Arrows read the figures of a day after the other.
      tabIndex={0}
      role="slider"
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={textOf(trend, at ?? last)}
      onKeyDown={press}
      onFocus={() => setAt(last)}
      onBlur={() => setAt(null)}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={(event) => event.pointerType === "mouse" && setAt(null)}
    >
      <div ref={host} class="frappe" />
      {/* Drawn before there is room for it, it is drawn again as soon as there is. */}
      {plot && plot.width > 0 && <Overlay plot={plot} trend={trend} at={at} />}
      {plot && at !== null && <ReadOut plot={plot} trend={trend} at={at} beforeName={beforeName} />}
    </div>
  );
}

/** `Tue, 3 Nov 2026: Visitors 2,134, Pageviews 4,381, Released 2.0` */
const textOf = ({ buckets, lines }: Trend, at: number): string => {
  const figures = lines.map((line) => `${line.name} ${lineText(line, line.values[at])}`);
  const marks = buckets[at]?.marks?.map(({ text }) => text) ?? [];
  return `${buckets[at]?.name}: ${[...figures, ...marks].join(", ")}`;
};

const path = (points: Point[]): string => `M${points.map((point) => point.join(" ")).join("L")}`;

function Overlay({ plot, trend, at }: { plot: Plot; trend: Trend; at: number | null }) {
  const x = at === null ? null : plot.xs[at];
  const unit = (plot.xs[1] ?? 0) - (plot.xs[0] ?? 0);
  const open = trend.buckets.findIndex(({ state }) => state === "open");
  return (
    <svg class="overlay" aria-hidden="true">
      <defs>
        {plot.lines.map(({ line, whole }, i) => (
          <clipPath id={`whole-${i + 1}`} key={line.key}>
            {whole.map(({ from, to }) => (
              <rect key={from} x={from - 1} y={-4} width={to - from + 2} height={plot.height + 8} />
            ))}
          </clipPath>
        ))}
      </defs>
      <g transform={`translate(${plot.left} ${plot.top})`}>
        {open >= 0 && (
          <rect
            class="still-open"
            x={(plot.xs[open] ?? 0) - unit / 2}
            y={0}
            width={unit}
            height={plot.height}
          />
        )}
        {plot.lines.map(({ line, area }) =>
          area.map((run) => (
            <path
              key={`${line.key} ${run[0]?.[0]}`}
              class={`area ${line.key}`}
              d={`${path(run)}V${plot.zero}H${run[0]?.[0]}Z`}
            />
          )),
        )}
        {plot.before.map((run) => (
          <path key={run[0]?.[0]} class="line before" d={path(run)} />
        ))}
        {trend.buckets.map(
          ({ name, marks }, i) =>
            marks && (
              <g
                key={name}
                class={`mark ${marks.every(({ isQuiet }) => isQuiet) ? "quiet" : ""}`}
                transform={`translate(${plot.xs[i] ?? 0} 0)`}
              >
                <line y2={plot.height} stroke-dasharray="1 3" />
                <path d="M0 0h9l-2 3.5 2 3.5H0z" />
              </g>
            ),
        )}
        {x !== null && x !== undefined && (
          <line class="cross" x1={x} x2={x} y1={0} y2={plot.height} />
        )}
        {plot.lines.map(({ line, lone, open: tail }) => (
          <g key={line.key} class={`${line.key} ${line.isOther ? "other" : ""}`}>
            {tail.length > 1 && <path class="line tail" d={path(tail)} />}
            {tail.slice(-1).map(([cx, cy]) => (
              <circle key="open" class="open" cx={cx} cy={cy} r={line.isOther ? 2.5 : 3.5} />
            ))}
            {lone.map(([cx, cy]) => (
              <circle key={cx} class="dot" cx={cx} cy={cy} r={line.isOther ? 1.8 : 2.5} />
            ))}
          </g>
        ))}
      </g>
    </svg>
  );
}

interface ReadOutProps {
  plot: Plot;
  trend: Trend;
  at: number;
  beforeName: string;
}

/** The figures under the pointer. */
function ReadOut({ plot, trend, at, beforeName }: ReadOutProps) {
  const bucket = trend.buckets[at];
  const x = plot.xs[at] ?? 0;
  const side =
    x > plot.width / 2
      ? { right: `${plot.width - x + GAP + RIGHT}px` }
      : { left: `${x + plot.left + GAP}px` };
  if (!bucket) return null;
  return (
    <div class="read-out" style={side}>
      <strong>{bucket.name}</strong>
      {bucket.state === "open" && <em>still being counted</em>}
      {bucket.state === "future" && <em>not yet</em>}
      {bucket.marks?.map(({ text }) => (
        <em key={text} class="mark" dir="auto">
          {text}
        </em>
      ))}
      {trend.lines.map((line) => (
        <span key={line.key} class={line.key}>
          {line.name} <b>{lineText(line, line.values[at])}</b>
        </span>
      ))}
      {trend.before && (
        <span class="before">
          {beforeName}
          {isByThisHour(trend, at) && " by this hour"}{" "}
          <b>{lineText(trend.before, trend.before.values[at])}</b>
        </span>
      )}
    </div>
  );
}
