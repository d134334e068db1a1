import { type Fonts, type Shape, scaleOf } from "./shapes.ts";
import type { Point } from "./sparkline.ts";
import { fitLine, type TextBox } from "./text-fit.ts";

/** The outcome of a press, for as long as it is worth knowing. */
export type Feedback =
  | { state: "running" }
  | { state: "done" }
  /** The word is short: a status, or why there is none. */
  | { state: "failed"; word: string };

const INK = "#ffffff";
/** White is read on each of them at arm's length. */
const BANDS = { running: "#1e3a8a", done: "#166534", failed: "#991b1b" };

/** A band over the lower edge of a slot. Its signs are shapes, and need no font. */
export function layoutFeedback(feedback: Feedback, size: TextBox, fonts: Fonts): Shape[] {
  const { small, gap } = scaleOf(size, fonts);
  const height = Math.round(Math.max(Math.min(size.width, size.height) * 0.34, small + 2 * gap));
  const top = size.height - height;
  const band: Shape = {
    kind: "rectangle",
    left: 0,
    top,
    width: size.width,
    height,
    color: BANDS[feedback.state],
  };
  const middle = { x: size.width / 2, y: top + height / 2 };
  switch (feedback.state) {
    case "running":
      return [band, ...dots(middle, height)];
    case "done":
      return [band, tick(middle, height)];
    case "failed":
      return [band, ...failure(feedback.word, { middle, height, width: size.width }, fonts)];
  }
}

function dots({ x, y }: Point, height: number): Shape[] {
  const side = Math.max(3, Math.round(height * 0.16));
  return [-1, 0, 1].map((step) => ({
    kind: "rectangle",
    left: Math.round(x + step * side * 2 - side / 2),
    top: Math.round(y - side / 2),
    width: side,
    height: side,
    color: INK,
  }));
}

function tick(at: Point, height: number): Shape {
  const reach = height * 0.36;
  return stroke(height, [
    { x: at.x - reach, y: at.y },
    { x: at.x - reach * 0.3, y: at.y + reach * 0.7 },
    { x: at.x + reach, y: at.y - reach * 0.7 },
  ]);
}

function failure(
  word: string,
  { middle, height, width }: { middle: Point; height: number; width: number },
  { strong }: Fonts,
): Shape[] {
  const reach = height * 0.2;
  const gap = height * 0.25;
  const room = width - 2 * gap;
  const size = Math.round(height * 0.58);
  const isBeside = strong.width(word) * size + 2 * reach + gap <= room;
  const fitted = Math.min(size, Math.max(11, Math.floor(room / strong.width(word))));
  const line = fitLine(word, room / fitted, strong);
  const textWidth = strong.width(line) * fitted;
  const whole = textWidth + (isBeside ? 2 * reach + gap : 0);
  const left = middle.x - whole / 2;
  const text: Shape = {
    kind: "text",
    text: line,
    x: Math.round(left + whole - textWidth),
    y: Math.round(middle.y + (strong.capHeight * fitted) / 2),
    size: fitted,
    weight: "strong",
    color: INK,
  };
  return isBeside ? [...cross({ x: left + reach, y: middle.y }, reach, height), text] : [text];
}

function cross({ x, y }: Point, reach: number, height: number): Shape[] {
  return [-1, 1].map((way) =>
    stroke(height, [
      { x: x - reach, y: y - way * reach },
      { x: x + reach, y: y + way * reach },
    ]),
  );
}

function stroke(height: number, points: Point[]): Shape {
  return { kind: "line", points, width: Math.max(2, height * 0.11), color: INK };
}
