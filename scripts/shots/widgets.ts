import type { Widget } from "../../appliance/deck/face/widget.ts";
import type { Box } from "./box.ts";

const DECK = "virtual-xl";

type Stat = Extract<Widget, { type: "stat" }>;
const stat = (site: string, metric: Stat["metric"], period: Stat["period"]): Widget => ({
  type: "stat",
  site,
  metric,
  period,
});
const push = (channel: string): Widget => ({ type: "push", channel });
const text = (words: string, colors = {}): Widget => ({ type: "text", text: words, ...colors });

/** Each widget in its looks, key by key; channels are those of the demo. */
const WIDGETS: readonly Widget[] = [
  stat("fieldnotes", "pv", "now"),
  stat("fieldnotes", "pv", "day"),
  stat("fieldnotes", "uv", "7d"),
  stat("fieldnotes", "sessions", "30d"),
  stat("deckhand", "app", "day"),
  stat("deckhand", "bot", "7d"),
  { ...stat("deckhand", "uv", "30d"), background: "#ffffff", color: "#111111" },
  { ...stat("deckhand", "pv", "7d"), color: "#f59e0b" },
  push("build"),
  push("inbox"),
  push("laundry"),
  push("attic"),
  push("bus"),
  push("not-yet"),
  { ...push("not-yet"), color: "#facc15", background: "#1e3a5f" },
  { type: "empty" },
  { type: "clock" },
  { type: "clock", color: "#f59e0b" },
  { type: "clock", background: "#ffffff", color: "#111111" },
  { type: "date" },
  { type: "date", background: "#14532d" },
  { type: "date", background: "#ffffff", color: "#111111" },
  { type: "address" },
  text("Made-up\ndata"),
  text("Coffee"),
  text("Coffee\nfirst", { color: "#facc15" }),
  text("Stand-up\nin 5 min,\nroom 2"),
  text("one\ntwo\nthree\nfour"),
  text("On air", { background: "#b91c1c" }),
  text("Quiet", { background: "#1d4ed8" }),
  text("21.5 °C"),
  text("ok", { color: "#4ade80" }),
];

/** Puts every widget on the largest deck. */
export async function showEveryWidget({ ask }: Box): Promise<void> {
  for (const [i, widget] of WIDGETS.entries())
    await ask("PUT", `/api/decks/${DECK}/slots/k${i}`, { widget });
}
