import {
  EXPIRIES,
  type Expiry,
  FIELD_LIMITS,
  idsOf,
  periodMetrics,
  STAT_METRICS,
  STAT_PERIODS,
  type StatMetric,
  type StatPeriod,
  TEXT_SIZES,
  type TextSize,
} from "../../base/input/deck-fields.ts";
import { messageOf } from "../../base/message-of.ts";
import { COLOR, looksLikeSiteId, siteIdOf } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { isTimeZone } from "../../base/time-zone.ts";
import type { NumberRules } from "./rules.ts";
import { fields, oneOf, variants } from "./variants.ts";

interface WidgetColors {
  /** `#rrggbb` */
  color?: string;
  background?: string;
}

export interface PushWidget extends WidgetColors, NumberRules {
  type: "push";
  channel: string;
  /** The remains of an expired value. */
  expire?: Expiry;
  fallback?: string;
  size?: TextSize;
  /** An alarm of the channel wakes the deck and shows the page of this key. */
  wake?: true;
}

export interface StatWidget extends WidgetColors {
  type: "stat";
  site: string;
  metric: StatMetric;
  period: StatPeriod;
  /** Replaces the site's id. */
  label?: string;
  /** An alarm of the site wakes the deck and shows the page of this key. */
  wake?: true;
}

/** The pushed number of a channel between two bounds, as a ring or as a bar. */
export interface GaugeWidget extends WidgetColors, NumberRules {
  type: "gauge" | "bar";
  channel: string;
  min: number;
  max: number;
  unit?: string;
  /** Replaces the channel's name. */
  label?: string;
}

/** One of the two faces of a toggle. */
export interface ToggleSide extends WidgetColors {
  /** `On`, or `Off`, unless given. */
  text?: string;
  icon?: string;
}

/** Something that is on or off, by the text of a channel: see `isOn`. */
export interface ToggleWidget extends WidgetColors {
  type: "toggle";
  channel: string;
  on?: ToggleSide;
  off?: ToggleSide;
}

/** A key with the time until the value of a channel expires, or until it is late or down. */
export interface CountdownWidget extends WidgetColors {
  type: "countdown";
  channel: string;
  label?: string;
}

export interface IconWidget extends WidgetColors {
  type: "icon";
  icon: string;
  label?: string;
}

export interface ImageWidget extends WidgetColors {
  type: "image";
  /** SHA-256 of an uploaded file, in hexadecimal digits. */
  image: string;
}

export interface WorldclockWidget extends WidgetColors {
  type: "worldclock";
  /** IANA name */
  timeZone: string;
  /** Replaces the city of the zone. */
  label?: string;
}

interface TextWidget extends WidgetColors {
  type: "text";
  text: string;
  size?: TextSize;
}

export interface PlainWidget extends WidgetColors {
  type: "clock" | "date" | "address" | "padlock" | "empty";
}

/** The widget that a slot is set to show. */
export type Widget =
  | PushWidget
  | StatWidget
  | GaugeWidget
  | ToggleWidget
  | CountdownWidget
  | IconWidget
  | ImageWidget
  | WorldclockWidget
  | TextWidget
  | PlainWidget;

/** The push channel that a widget shows; undefined for none. */
export function channelOf(widget: Widget): string | undefined {
  return "channel" in widget ? widget.channel : undefined;
}

/** The push service's rules for texts, which widgets and actions share, since they are drawn in the same font. */
export interface PushRules {
  /** Normalizes a channel's name. Throws an error with the form of names. */
  channelName: (raw: string) => string;
  cleanText: (raw: string) => { text: string };
}

/** JSON Schema of a text with a limit of characters. */
export const textSchema = (maxLength: number, what = "a text") => ({
  type: "string",
  maxLength,
  description: `must be ${what} of at most ${maxLength} characters`,
});

const TEXT = textSchema(FIELD_LIMITS.text);
const SITE = {
  type: "string",
  format: "site-id",
  description: "must be the id of a site",
};
/** JSON Schema of the name of a push channel, which `readChannel` reads. */
export const CHANNEL = { type: "string", description: "must be the name of a push channel" };

const WAKE = { const: true, description: "must be true, or left out" };

/** The fields of a shown widget, which include its colours. */
const shown: typeof fields = (required, optional) =>
  fields(required, { ...optional, color: COLOR, background: COLOR });

