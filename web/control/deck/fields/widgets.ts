import { STAT_METRICS, STAT_PERIODS } from "../../../../appliance/base/input/deck-fields.ts";
import { CHANNEL_RULE, isChannelName } from "../../../../appliance/base/names.ts";
import type { Widget } from "../../../../appliance/control/wire.ts";

type WidgetType = Widget["type"];

export interface FieldsProps<W extends Widget> {
  widget: W;
  onEdit: (next: Widget) => void;
}

/** The widget with a field that may be left out; undefined and "" leave it out. */
export function withField<W extends Widget, K extends keyof W>(
  widget: W,
  field: K,
  value: W[K] | undefined,
): W {
  const next = { ...widget };
  if (value === undefined || value === "") delete next[field];
  else next[field] = value;
  return next;
}

/** The widgets that a slot can show, in the words of the page. */
export const WIDGET_WORDS: Readonly<Record<WidgetType, { name: string; about: string }>> = {
  push: { name: "Pushed text", about: "What other programs send to a channel." },
  stat: { name: "Live number", about: "Visits to one of your sites, as they come in." },
  gauge: { name: "Gauge", about: "A pushed number on a ring between two bounds." },
  bar: { name: "Bar", about: "A pushed number on a bar between two bounds." },
  toggle: { name: "Toggle", about: "On or off, by the text of a channel; a press changes it." },
  countdown: { name: "Countdown", about: "How long until a channel expires or is late." },
  icon: { name: "Icon", about: "A picture of a set, with a label." },
  image: { name: "Picture", about: "A PNG or JPEG of yours." },
  clock: { name: "Clock", about: "The time of the machine." },
  worldclock: { name: "World clock", about: "The time somewhere else." },
  date: { name: "Date", about: "Today's date." },
  text: { name: "Fixed text", about: "Always the same text, up to four lines." },
  address: { name: "Address", about: "Where this page is found, with a QR code." },
  padlock: { name: "Padlock", about: "How the public address of the machine stands." },
  empty: { name: "Empty", about: "Nothing." },
};

/** The widget of a slot, in a few words. */
export function widgetName(widget: Widget): string {
  const { name } = WIDGET_WORDS[widget.type];
  switch (widget.type) {
    case "push":
    case "gauge":
    case "bar":
    case "toggle":
    case "countdown":
      return `${name} of ${widget.channel}`;
    case "icon":
      return `${name} ${widget.icon}`;
    case "worldclock":
      return `${name} of ${widget.timeZone}`;
    case "stat": {
      const { name: period } = STAT_PERIODS[widget.period];
      return `${STAT_METRICS[widget.metric].name} of ${widget.site}, ${period.toLowerCase()}`;
    }
    case "text":
      return `${name}, ${widget.text}`;
    default:
      return name;
  }
}

/** A widget of another type, which keeps the colours, and the channel where both have one. */
export function widgetOf(type: WidgetType, before: Widget, firstSite: string): Widget {
  const { color, background } = before;
  const channel = "channel" in before ? before.channel : "";
  const colors = { ...(color && { color }), ...(background && { background }) };
  switch (type) {
    case "push":
    case "toggle":
    case "countdown":
      return { type, channel, ...colors };
    case "gauge":
    case "bar":
      return { type, channel, min: 0, max: 100, ...colors };
    case "icon":
      return { type, icon: "house", ...colors };
    case "image":
      return { type, image: "", ...colors };
    case "worldclock":
      return { type, timeZone: "UTC", ...colors };
    case "stat":
      return { type, site: firstSite, metric: "pv", period: "day", ...colors };
    case "text":
      return { type, text: "", ...colors };
    default:
      return { type, ...colors };
  }
}

/** The part that a widget still lacks before it can be shown; empty when none. */
export function lackOf(widget: Widget): string {
  if ("channel" in widget && !isChannelName(widget.channel))
    return widget.channel === "" ? "Name a channel first." : `A channel has ${CHANNEL_RULE}.`;
  if ((widget.type === "gauge" || widget.type === "bar") && !(widget.min < widget.max))
    return "The upper bound must be more than the lower one.";
  if (widget.type === "image" && widget.image === "") return "Choose a picture first.";
  if (widget.type === "stat" && widget.site === "") return "Add a site first.";
  return "";
}

/** Whether two widgets or actions are equal, regardless of the order of their fields. */
export function isSame(a: object | undefined, b: object | undefined): boolean {
  return text(a) === text(b);
}

function text(value: object = {}): string {
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
