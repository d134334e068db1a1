import { type Colors, chooseColors, dimmed, faded } from "../colors.ts";
import type { PlainFace } from "../plain.ts";
import type { Situation } from "../situation.ts";
import type { PushWidget } from "../widget.ts";

/** What a key shows of its push channel. A rule of the key goes before what the sender chose. */
export function pushFace(widget: PushWidget, { value, rule, icons }: Situation): PlainFace {
  const own = chooseColors({}, widget);
  if (value === undefined) return { kind: "text", text: "…", ...dimmed(own) };
  const { text, icon } = value;
  const path = icon == null ? undefined : icons?.path(icon);
  const shown = { kind: "text", text, ...(path !== undefined && { icon: path }) } as const;
  const sent = {
    ...colorsIn(value),
    ...(rule === undefined ? {} : colorsIn(widget.rules?.[rule])),
  };
  const colors = chooseColors(sent, widget);
  if (value.state !== "expired") return { ...shown, ...colors };
  switch (widget.expire ?? "dim") {
    case "dim":
      return { ...shown, ...faded(colors, own.background) };
    case "blank":
      return { kind: "blank", background: own.background };
    case "text":
      return { kind: "text", text: widget.fallback ?? "", ...own };
  }
}

/** Those of the two that are chosen. */
function colorsIn({
  color,
  background,
}: {
  color?: string | null;
  background?: string | null;
} = {}): Partial<Colors> {
  return { ...(color != null && { color }), ...(background != null && { background }) };
}
