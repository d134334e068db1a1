import { DEFAULT_TEXT_SIZE, TEXT_SIZES, type TextSize } from "../../base/input/deck-fields.ts";
import type { Pixels } from "../pixels.ts";
import type { Area, Point } from "./sparkline.ts";
import {
  blockHeight,
  fitLine,
  fitText,
  inkHeight,
  MAX_LINES,
  type Metrics,
  type TextBox,
} from "./text-fit.ts";

/** Text a person reads, and the quiet lines around it. */
export type Weight = "strong" | "plain";

export type Fonts = Readonly<Record<Weight, Metrics>>;

/** The shapes that the painter can draw; pixels from the top left. */
export type Shape =
  | { kind: "rectangle"; left: number; top: number; width: number; height: number; color: string }
  | { kind: "polygon"; points: Point[]; color: string }
  /** Part of a ring, clockwise; `from` and `turn` in radians, 0 being on the right. */
  | {
      kind: "arc";
      x: number;
      y: number;
      radius: number;
      from: number;
      turn: number;
      width: number;
      color: string;
    }
  /** A stroked path of `IconFile`. */
  | { kind: "icon"; path: string; left: number; top: number; size: number; color: string }
  /** A picture over the whole slot; where it is transparent, the background shows. */
  | { kind: "pixels"; pixels: Pixels; width: number; height: number }
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

/** Height of a full stop, in em. */
const DOT_HEIGHT = 0.15;

/** Measures that follow a slot's short side: keys of one physical size differ in pixels. */
interface Measures {
  pad: number;
  /** Size of the smallest text that can be read at arm's length. */
  small: number;
  /** Height of its capitals. */
  cap: number;
  gap: number;
  large: number;
}

export function scaleOf({ width, height }: TextBox, { plain }: Fonts): Measures {
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

/** Whether words stand better beside a picture than below it. */
export function isFlat({ width, height }: TextBox): boolean {
  return width >= 1.9 * height;
}

/** A number in the middle of an area, on one line and never cut: a part of it would be another number. */
export function uncutNumber(
  text: string,
  { color, max }: { color: string; max: number },
  area: Area,
  fonts: Fonts,
): Shape[] {
  const { strong } = fonts;
  const fits = Math.min(area.height / strong.capHeight, area.width / strong.width(text));
  return centred({ size: Math.floor(Math.min(max, fits)), lines: [text] }, color, area, fonts);
}

/** A text in the middle of an area, as large as that and its size allow. */
export function textBlock(
  text: string,
  color: string,
  area: Area,
  fonts: Fonts,
  size: TextSize = DEFAULT_TEXT_SIZE,
): Shape[] {
  const { pad, small, large } = scaleOf(area, fonts);
  const box = { width: area.width - 2 * pad, height: area.height - 2 * pad };
  // Four lines are drawn on the flattest zone too.
  const fourLines = Math.floor(box.height / inkHeight(MAX_LINES, fonts.strong));
  const sizes = { min: Math.min(small, fourLines), max: Math.round(large * TEXT_SIZES[size].most) };
  return centred(fitText(text, box, sizes, fonts.strong), color, area, fonts);
}

/** Centres lines by their capitals, so that the words of a row of keys are aligned. */
export function centred(
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

type Anchor = { left: number } | { center: number } | { right: number };
type Line = Anchor & { size: number; color: string; room: number; y: number };

/** The smallest size, relative to other words, that is readable at arm's length. */
export const SMALLEST = 0.8;

/** A quiet line that is smaller where that shows all of it, and cut last. */
export function shrunkLabel(text: string, at: Line, fonts: Fonts): Shape[] {
  const fits = Math.floor(at.room / fonts.plain.width(text));
  const size = Math.max(Math.round(at.size * SMALLEST), Math.min(at.size, fits));
  return label(text, { ...at, size }, fonts);
}

/** One quiet line, cut with an ellipsis at `room`. */
export function label(
  text: string,
  { size, color, room, y, ...anchor }: Line,
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
