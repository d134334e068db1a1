import type { Colors } from "../colors.ts";
import { type FaceContext, isWide } from "../face-context.ts";
import { type FigureFace, figureOf } from "../plain.ts";
import { qrCode } from "../qr.ts";
import { type Fonts, type Shape, scaleOf, textBlock } from "../shapes.ts";
import type { Area } from "../sparkline.ts";
import { SOFT_BREAK, type TextBox } from "../text-fit.ts";

export interface AddressFace extends Colors {
  kind: "address";
  /** The whole URL, for the QR code. */
  url: string;
  /** The address as a person types it. */
  text: string;
  show: "both" | "text" | "code";
}

const CODE_INK = "#000000";
const CODE_PAPER = "#ffffff";
/** White modules around a QR code. The standard has 4, but larger modules scan better on a key. */
const CODE_MARGIN = 1.5;
const CODE_MARGIN_BESIDE_TEXT = 2;
/** A camera does not resolve smaller modules on a key. */
const SMALLEST_MODULE = 2;

/** The time for which each part shows where they take turns. */
export const TURN_MS = 6_000;

/** Shows the address of the Web UI. */
export function addressFace(situation: FaceContext, colors: Colors): AddressFace | FigureFace {
  const { address: url, addressByName, now } = situation;
  if (url === undefined) return figureOf(colors, "Network", "not connected");
  const texts = [url, ...(addressByName === undefined ? [] : [addressByName])].map((each) =>
    each.replace(/^https?:\/\//, "").replace(/\/$/, ""),
  );
  const common = { kind: "address", url, ...colors } as const;
  if (isWide(situation)) return { ...common, text: texts.join(" "), show: "both" };
  // The code first, then each of the texts.
  const turn = Math.floor(now / TURN_MS) % (1 + texts.length);
  return {
    ...common,
    text: texts[turn - 1] ?? texts.join(" "),
    show: turn === 0 ? "code" : "text",
  };
}

export function layoutAddress(face: AddressFace, slot: TextBox, fonts: Fonts): Shape[] {
  const area = { left: 0, top: 0, ...slot };
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
