import { blend, type Colors } from "./colors.ts";
import { iconBlock } from "./icon-block.ts";
import { centred, type Fonts, label, type Shape, scaleOf, textBlock } from "./shapes.ts";
import type { Area } from "./sparkline.ts";
import { fitText, type TextBox } from "./text-fit.ts";

/** Faces that say something, whatever they say: most widgets show one of these. */
export type PlainFace = BlankFace | TextFace | FigureFace;

interface BlankFace {
  kind: "blank";
  background: string;
}

export interface TextFace extends Colors {
  kind: "text";
  text: string;
  /** Path of an icon beside it, as of `IconFile`. */
  icon?: string;
}

/** One thing that matters, with a small line above and perhaps below. */
export interface FigureFace extends Colors {
  kind: "figure";
  top: string;
  main: string;
  bottom: string;
}

/** Where the parts of a plain face go. */
export function layoutPlain(face: PlainFace, size: TextBox, fonts: Fonts): Shape[] {
  switch (face.kind) {
    case "blank":
      return [];
    case "text":
      return textFace(face, { left: 0, top: 0, ...size }, fonts);
    case "figure":
      return figure(face, size, fonts);
  }
}

function textFace({ text, icon, color }: TextFace, area: Area, fonts: Fonts): Shape[] {
  return icon === undefined
    ? textBlock(text, color, area, fonts)
    : iconBlock({ icon, text, color }, area, fonts);
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
