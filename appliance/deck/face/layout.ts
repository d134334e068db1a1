import { blend } from "./colors.ts";
import type { AddressFace, Face, FigureFace, StatFace } from "./face.ts";
import { qrCode } from "./qr.ts";
import { type Area, type Point, sparkline } from "./sparkline.ts";
import {
  type Box,
  blockHeight,
  fitLine,
  fitText,
  inkHeight,
  MAX_LINES,
  type Metrics,
  SOFT_BREAK,
} from "./text-fit.ts";

/** Text a person reads, and the quiet lines around it. */
export type Weight = "strong" | "plain";

export type Fonts = Readonly<Record<Weight, Metrics>>;

/** What the painter knows to draw; pixels from the top left. */
export type Shape =
  | { kind: "rectangle"; left: number; top: number; width: number; height: number; color: string }
  | { kind: "polygon"; points: Point[]; color: string }
  | { kind: "line"; points: Point[]; width: number; color: string }
  /** `y` is the base line. */
  | {
      kind: "text";
      text: string;
      x: number;
      y: number;
      size: number;
      weight: Weight;
      color: string;
    };

const CODE_INK = "#000000";
const CODE_PAPER = "#ffffff";
/** Modules of white around a QR code. The standard asks for 4; larger modules scan better on a key. */
const CODE_MARGIN = 1.5;
const CODE_MARGIN_BESIDE_TEXT = 2;
/** Height of a full stop, in em. */
const DOT_HEIGHT = 0.15;
/** A camera does not resolve smaller modules on a key. */
const SMALLEST_MODULE = 2;

/** Lays a face out: what to draw on its background, in order. */
export function layout(face: Face, size: Box, fonts: Fonts): Shape[] {
  const whole = { left: 0, top: 0, ...size };
  switch (face.kind) {
    case "blank":
      return [];
    case "text":
      return textBlock(face.text, face.color, whole, fonts);
    case "figure":
      return figure(face, size, fonts);
    case "stat":
      return size.width > 2.2 * size.height ? statRow(face, size, fonts) : stat(face, size, fonts);
    case "address":
      return address(face, whole, fonts);
  }
}

/** Measures that follow a slot's short side: keys of one physical size differ in pixels. */
interface Scale {
  pad: number;
  /** Size of the smallest text that can be read at arm's length. */
  small: number;
  /** Height of its capitals. */
  cap: number;
  gap: number;
  large: number;
}

function scaleOf({ width, height }: Box, { plain }: Fonts): Scale {
  const unit = Math.min(width, height);
  const small = Math.max(11, Math.round(unit * 0.16));
  return {
    pad: Math.round(unit * 0.075),
    small,
    cap: Math.round(small * plain.capHeight),
    gap: Math.round(unit * 0.065),
    large: Math.round(unit * 0.56),
  };
}

function textBlock(text: string, color: string, area: Area, fonts: Fonts): Shape[] {
  const { pad, small, large } = scaleOf(area, fonts);
  const box = { width: area.width - 2 * pad, height: area.height - 2 * pad };
  // Four lines are drawn on the flattest zone too.
  const fourLines = Math.floor(box.height / inkHeight(MAX_LINES, fonts.strong));
  const sizes = { min: Math.min(small, fourLines), max: large };
  return centred(fitText(text, box, sizes, fonts.strong), color, area, fonts);
}

/** Centres lines by their capitals, so that a row of keys lines up whatever the words are. */
function centred(
  { size, lines }: { size: number; lines: string[] },
  color: string,
  area: Area,
  { strong }: Fonts,
): Shape[] {
  // A lone ellipsis has no capitals: it is centred by its dots.
  const metrics = lines.join() === "…" ? { ...strong, capHeight: DOT_HEIGHT } : strong;
  const block = blockHeight(lines.length, metrics) * size;
  const first = area.top + (area.height - block) / 2 + metrics.capHeight * size;
  return lines.map((text, i) => ({
    kind: "text",
    text,
    x: Math.round(area.left + (area.width - strong.width(text) * size) / 2),
    y: Math.round(first + i * strong.lineHeight * size),
    size,
    weight: "strong",
    color,
  }));
}

function figure({ top, main, bottom, color, background }: FigureFace, size: Box, fonts: Fonts) {
  const { pad, small, cap, gap, large } = scaleOf(size, fonts);
  const quiet = { size: small, color: blend(background, color, 0.6), room: size.width - 2 * pad };
  const upper = top === "" ? 0 : cap + gap;
  const lower = bottom === "" ? 0 : cap + gap;
  const area = {
    left: 0,
    top: pad + upper,
    width: size.width,
    height: size.height - 2 * pad - upper - lower,
  };
  const box = { width: quiet.room, height: area.height };
  // Digits and capitals stick out nowhere: they may fill the room.
  const metrics = /[a-z]/.test(main) ? fonts.strong : { ...fonts.strong, overhang: 0 };
  const fitted = fitText(main, box, { min: small, max: Math.round(large * 1.15) }, metrics);
  return [
    ...label(top, { ...quiet, center: size.width / 2, y: pad + cap }, fonts),
    ...centred(fitted, color, area, fonts),
    ...label(bottom, { ...quiet, center: size.width / 2, y: size.height - pad }, fonts),
  ];
}

