import { COLOR, looksLikeSiteId, siteIdOf } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { variant as baseVariant, oneOf, variants } from "../../base/variants.ts";

interface WidgetColors {
  /** `#rrggbb` */
  color?: string;
  background?: string;
}

export interface PushWidget extends WidgetColors {
  type: "push";
  channel: string;
  /** What an expired value leaves behind; `dim` when not given. */
  expire?: "dim" | "blank" | "text";
  fallback?: string;
  /** An alarm of the channel wakes the deck and shows the page of this key. */
  wake?: true;
}

export interface StatWidget extends WidgetColors {
  type: "stat";
  site: string;
  metric: "pv" | "uv" | "sessions" | "app" | "bot";
  /** `now`: the last five minutes, of `pv` only */
  period: "now" | "day" | "7d" | "30d";
}

interface TextWidget extends WidgetColors {
  type: "text";
  text: string;
}

interface PlainWidget extends WidgetColors {
  type: "clock" | "date" | "address" | "empty";
}

/** What a slot is set to show. */
export type Widget = PushWidget | StatWidget | TextWidget | PlainWidget;

/** The push service's rules, which widgets and actions share: what is typed here is drawn in the same font. */
export interface PushRules {
  /** The channel's name in its one form; throws an error that says what a name looks like. */
  channelName: (raw: string) => string;
  cleanText: (raw: string) => { text: string };
}

const TEXT = {
  type: "string",
  maxLength: 256,
  description: "must be a text of at most 256 characters",
};
const SITE = {
  type: "string",
  format: "site-id",
  description: "must be the id of a site",
};
/** JSON Schema of the name of a push channel, which `readChannel` reads. */
export const CHANNEL = { type: "string", description: "must be the name of a push channel" };

const WAKE = { const: true, description: "must be true, or left out" };

const variant = (
  type: string,
  required: Record<string, object> = {},
  optional: Record<string, object> = {},
) => baseVariant("type", type, required, { ...optional, color: COLOR, background: COLOR });

const VARIANTS = [
  variant(
    "push",
    { channel: CHANNEL },
    { expire: oneOf("dim", "blank", "text"), fallback: TEXT, wake: WAKE },
  ),
  variant("stat", {
    site: SITE,
    metric: oneOf("pv", "uv", "sessions", "app", "bot"),
    period: oneOf("now", "day", "7d", "30d"),
  }),
  variant("clock"),
  variant("date"),
  variant("text", { text: TEXT }),
  variant("address"),
  variant("empty"),
];

const readVariant = variants<Widget>("type", "widget", VARIANTS, {
  "site-id": (text) => looksLikeSiteId(siteIdOf(text)),
});

/**
 * Reads a widget from the wire: checked, its channel and site lower-cased, its texts cleaned up.
 * @param at where it was found
 * @throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function parseWidget(input: unknown, rules: PushRules, at = "widget"): Widget {
  return cleaned(readVariant(input, at), rules, at);
}

function cleaned(input: Widget, { channelName, cleanText }: PushRules, at: string): Widget {
  if (input.type === "text") return { ...input, text: cleanText(input.text).text };
  if (input.type === "stat") return cleanedStat(input, at);
  if (input.type !== "push") return input;
  const { fallback } = input;
  return {
    ...input,
    channel: readChannel(input.channel, { channelName }, at),
    ...(fallback !== undefined && { fallback: cleanText(fallback).text }),
  };
}

function cleanedStat(input: StatWidget, at: string): StatWidget {
  // Nothing else is counted by the minute.
  if (input.period === "now" && input.metric !== "pv")
    throw invalidField(`${at}.metric`, "must be pv where the period is now.");
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
    const rule = error instanceof Error ? error.message : String(error);
    throw invalidField(`${at}.channel`, `is no channel name. ${rule}`);
  }
}
