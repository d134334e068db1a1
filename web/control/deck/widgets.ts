import { CHANNEL_RULE, isChannelName } from "../../../appliance/base/names.ts";
import type { StatWidget, Widget } from "../../../appliance/control/wire.ts";

type WidgetType = Widget["type"];

/** What a slot can show, in the words of the page. */
export const WIDGET_TYPES: readonly { id: WidgetType; name: string; about: string }[] = [
  { id: "push", name: "Pushed text", about: "What other programs send to a channel." },
  { id: "stat", name: "Live number", about: "Visits to one of your sites, as they come in." },
  { id: "clock", name: "Clock", about: "The time of the box." },
  { id: "date", name: "Date", about: "Today's date." },
  { id: "text", name: "Fixed text", about: "Always the same text, up to four lines." },
  { id: "address", name: "Address", about: "Where this page is found, with a QR code." },
  { id: "empty", name: "Empty", about: "Nothing." },
];

export const METRICS: readonly { id: StatWidget["metric"]; name: string }[] = [
  { id: "pv", name: "Views" },
  { id: "uv", name: "Visitors" },
  { id: "sessions", name: "Sessions" },
  { id: "app", name: "App pings" },
  { id: "bot", name: "Bots" },
];

export const PERIODS: readonly { id: StatWidget["period"]; name: string }[] = [
  { id: "now", name: "Now" },
  { id: "day", name: "Today" },
  { id: "7d", name: "7 days" },
  { id: "30d", name: "30 days" },
];

export const EXPIRIES = [
  { id: "dim", name: "Dim it" },
  { id: "blank", name: "Go blank" },
  { id: "text", name: "Show a text" },
] as const;

/** What a slot shows, in a few words. */
export function widgetName(widget: Widget): string {
  const name = WIDGET_TYPES.find(({ id }) => id === widget.type)?.name ?? widget.type;
  switch (widget.type) {
    case "push":
      return `${name} of ${widget.channel}`;
    case "stat": {
      const metric = METRICS.find(({ id }) => id === widget.metric)?.name ?? widget.metric;
      const period = PERIODS.find(({ id }) => id === widget.period)?.name ?? widget.period;
      return `${metric} of ${widget.site}, ${period.toLowerCase()}`;
    }
    case "text":
      return `${name}, ${widget.text}`;
    default:
      return name;
  }
}

/** A widget of another type, which keeps the colours. */
export function widgetOf(type: WidgetType, before: Widget, firstSite: string): Widget {
  const { color, background } = before;
  const colors = { ...(color && { color }), ...(background && { background }) };
  switch (type) {
    case "push":
      return { type, channel: "", ...colors };
    case "stat":
      return { type, site: firstSite, metric: "pv", period: "day", ...colors };
    case "text":
      return { type, text: "", ...colors };
    default:
      return { type, ...colors };
  }
}

/** What a widget still lacks before it can be shown; empty when nothing. */
export function lackOf(widget: Widget): string {
  if (widget.type === "push" && !isChannelName(widget.channel))
    return widget.channel === "" ? "Name a channel first." : `A channel has ${CHANNEL_RULE}.`;
  if (widget.type === "stat" && widget.site === "") return "Add a site first.";
  return "";
}

/** Whether two widgets are the same, in whatever order their fields come. */
export function isSame(a: Widget, b: Widget): boolean {
  return text(a) === text(b);
}

function text(widget: Widget): string {
  return JSON.stringify(Object.entries(widget).sort(([a], [b]) => (a < b ? -1 : 1)));
}
