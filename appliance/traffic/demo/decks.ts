import type { StatMetric, StatPeriod } from "../../base/input/deck-fields.ts";

/** The decks behind `--demo`: every kind of key, the more telling first. */

/** Values that programs of the owner would have pushed; they stay. */
export const DEMO_PUSHES = [
  { channel: "build", text: "Build\npassed", background: "#14532d" },
  { channel: "inbox", text: "Inbox\n3 new", background: "#1e3a5f" },
  { channel: "laundry", text: "Laundry\ndone", background: "#4c1d95" },
  { channel: "attic", text: "Attic\n19.5 °C", background: "#713f12" },
  { channel: "bus", text: "Bus 12\nin 4 min", background: "#7f1d1d" },
] as const;

const stat = (site: string, metric: StatMetric, period: StatPeriod) => ({
  type: "stat" as const,
  site,
  metric,
  period,
});
const push = (channel: (typeof DEMO_PUSHES)[number]["channel"]) => ({
  type: "push" as const,
  channel,
});

const WIDGETS = [
  stat("fieldnotes", "pv", "day"),
  stat("fieldnotes", "uv", "7d"),
  push("build"),
  push("inbox"),
  { type: "clock" as const },
  stat("deckhand", "pv", "day"),
  stat("deckhand", "app", "7d"),
  push("laundry"),
  push("attic"),
  { type: "date" as const },
  stat("fieldnotes", "pv", "30d"),
  stat("fieldnotes", "bot", "day"),
  push("bus"),
  { type: "text" as const, text: "Made-up\ndata" },
  { type: "address" as const },
];

/** A widget for each of these slots, in their order; slots that are left over stay empty. */
export function demoWidgets(slots: readonly string[]): Record<string, (typeof WIDGETS)[number]> {
  return Object.fromEntries(
    slots.flatMap((slot, index) => {
      const widget = WIDGETS[index];
      return widget === undefined ? [] : [[slot, widget]];
    }),
  );
}
