import { ACCENT, blend, type Colors, chooseColors, dimmed, onBackground } from "../colors.ts";
import type { FaceContext } from "../face-context.ts";
import { numberIn } from "../rules.ts";
import { type Fonts, isFlat, label, type Shape, scaleOf, uncutNumber } from "../shapes.ts";
import type { TextBox } from "../text-fit.ts";
import type { GaugeWidget } from "../widget.ts";

/** A pushed number between two bounds. */
export interface GaugeFace extends Colors {
  kind: "gauge" | "bar";
  title: string;
  /** The value as it was sent; `…` while it waits and `–` where the text has none. */
  value: string;
  unit: string;
  /** The place between the bounds, from 0 to 1. */
  share: number;
  accent: string;
}

/** A turn begins at the lower left and ends at the lower right. */
const FROM = 0.75 * Math.PI;
const TURN = 1.5 * Math.PI;

export function gaugeFace(widget: GaugeWidget, { value, rule }: FaceContext): GaugeFace {
  const { type, channel, min, max, unit = "", label: title = channel } = widget;
  const held = rule === undefined ? {} : (widget.rules?.[rule] ?? {});
  const { background } = chooseColors(
    held.background === undefined ? {} : { background: held.background },
    widget,
  );
  const colors = chooseColors({ background }, widget.color ? { color: widget.color } : {});
  const number = value && numberIn(value.text);
  const accent = held.color ?? widget.color ?? onBackground(ACCENT, background);
  const face: GaugeFace = {
    kind: type,
    title,
    value: value === undefined ? "…" : (number?.text ?? "–"),
    unit,
    share: number ? Math.min(1, Math.max(0, (number.value - min) / (max - min))) : 0,
    accent,
    ...colors,
  };
  const isOld = value === undefined || value.state === "expired";
  return isOld ? { ...dimmed(face), accent: blend(accent, background, 0.5) } : face;
}

export function layoutGauge(face: GaugeFace, size: TextBox, fonts: Fonts): Shape[] {
  return face.kind === "bar" ? bar(face, size, fonts) : gauge(face, size, fonts);
}

function gauge(face: GaugeFace, { width, height }: TextBox, fonts: Fonts): Shape[] {
  const { pad, small, cap, gap } = scaleOf({ width, height }, fonts);
  const wide = isFlat({ width, height });
  const stroke = Math.round(Math.min(width, height) * 0.1);
  const below = wide ? 0 : cap + gap;
  const side = Math.min(width, height - (wide ? 0 : below / 2)) - 2 * pad;
  const radius = (side - stroke) / 2;
  const x = wide ? pad + side / 2 : width / 2;
  const y = pad + side / 2;
  const arc = { kind: "arc", x, y, radius, width: stroke, from: FROM } as const;
  const quiet = { size: small, color: blend(face.background, face.color, 0.6) };
  const track = { ...arc, turn: TURN, color: blend(face.background, face.accent, 0.25) };
  const filled = { ...arc, turn: TURN * face.share, color: face.accent };
  const ring: Shape[] = face.share > 0 ? [track, filled] : [track];
  if (wide) {
    const left = pad + side + gap;
    return [...ring, ...words(face, { left, width: width - left, height }, fonts)];
  }
  const room = 2 * radius - 1.6 * stroke;
  const inside = { left: x - room / 2, top: y - room / 4, width: room, height: room / 2 };
  const number = { color: face.color, max: Math.round(side * 0.4) };
  return [
    ...ring,
    ...uncutNumber(face.value, number, inside, fonts),
    ...label(
      face.unit === "" ? face.title : `${face.title} ${face.unit}`,
      { ...quiet, center: x, y: height - pad, room: width - 2 * pad },
      fonts,
    ),
  ];
}

/** Title above, the number with its unit below. */
function words(
  face: GaugeFace,
  { left, width, height }: { left: number; width: number; height: number },
  fonts: Fonts,
): Shape[] {
  const { pad, small, cap, gap } = scaleOf({ width: height, height }, fonts);
  const quiet = { size: small, color: blend(face.background, face.color, 0.6) };
  const room = width - 2 * pad;
  const top = pad + cap + gap;
  const area = { left: left + pad, top, width: room, height: height - pad - top };
  const number = face.unit === "" ? face.value : `${face.value} ${face.unit}`;
  const look = { color: face.color, max: Math.round(height * 0.5) };
  return [
    ...label(face.title, { ...quiet, center: left + width / 2, y: pad + cap, room }, fonts),
    ...uncutNumber(number, look, area, fonts),
  ];
}

function bar(face: GaugeFace, { width, height }: TextBox, fonts: Fonts): Shape[] {
  const { pad, gap } = scaleOf({ width, height }, fonts);
  const thick = Math.round(height * 0.14);
  const top = height - pad - thick;
  const track = { kind: "rectangle", left: pad, top, height: thick } as const;
  const whole = width - 2 * pad;
  return [
    ...words(face, { left: 0, width, height: top - gap + pad }, fonts),
    { ...track, width: whole, color: blend(face.background, face.accent, 0.25) },
    { ...track, width: Math.round(whole * face.share), color: face.accent },
  ];
}
