import { isOn } from "../../../base/input/deck-fields.ts";
import { chooseColors, dimmed } from "../colors.ts";
import type { FaceContext } from "../face-context.ts";
import type { TextFace } from "../plain.ts";
import type { ToggleWidget } from "../widget.ts";

/**
 * The face of something that is on or off. One whose channel holds nothing, or nothing any more, is off; of one that nobody
 * knows neither is said.
 */
export function toggleFace(widget: ToggleWidget, { value, icons }: FaceContext): TextFace {
  const isNowOn = value !== undefined && value.state !== "expired" && isOn(value.text);
  if (isNowOn === undefined)
    return { kind: "text", text: "?", ...dimmed(chooseColors({}, widget)) };
  const { text, icon: name, ...own } = (isNowOn ? widget.on : widget.off) ?? {};
  const colors = chooseColors(own, widget);
  const icon = name === undefined ? undefined : icons?.path(name);
  const word = text ?? (icon === undefined ? (isNowOn ? "On" : "Off") : "");
  return {
    ...({ kind: "text", text: word } as const),
    ...(icon !== undefined && { icon }),
    // The face of off is dim, unless it has colours of its own.
    ...(isNowOn || own.color !== undefined || own.background !== undefined
      ? colors
      : dimmed(colors)),
  };
}
