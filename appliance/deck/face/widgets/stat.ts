import { STAT_METRICS, STAT_PERIODS } from "../../../base/input/deck-fields.ts";
import { compactCount } from "../../../base/text/compact.ts";
import { ACCENT, BAD, blend, type Colors, chooseColors, GOOD, onBackground } from "../colors.ts";
import type { FaceContext, Numbers } from "../face-context.ts";
import { type Fonts, label, type Shape, SMALLEST, scaleOf, shrunkLabel } from "../shapes.ts";
import { type Area, sparkline } from "../sparkline.ts";
import type { TextBox } from "../text-fit.ts";
import type { StatWidget } from "../widget.ts";
import { cityOf, showSame } from "./time.ts";

export interface StatFace extends Colors {
  kind: "stat";
  /** The name of the site, as the key shows it. */
  site: string;
  period: string;
  metric: string;
  /** The city of the zone whose day it is, where clocks of the box show another time. */
  zone?: string;
  /** Compact: `999`, `1.2k`, `12k`, `1.2M`; `–` when there is no number. */
  value: string;
  /** Against the period before; `–` when that has nothing to compare with. Of now, how long that is. */
  change: { text: string; direction: "up" | "down" | "none"; color: string };
  series: readonly number[];
  /** Colour of the series. */
  accent: string;
}

/** An alarm takes the colours over, and says itself in the place of the change. */
const ALARMS = {
  silence: { word: "! silent", colors: { color: "#ffffff", background: "#991b1b" } },
  rush: { word: "! rush", colors: { color: "#ffffff", background: "#92400e" } },
};

const NO_NUMBER = "–";

/** A number of a site, as it is now. */
export function statFace(widget: StatWidget, { now, timeZone, numbers }: FaceContext): StatFace {
  const zone = numbers?.zone;
  const alarm = numbers?.alarm && ALARMS[numbers.alarm];
  const colors = alarm?.colors ?? chooseColors({}, widget);
  return {
    kind: "stat",
    site: widget.label ?? widget.site,
    period: STAT_PERIODS[widget.period].onKey,
    metric: STAT_METRICS[widget.metric].onKey,
    ...(zone !== undefined && !showSame(now, zone, timeZone) && { zone: cityOf(zone) }),
    value: numbers ? compactCount(numbers.value) : NO_NUMBER,
    change: alarm
      ? { text: alarm.word, direction: "none", color: colors.color }
      : changeOf(widget, numbers, colors),
    series: numbers?.series ?? [],
    accent: alarm ? colors.color : (widget.color ?? onBackground(ACCENT, colors.background)),
    ...colors,
  };
}

function changeOf(
  { metric, period }: StatWidget,
  numbers: Numbers | undefined,
  { color, background }: Colors,
): StatFace["change"] {
  const quiet = blend(background, color, 0.6);
  if (STAT_PERIODS[period].days === null) return { text: "5 min", direction: "none", color: quiet };
  const compared = numbers?.compared;
  if (!compared?.before) return { text: NO_NUMBER, direction: "none", color: quiet };
  const percent = Math.round((compared.now / compared.before - 1) * 100);
  const text = Math.abs(percent) > 999 ? ">999%" : `${Math.abs(percent)}%`;
  if (percent === 0) return { text, direction: "none", color: quiet };
  const direction = percent > 0 ? "up" : "down";
  // More bots are neither good nor bad news.
  if (metric === "bot") return { text, direction, color: quiet };
  return { text, direction, color: onBackground(percent > 0 ? GOOD : BAD, background) };
}

export function layoutStat(face: StatFace, size: TextBox, fonts: Fonts): Shape[] {
  return size.width > 2.2 * size.height ? statRow(face, size, fonts) : stat(face, size, fonts);
}

/**
 * The layout of a stat: words and number above, the series along the bottom edge. The change is beside the metric where
 * both fit, and otherwise beside the series.
 */
