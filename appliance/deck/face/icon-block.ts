import { type Fonts, isFlat, type Shape, scaleOf, textBlock } from "./shapes.ts";
import type { Area } from "./sparkline.ts";

/** Of a slot's height, what an icon takes above a text of so many lines. */
const SHARES = [0.68, 0.46, 0.36, 0.24, 0.2];
const BESIDE = 0.64;

/** An icon above a text, or beside it where there is more room, each as large as the other allows. */
export function iconBlock(
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

/** In the middle of an area, so much of its height. */
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
