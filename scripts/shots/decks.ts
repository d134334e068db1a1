import type { Widget } from "../../appliance/deck/face/widget.ts";
import type { Box } from "./box.ts";

/** What was pushed: channel → value. */
const PUSHED: Readonly<Record<string, object>> = {
  build: { text: "Build\nok", background: "#14532d" },
  washing: { text: "Washing\n24 min", background: "#1e3a8a", ttl: 86_400 },
  cat: { text: "Feed\nthe cat", background: "#7c2d12", ttl: 3_600 },
  outside: { text: "12.4\n°C", ttl: 3_600 },
  heating: { text: "21.5 °C" },
  door: { text: "Door\nopen", color: "#facc15" },
  alarm: { text: "disk\n91%", background: "#facc15", color: "#000000" },
};

const push = (channel: string): Widget => ({ type: "push", channel });
const stat = (
  site: string,
  metric: "pv" | "uv" | "sessions" | "app" | "bot",
  period: "now" | "day" | "7d" | "30d",
): Widget => ({ type: "stat", site, metric, period });
const [VIEWS, VISITORS] = [stat("fieldnotes", "pv", "day"), stat("fieldnotes", "uv", "7d")];
const text = (words: string, colors = {}): Widget => ({ type: "text", text: words, ...colors });

/** Deck → what its slots show, from the first one on. */
const DECKS: Readonly<Record<string, readonly Widget[]>> = {
  "virtual-mk2": [
    { type: "address" },
    { type: "clock" },
    { type: "date" },
    VIEWS,
    VISITORS,
    push("build"),
    push("outside"),
    push("washing"),
    stat("deckhand", "app", "7d"),
    stat("deckhand", "uv", "30d"),
    push("cat"),
    push("door"),
    text("Stand-up\n9:45"),
    stat("fieldnotes", "pv", "now"),
    push("news"),
  ],
  "virtual-plus": [
    { type: "clock" },
    { type: "date" },
    push("build"),
    push("outside"),
    VISITORS,
    stat("deckhand", "app", "7d"),
    push("cat"),
    text("Stand-up\n9:45"),
  ],
  "virtual-akp05e": [
    { type: "address" },
    { type: "clock" },
    { type: "date" },
    push("build"),
    VISITORS,
    push("outside"),
    push("washing"),
    push("cat"),
    stat("deckhand", "app", "7d"),
    push("door"),
  ],
  // Every widget, in each of its looks.
  "virtual-xl": [
    stat("fieldnotes", "pv", "day"),
    stat("fieldnotes", "uv", "7d"),
    stat("fieldnotes", "sessions", "30d"),
    stat("fieldnotes", "bot", "7d"),
    stat("fieldnotes", "pv", "now"),
    stat("deckhand", "app", "day"),
    { ...stat("deckhand", "uv", "30d"), background: "#ffffff", color: "#111111" },
    { ...stat("deckhand", "pv", "7d"), color: "#f59e0b" },
    push("build"),
    push("washing"),
    push("cat"),
    push("outside"),
    push("door"),
    push("alarm"),
    { type: "push", channel: "news" },
    { type: "push", channel: "gone", expire: "text", fallback: "no\nnews" },
    { type: "clock" },
    { type: "clock", color: "#f59e0b" },
    { type: "date" },
    { type: "date", background: "#14532d" },
    { type: "address" },
    text("Coffee\nfirst", { color: "#facc15" }),
    text("Stand-up in\n5 minutes,\nroom 2"),
    { type: "empty" },
  ],
};

/** The bands below the keys. */
const ZONES: Readonly<Record<string, readonly Widget[]>> = {
  "virtual-plus": [VIEWS, stat("deckhand", "uv", "30d"), push("washing"), { type: "address" }],
  "virtual-akp05e": [
    VIEWS,
    stat("deckhand", "uv", "7d"),
    push("heating"),
    stat("deckhand", "app", "30d"),
  ],
};

/** Sets every deck up, and pushes what is shown. */
export async function dressDecks(box: Box): Promise<void> {
  for (const [channel, value] of Object.entries(PUSHED))
    await box.ask("POST", `/api/push-channels/${channel}`, value);
  for (const [kind, decks] of [
    ["k", DECKS],
    ["z", ZONES],
  ] as const)
    for (const [deck, widgets] of Object.entries(decks))
      for (const [i, widget] of widgets.entries())
        await box.ask("PUT", `/api/decks/${deck}/slots/${kind}${i}`, { widget });
  for (const name of ["Home Assistant", "GitHub Actions"])
    await box.ask("POST", "/api/push-tokens", { name });
}
