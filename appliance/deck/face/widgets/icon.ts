import { chooseColors } from "../colors.ts";
import type { TextFace } from "../plain.ts";
import type { Situation } from "../situation.ts";
import type { IconWidget } from "../widget.ts";

/** An icon with its label; the name of an icon that does not exist. */
export function iconFace(widget: IconWidget, { icons }: Situation): TextFace {
  const { label = "" } = widget;
  const colors = chooseColors({}, widget);
  const icon = icons?.path(widget.icon);
  if (icon === undefined) return { kind: "text", text: label || widget.icon, ...colors };
  return { kind: "text", text: label, icon, ...colors };
}