const SIZE = oneOf(...idsOf(TEXT_SIZES));
const LABEL = textSchema(FIELD_LIMITS.label);
const UNIT = textSchema(FIELD_LIMITS.unit);
const NUMBER = { type: "number", description: "must be a number" };
const ICON = {
  type: "string",
  maxLength: FIELD_LIMITS.icon,
  description: "must be the name of an icon",
};
const IMAGE = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  description: "must be the name that PUT /api/images answered",
};
const ZONE = {
  type: "string",
  format: "time-zone",
  description: "must be a time zone like Europe/Zurich",
};
const RULE = {
  type: "object",
  properties: { above: NUMBER, below: NUMBER, color: COLOR, background: COLOR },
  additionalProperties: false,
  oneOf: [{ required: ["above"] }, { required: ["below"] }],
  description: "must have one of above and below",
};
const RULES = {
  rules: {
    type: "array",
    maxItems: FIELD_LIMITS.rules,
    items: RULE,
    description: `must be a list of at most ${FIELD_LIMITS.rules} rules`,
  },
  hysteresis: { type: "number", minimum: 0, description: "must be a number from 0 on" },
};
const GAUGE = shown(
  { channel: CHANNEL, min: NUMBER, max: NUMBER },
  { unit: UNIT, label: LABEL, ...RULES },
);

const SIDE = {
  type: "object",
  properties: { text: LABEL, icon: ICON, color: COLOR, background: COLOR },
  additionalProperties: false,
  description: "must be an object with text, icon, color or background",
};

const SHAPES = {
  push: shown(
    { channel: CHANNEL },
    { expire: oneOf(...idsOf(EXPIRIES)), fallback: TEXT, size: SIZE, wake: WAKE, ...RULES },
  ),
  stat: shown(
    { site: SITE, metric: oneOf(...idsOf(STAT_METRICS)), period: oneOf(...idsOf(STAT_PERIODS)) },
    { label: LABEL, wake: WAKE },
  ),
  gauge: GAUGE,
  bar: GAUGE,
  toggle: shown({ channel: CHANNEL }, { on: SIDE, off: SIDE }),
  countdown: shown({ channel: CHANNEL }, { label: LABEL }),
  image: shown({ image: IMAGE }),
  icon: shown({ icon: ICON }, { label: LABEL }),
  worldclock: shown({ timeZone: ZONE }, { label: LABEL }),
  clock: shown(),
  date: shown(),
  text: shown({ text: TEXT }, { size: SIZE }),
  address: shown(),
  padlock: shown(),
  empty: shown(),
};

const readVariant = variants<Widget, "type">("type", "widget", SHAPES, {
  "site-id": (text) => looksLikeSiteId(siteIdOf(text)),
  "time-zone": isTimeZone,
});

/**
 * Reads a widget from the wire: checked, its channel and site lower-cased, its texts cleaned up.
 * @param at where it was found
 * @throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function parseWidget(input: unknown, rules: PushRules, at = "widget"): Widget {
  return cleaned(readVariant(input, at), rules, at);
}

/** The fields that are texts to draw. */
const DRAWN = ["text", "fallback", "label", "unit"] as const;

function cleaned(input: Widget, rules: PushRules, at: string): Widget {
  const widget = { ...input } as Widget & Partial<Record<(typeof DRAWN)[number], string>>;
  for (const field of DRAWN) {
    const text = widget[field];
    if (text !== undefined) widget[field] = rules.cleanText(text).text;
  }
  if (widget.type === "toggle")
    for (const side of ["on", "off"] as const) {
      const { text } = widget[side] ?? {};
      if (text !== undefined) widget[side] = { ...widget[side], text: rules.cleanText(text).text };
    }
  if ("channel" in widget) widget.channel = readChannel(widget.channel, rules, at);
  if ((widget.type === "gauge" || widget.type === "bar") && widget.min >= widget.max)
    throw invalidField(`${at}.max`, "must be more than min.");
  return widget.type === "stat" ? cleanedStat(widget, at) : widget;
}

function cleanedStat(input: StatWidget, at: string): StatWidget {
  const { period, metric } = input;
  const metrics = periodMetrics(period);
  if (!metrics.includes(metric)) {
    const rule = `must be ${metrics.join(" or ")} where the period is ${period}.`;
    throw invalidField(`${at}.metric`, rule);
  }
  return { ...input, site: siteIdOf(input.site) };
}

/**
 * The name of a push channel in its one form.
 * @param at where it was found in
 * @throws {Refusal} `invalid_field`
 */
export function readChannel(
  raw: string,
  { channelName }: Pick<PushRules, "channelName">,
  at: string,
): string {
  try {
    return channelName(raw);
  } catch (error) {
    const rule = messageOf(error);
    throw invalidField(`${at}.channel`, `is no channel name. ${rule}`);
  }
}
