import type { TextSize } from "../../base/input/deck-fields.ts";
import { blend, type Colors } from "./colors.ts";
import {
  centred,
  type Fonts,
  isFlat,
  label,
  type Shape,
  scaleOf,
  shrunkLabel,
  textBlock,
} from "./shapes.ts";
import type { Area } from "./sparkline.ts";
import { fitText, type TextBox } from "./text-fit.ts";

/** The common faces, which most widgets use. */
export type PlainFace = BlankFace | TextFace | FigureFace;

interface BlankFace {
  kind: "blank";
  background: string;
}

export interface TextFace extends Colors {
  kind: "text";
  text: string;
  size?: TextSize;
  /** Path of an icon beside it, as of `IconFile`. */
  icon?: string;
  /** A small line above it. */
  above?: string;
}

/** One thing that matters, with a small line above and perhaps below. */
export interface FigureFace extends Colors {
  kind: "figure";
  top: string;
  main: string;
  bottom: string;
}

export function figureOf(colors: Colors, top: string, main: string, bottom = ""): FigureFace {
  const { color, background } = colors;
  return { kind: "figure", top, main, bottom, color, background };
}

export function layoutPlain(face: PlainFace, size: TextBox, fonts: Fonts): Shape[] {
  switch (face.kind) {
    case "blank":
      return [];
    case "text":
      return textFace(face, size, fonts);
    case "figure":
      return figure(face, size, fonts);
  }
}

function textFace(face: TextFace, slot: TextBox, fonts: Fonts): Shape[] {
  const { text, icon, color, background, size, above = "" } = face;
  const { pad, small, cap } = scaleOf(slot, fonts);
  const top = above === "" ? 0 : pad + cap;
  const quiet = { size: small, color: blend(background, color, 0.6), room: slot.width - 2 * pad };
  const area = { left: 0, top, width: slot.width, height: slot.height - top };
  return [
    ...shrunkLabel(above, { ...quiet, center: slot.width / 2, y: top }, fonts),
    ...(icon === undefined
      ? textBlock(text, color, area, fonts, size)
      : iconBlock({ icon, text, color }, area, fonts)),
  ];
}

function figure({ top, main, bottom, color, background }: FigureFace, size: TextBox, fonts: Fonts) {
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

/** The share of a slot's height for an icon, by the number of lines below it. */
const SHARES = [0.68, 0.46, 0.36, 0.24, 0.2];
const BESIDE = 0.64;

/** An icon above a text, or beside it where there is more room, each as large as the other allows. */
function iconBlock(
  { icon, text, color }: { icon: string; text: string; color: string },
  area: Area,
  fonts: Fonts,
): Shape[] {
  const { pad } = scaleOf(area, fonts);
  if (text === "") return [iconIn(icon, color, area, SHARES[0] ?? 1)];
  if (isFlat(area)) {
    const square = { ...area, width: area.height };
    const left = area.left + area.height - pad;
    const beside = { ...area, left, width: area.left + area.width - left };
    return [iconIn(icon, color, square, BESIDE), ...textBlock(text, color, beside, fonts)];
  }
  const lines = Math.min(text.split("\n").length, SHARES.length - 1);
  const side = Math.round(area.height * (SHARES[lines] ?? 1));
  const above = { ...area, top: area.top + pad, height: side };
  const top = above.top + side - (lines > 2 ? pad : Math.round(pad / 2));
  const below = { ...area, top, height: area.top + area.height - top };
  return [iconIn(icon, color, above, 1), ...textBlock(text, color, below, fonts)];
}

/** An icon in the middle of an area, with a share of its height. */
function iconIn(path: string, color: string, area: Area, share: number): Shape {
  const size = Math.round(Math.min(area.width, area.height) * share);
  return {
    kind: "icon",
    path,
    left: Math.round(area.left + (area.width - size) / 2),
    top: Math.round(area.top + (area.height - size) / 2),
    size,
    color,
  };
}
