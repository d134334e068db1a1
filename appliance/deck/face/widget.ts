import { COLOR, looksLikeSiteId, siteIdOf } from "../../base/names.ts";
import { invalidField, type Refusal } from "../../base/refusal.ts";
import { type Misfit, schemas } from "../../base/schema.ts";

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

/** The push service's rules, which widgets share: what is typed here is drawn in the same font. */
interface PushRules {
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
const CHANNEL = { type: "string", description: "must be the name of a push channel" };

const oneOf = (...values: string[]) => ({
  enum: values,
  description: `must be one of ${values.join(", ")}`,
});

const variant = (type: string, required: object = {}, optional: object = {}) => ({
  type: "object",
  properties: {
    type: { const: type },
    ...required,
    ...optional,
    color: COLOR,
    background: COLOR,
  },
  required: ["type", ...Object.keys(required)],
  additionalProperties: false,
});

const VARIANTS = [
  variant("push", { channel: CHANNEL }, { expire: oneOf("dim", "blank", "text"), fallback: TEXT }),
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

const TYPES = VARIANTS.map(({ properties }) => properties.type.const);

/** JSON Schema of a widget; needs the `discriminator` option of Ajv. */
const widgetSchema = {
  type: "object",
  discriminator: { propertyName: "type" },
  oneOf: VARIANTS,
};

const misfitOf = schemas({
  discriminator: true,
  verbose: true,
  formats: { "site-id": (text: string) => looksLikeSiteId(siteIdOf(text)) },
})(widgetSchema);

/**
 * Reads a widget from the wire: checked, its channel and site lower-cased, its texts cleaned up.
 * @param at where it was found
 * @throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function parseWidget(input: unknown, rules: PushRules, at = "widget"): Widget {
  const misfit = misfitOf(input);
  if (misfit !== undefined) throw explain(misfit, at);
  return cleaned(input as Widget, rules, at);
}

function cleaned(input: Widget, { channelName, cleanText }: PushRules, at: string): Widget {
  if (input.type === "text") return { ...input, text: cleanText(input.text).text };
  if (input.type === "stat") return cleanedStat(input, at);
  if (input.type !== "push") return input;
  const { fallback } = input;
  return {
    ...input,
    channel: readChannel(input.channel, channelName, at),
    ...(fallback !== undefined && { fallback: cleanText(fallback).text }),
  };
}

function cleanedStat(input: StatWidget, at: string): StatWidget {
  // Nothing else is counted by the minute.
  if (input.period === "now" && input.metric !== "pv")
    throw invalidField(`${at}.metric`, "must be pv where the period is now.");
  return { ...input, site: siteIdOf(input.site) };
}

function readChannel(raw: string, channelName: PushRules["channelName"], at: string): string {
  try {
    return channelName(raw);
  } catch (error) {
    const rule = error instanceof Error ? error.message : String(error);
    throw invalidField(`${at}.channel`, `is no channel name. ${rule}`);
  }
}

function explain(error: Misfit, at: string): Refusal {
  const path = `${at}${error.instancePath.replaceAll("/", ".")}`;
  switch (error.keyword) {
    case "discriminator":
      return invalidField(`${at}.type`, `must be one of ${TYPES.join(", ")}.`);
    case "required":
      return invalidField(`${path}.${error.params.missingProperty}`, "is missing.");
    case "additionalProperties":
      return invalidField(
        `${path}.${error.params.additionalProperty}`,
        "is not a field of this type of widget.",
      );
    default:
      return invalidField(path, `${error.parentSchema?.description ?? "must be an object"}.`);
  }
}
