import { chooseColors, dimmed } from "../colors.ts";
import type { PlainFace } from "../plain.ts";
import type { PushedValue } from "../situation.ts";
import type { PushWidget } from "../widget.ts";

/** What a key shows of its push channel. */
export function pushFace(widget: PushWidget, value: PushedValue | undefined): PlainFace {
  const own = chooseColors({}, widget);
  if (value === undefined) return { kind: "text", text: "…", ...dimmed(own) };
  const { color, background, text } = value;
  const colors = chooseColors(
    { ...(color !== null && { color }), ...(background !== null && { background }) },
    widget,
  );
  if (value.state !== "expired") return { kind: "text", text, ...colors };
  switch (widget.expire ?? "dim") {
    case "dim":
      return { kind: "text", text, ...dimmed(colors) };
    case "blank":
      return { kind: "blank", background: own.background };
    case "text":
      return { kind: "text", text: widget.fallback ?? "", ...own };
  }
}
