import {
  EXPIRIES,
  FIELD_LIMITS,
  idsOf,
  periodMetrics,
  STAT_METRICS,
  STAT_PERIODS,
  TEXT_SIZES,
} from "../../base/input/deck-fields.ts";
import {
  exactly,
  type Fields,
  type Fitting,
  NUMBER,
  oneAmong,
  type SchemaOf,
  TEXT,
  textUpTo,
} from "../../base/input/schema.ts";
import { messageOf } from "../../base/message-of.ts";
import { COLOR, looksLikeSiteId, siteIdOf } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { isTimeZone } from "../../base/time-zone.ts";
import { NUMBER_RULES } from "./rules.ts";
import { type OneOf, variants } from "./variants.ts";

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
  ...textUpTo(maxLength),
  description: `must be ${what} of at most ${maxLength} characters`,
});

const DRAWN_TEXT = textSchema(FIELD_LIMITS.text);
const SITE = { ...TEXT, format: "site-id", description: "must be the id of a site" };
/** JSON Schema of the name of a push channel, which `readChannel` reads. */
export const CHANNEL = { ...TEXT, description: "must be the name of a push channel" };

const WAKE: SchemaOf<true> = { const: true, description: "must be true, or left out" };
const COLORS = { color: COLOR, background: COLOR };

/** The fields of a shown widget, which include its colours. */
const shown = <All extends Fields, Some extends Fields>(all: All, some: Some) =>
  exactly(all, { ...some, ...COLORS });

const SIZE = oneAmong(...idsOf(TEXT_SIZES));
const LABEL = textSchema(FIELD_LIMITS.label);
const UNIT = textSchema(FIELD_LIMITS.unit);
const ICON = { ...textUpTo(FIELD_LIMITS.icon), description: "must be the name of an icon" };
const IMAGE = {
  ...TEXT,
  pattern: "^[0-9a-f]{64}$",
  description: "must be the name that PUT /api/images answered",
};
const ZONE = {
  ...TEXT,
  format: "time-zone",
  description: "must be a time zone like Europe/Zurich",
};
/** The label replaces the channel's name. */
const GAUGE = shown(
  { channel: CHANNEL, min: NUMBER, max: NUMBER },
  { unit: UNIT, label: LABEL, ...NUMBER_RULES },
);

/** One of the two faces of a toggle; its text is `On`, or `Off`, unless given. */
const SIDE = {
  ...exactly({}, { text: LABEL, icon: ICON, ...COLORS }),
  description: "must be an object with text, icon, color or background",
};
const PLAIN = shown({}, {});

const SHAPES = {
  /** `expire`: the remains of an expired value; `wake`: an alarm of the channel wakes the deck and shows the page of this key. */
  push: shown(
    { channel: CHANNEL },
    {
      expire: oneAmong(...idsOf(EXPIRIES)),
      fallback: DRAWN_TEXT,
      size: SIZE,
      wake: WAKE,
      ...NUMBER_RULES,
    },
  ),
  /** The label replaces the site's id; `wake`: the same for an alarm of the site. */
  stat: shown(
    {
      site: SITE,
      metric: oneAmong(...idsOf(STAT_METRICS)),
      period: oneAmong(...idsOf(STAT_PERIODS)),
    },
    { label: LABEL, wake: WAKE },
  ),
  /** The pushed number of a channel between two bounds, as a ring or as a bar. */
  gauge: GAUGE,
  bar: GAUGE,
  /** Something that is on or off, by the text of a channel: see `isOn`. */
  toggle: shown({ channel: CHANNEL }, { on: SIDE, off: SIDE }),
  /** The time until the value of a channel expires, or until it is late or down. */
  countdown: shown({ channel: CHANNEL }, { label: LABEL }),
  /** SHA-256 of an uploaded file, in hexadecimal digits. */
  image: shown({ image: IMAGE }, {}),
  icon: shown({ icon: ICON }, { label: LABEL }),
  /** The label replaces the city of the zone. */
  worldclock: shown({ timeZone: ZONE }, { label: LABEL }),
  clock: PLAIN,
  date: PLAIN,
  text: shown({ text: DRAWN_TEXT }, { size: SIZE }),
  address: PLAIN,
  padlock: PLAIN,
  empty: PLAIN,
};

/** The widget that a slot is set to show. */
export type Widget = OneOf<"type", typeof SHAPES>;
type Of<Type extends Widget["type"]> = Extract<Widget, { type: Type }>;

export type PushWidget = Of<"push">;
export type StatWidget = Of<"stat">;
export type GaugeWidget = Of<"gauge" | "bar">;
export type ToggleWidget = Of<"toggle">;
export type ToggleSide = Fitting<typeof SIDE>;
export type CountdownWidget = Of<"countdown">;
export type IconWidget = Of<"icon">;
export type ImageWidget = Of<"image">;
export type WorldclockWidget = Of<"worldclock">;
export type PlainWidget = Of<"clock" | "date" | "address" | "padlock" | "empty">;

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
