import { DEFAULT_EXPIRY } from "../../../base/input/deck-fields.ts";
import { type Colors, chooseColors, dimmed, faded } from "../colors.ts";
import type { PlainFace } from "../plain.ts";
import type { Situation } from "../situation.ts";
import type { PushWidget } from "../widget.ts";
import { alarmFace } from "./alarm.ts";

/** The face of a push channel. A rule of the key wins over the sender's choice. */
export function pushFace(widget: PushWidget, situation: Situation): PlainFace {
  const { value, rule, icons } = situation;
  const own = chooseColors({}, widget);
  if (value === undefined) return { kind: "text", text: "…", ...dimmed(own) };
  const alarm = alarmFace(widget, situation);
  if (alarm !== undefined) return alarm;
  const { icon } = value;
  // A ping may have no text.
  const text = value.period === undefined ? value.text : value.text || widget.channel;
  const path = icon == null ? undefined : icons?.path(icon);
  const size = widget.size && { size: widget.size };
  const shown = {
    ...({ kind: "text", text } as const),
    ...size,
    ...(path !== undefined && { icon: path }),
  };
  const sent = {
    ...colorsIn(value),
    ...(rule === undefined ? {} : colorsIn(widget.rules?.[rule])),
  };
  const colors = chooseColors(sent, widget);
  if (value.state !== "expired") return { ...shown, ...colors };
  switch (widget.expire ?? DEFAULT_EXPIRY) {
    case "dim":
      return { ...shown, ...faded(colors, own.background) };
    case "blank":
      return { kind: "blank", background: own.background };
    case "text":
      return { kind: "text", text: widget.fallback ?? "", ...size, ...own };
  }
}

/** The chosen ones of the two colours. */
function colorsIn({
  color,
  background,
}: {
  color?: string | null;
  background?: string | null;
} = {}): Partial<Colors> {
  return { ...(color != null && { color }), ...(background != null && { background }) };
}