type Anchor = { left: number } | { center: number } | { right: number };

/** One quiet line; what does not fit in `room` ends in an ellipsis. */
function label(
  text: string,
  {
    size,
    color,
    room,
    y,
    ...anchor
  }: Anchor & { size: number; color: string; room: number; y: number },
  { plain }: Fonts,
): Shape[] {
  if (text === "") return [];
  const line = fitLine(text, room / size, plain);
  const width = plain.width(line) * size;
  const x =
    "left" in anchor
      ? anchor.left
      : "right" in anchor
        ? anchor.right - width
        : anchor.center - width / 2;
  return [{ kind: "text", text: line, x: Math.round(x), y, size, weight: "plain", color }];
}

/**
 * Words and number above, the series along the bottom edge. The change stands beside the metric
 * where there is room for any of both, else beside the series.
 */
function stat(face: StatFace, size: Box, fonts: Fonts): Shape[] {
  const { pad, small, cap, gap } = scaleOf(size, fonts);
  const room = size.width - 2 * pad;
  const quiet = { size: small, color: blend(face.background, face.color, 0.6), room };
  const right = size.width - pad;

  const captionY = pad + cap;
  const periodWidth = fonts.plain.width(face.period) * small;
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
  return [
    ...chartShapes(face, chart),
    ...change.shapes,
    ...label(
      face.site,
      { ...quiet, left: pad, y: captionY, room: room - periodWidth - gap },
      fonts,
    ),
    ...label(face.period, { ...quiet, right, y: captionY }, fonts),
    ...numberShapes(face, { left: pad, y: numberY, size: number }),
    ...label(face.metric, { ...quiet, left: pad, y: metricY }, fonts),
  ];
}

/** The same on a flat strip: words on the left, the series on the right. */
function statRow(face: StatFace, size: Box, fonts: Fonts): Shape[] {
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
  const chart = { left: column + pad, top: pad, width: size.width - column - pad, height: 0 };
  chart.height = size.height - chart.top;
  return [
    ...chartShapes(face, chart),
    ...label(
      `${face.site} ${face.metric}`,
      { ...quiet, left: pad, y: captionY, room: room * 0.75 },
      fonts,
    ),
    ...label(face.period, { ...quiet, right: column - pad, y: captionY }, fonts),
    ...numberShapes(face, { left: pad, y: numberY, size: number }),
    ...change.shapes,
  ];
}

/** The largest size at which a number's digits fill the box. */
function numberSize(value: string, box: Box, { strong }: Fonts): number {
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

function address(face: AddressFace, area: Area, fonts: Fonts): Shape[] {
  // Names are broken where they are put together.
  const words = face.text.replace(/[.:/]/g, `${SOFT_BREAK}$&`);
  const { size } = qrCode(face.url);
  const room = Math.min(area.width, area.height);
  const margin = face.show === "both" ? CODE_MARGIN_BESIDE_TEXT : CODE_MARGIN;
  const module = Math.floor(room / (size + 2 * margin));
  if (face.show === "text" || module < SMALLEST_MODULE) {
    return textBlock(words, face.color, area, fonts);
  }
  if (face.show === "code") return codeShapes(face.url, module, area);

  const side = module * (size + 2 * margin);
  const { pad } = scaleOf(area, fonts);
  const top = Math.round((area.height - side) / 2);
  const paper = { left: Math.min(pad, top), top, width: side, height: side };
  const left = paper.left + side;
  const beside = { ...area, left, width: area.width - left };
  return [...codeShapes(face.url, module, paper), ...textBlock(words, face.color, beside, fonts)];
}

/** The code in the middle of a sheet of white paper. */
function codeShapes(url: string, module: number, paper: Area): Shape[] {
  const { size, modules } = qrCode(url);
  const left = paper.left + Math.floor((paper.width - size * module) / 2);
  const top = paper.top + Math.floor((paper.height - size * module) / 2);
  const dark = modules.flatMap((isDark, i) => (isDark ? [i] : []));
  return [
    { kind: "rectangle", ...paper, color: CODE_PAPER },
    ...dark.map((i): Shape => {
      const x = left + (i % size) * module;
      const y = top + Math.floor(i / size) * module;
      return { kind: "rectangle", left: x, top: y, width: module, height: module, color: CODE_INK };
    }),
  ];
}