function stat(face: StatFace, size: TextBox, fonts: Fonts): Shape[] {
  const { pad, small, cap, gap } = scaleOf(size, fonts);
  const room = size.width - 2 * pad;
  const quiet = { size: small, color: blend(face.background, face.color, 0.6), room };
  const right = size.width - pad;

  const captionY = pad + cap;
  const figures = Math.round(size.height * 0.29);
  const number = numberSize(face.value, { width: room, height: figures }, fonts);
  const numberY = captionY + gap + figures;
  const metricY = numberY + gap + cap;
  const roomy = size.width >= 1.5 * size.height;
  const changeY = roomy ? metricY : size.height - pad;
  const change = changeShapes(face, { right, y: changeY, size: small }, fonts);
  const chart = {
    left: 0,
    top: metricY + gap,
    width: roomy ? size.width : right - change.width - gap,
    height: size.height - metricY - gap,
  };
  const below = { ...quiet, left: pad, y: metricY, room: roomy ? room - change.width - gap : room };
  const what = `${face.metric} ${face.period}`;
  const whole = `${what} ${face.zone ?? ""}`.trim();
  const isWhole = fonts.plain.width(whole) * Math.round(small * SMALLEST) <= below.room;
  // The zone is more than the series, where a line has no room for both.
  const lowest = {
    ...quiet,
    left: pad,
    y: size.height - pad,
    room: chart.width - pad + Math.floor(gap / 2),
  };
  return [
    ...(isWhole || !face.zone ? chartShapes(face, chart) : shrunkLabel(face.zone, lowest, fonts)),
    ...change.shapes,
    ...shrunkLabel(face.site, { ...quiet, left: pad, y: captionY }, fonts),
    ...numberShapes(face, { left: pad, y: numberY, size: number }),
    ...shrunkLabel(isWhole ? whole : what, below, fonts),
  ];
}

/** The same on a flat strip: words on the left, the series on the right. */
function statRow(face: StatFace, size: TextBox, fonts: Fonts): Shape[] {
  const { pad, small, cap, gap } = scaleOf(size, fonts);
  const column = Math.min(size.width * 0.6, size.height * 2.8);
  const room = column - 2 * pad;
  const quiet = { size: small, color: blend(face.background, face.color, 0.6), room };
  const captionY = pad + cap;
  const numberY = size.height - pad - Math.round(gap / 2);
  const change = changeShapes(face, { right: column - pad, y: numberY, size: small }, fonts);
  const number = numberSize(
    face.value,
    { width: room - change.width - 2 * gap, height: numberY - captionY - gap * 1.5 },
    fonts,
  );
  const what = `${face.metric} ${face.period}`;
  const chart = { left: column + pad, top: pad, width: size.width - column - pad, height: 0 };
  if (face.zone) chart.top = captionY + gap;
  chart.height = size.height - chart.top;
  const above = { ...quiet, left: chart.left, y: captionY, room: chart.width - pad };
  return [
    ...chartShapes(face, chart),
    ...shrunkLabel(face.zone ?? "", above, fonts),
    ...shrunkLabel(
      face.site,
      { ...quiet, left: pad, y: captionY, room: room - fonts.plain.width(what) * small - gap },
      fonts,
    ),
    ...label(what, { ...quiet, right: column - pad, y: captionY }, fonts),
    ...numberShapes(face, { left: pad, y: numberY, size: number }),
    ...change.shapes,
  ];
}

/** The largest size at which a number's digits fill the box. */
function numberSize(value: string, box: TextBox, { strong }: Fonts): number {
  return Math.floor(Math.min(box.height / strong.capHeight, box.width / strong.width(value)));
}

function numberShapes(
  { value, color }: StatFace,
  { left, y, size }: { left: number; y: number; size: number },
): Shape[] {
  return [{ kind: "text", text: value, x: left, y, size, weight: "strong", color }];
}

/** The change with its arrow, set against the right edge. */
function changeShapes(
  { change }: StatFace,
  { right, y, size }: { right: number; y: number; size: number },
  { plain }: Fonts,
): { shapes: Shape[]; width: number } {
  const { text, direction, color } = change;
  const textWidth = plain.width(text) * size;
  const x = Math.round(right - textWidth);
  const word = { kind: "text", text, x, y, size, weight: "plain", color } as const;
  if (direction === "none") return { shapes: [word], width: textWidth };

  const height = Math.round(size * 0.5);
  const half = Math.round(size * 0.3);
  const center = x - Math.round(size * 0.2) - half;
  const middle = y - (plain.capHeight * size) / 2;
  const sign = direction === "up" ? 1 : -1;
  const points = [
    { x: center - half, y: middle + (sign * height) / 2 },
    { x: center + half, y: middle + (sign * height) / 2 },
    { x: center, y: middle - (sign * height) / 2 },
  ];
  return { shapes: [{ kind: "polygon", points, color }, word], width: right - center + half };
}

/** A quiet area, its edge a little brighter. */
function chartShapes({ series, accent, background }: StatFace, area: Area): Shape[] {
  if (series.length === 0) return [];
  const stroke = Math.min(2.5, Math.max(1.5, area.height * 0.06));
  const floor = area.top + area.height;
  // Half the stroke stays inside, so that zero and the peak are drawn whole.
  const inner = { ...area, top: area.top + stroke / 2, height: area.height - stroke };
  const edge = sparkline(series, inner);
  const right = area.left + area.width;
  const points = [...edge, { x: right, y: floor }, { x: area.left, y: floor }];
  return [
    { kind: "polygon", points, color: blend(background, accent, 0.3) },
    { kind: "line", points: edge, width: stroke, color: blend(background, accent, 0.8) },
  ];
}
