import { chooseColors } from "./colors.ts";
import { type FaceContext, isWide } from "./face-context.ts";
import type { PlainFace, TextFace } from "./plain.ts";
import type { IconWidget, Widget } from "./widget.ts";
import { type AddressFace, addressFace, TURN_MS } from "./widgets/address.ts";
import { countdownFace, nextCount } from "./widgets/countdown.ts";
import { type GaugeFace, gaugeFace } from "./widgets/gauge.ts";
import { type ImageFace, imageFace } from "./widgets/image.ts";
import { nextReached, padlockFace } from "./widgets/padlock.ts";
import { nextAge, pushFace } from "./widgets/push.ts";
import { type StatFace, statFace } from "./widgets/stat.ts";
import { clockFace, dateFace, worldclockFace } from "./widgets/time.ts";
import { toggleFace } from "./widgets/toggle.ts";

/** A slot's face, down to every word and colour: the painter only lays it out. */
export type Face = PlainFace | StatFace | GaugeFace | ImageFace | AddressFace;

const MINUTE_MS = 60_000;

/** The face that a slot with this widget shows now. */
export function face(widget: Widget, situation: FaceContext): Face {
  const colors = chooseColors({}, widget);
  switch (widget.type) {
    case "push":
      return pushFace(widget, situation);
    case "stat":
      return statFace(widget, situation);
    case "clock":
      return clockFace(situation, colors);
    case "date":
      return dateFace(situation, colors);
    case "worldclock":
      return worldclockFace(widget, situation);
    case "countdown":
      return countdownFace(widget, situation);
    case "gauge":
    case "bar":
      return gaugeFace(widget, situation);
    case "image":
      return imageFace(widget, situation);
    case "toggle":
      return toggleFace(widget, situation);
    case "icon":
      return iconFace(widget, situation);
    case "text":
      return {
        kind: "text",
        text: widget.text,
        ...(widget.size && { size: widget.size }),
        ...colors,
      };
    case "address":
      return addressFace(situation, colors);
    case "padlock":
      return padlockFace(widget, situation);
    case "empty":
      return { kind: "blank", background: colors.background };
  }
}

/** The next moment (epoch ms) the face changes though nothing happens; undefined for never. */
export function nextChange(widget: Widget, situation: FaceContext): number | undefined {
  const following = (step: number) => (Math.floor(situation.now / step) + 1) * step;
  switch (widget.type) {
    case "clock":
    case "date":
    case "worldclock":
      return following(MINUTE_MS);
    case "countdown":
      return nextCount(situation);
    case "push":
      return nextAge(widget, situation);
    case "padlock":
      return nextReached(situation);
    case "address":
      return isWide(situation) ? undefined : following(TURN_MS);
    default:
      return undefined;
  }
}

/** An icon with its label; the name of an icon that does not exist. */
function iconFace(widget: IconWidget, { icons }: FaceContext): TextFace {
  const { label = "" } = widget;
  const colors = chooseColors({}, widget);
  const icon = icons?.path(widget.icon);
  if (icon === undefined) return { kind: "text", text: label || widget.icon, ...colors };
  return { kind: "text", text: label, icon, ...colors };
}
