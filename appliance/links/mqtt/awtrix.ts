import { isObject, isText } from "../../base/input/json.ts";
import { invalidField } from "../../base/refusal.ts";
import type { Push } from "../../deck/push/push-body.ts";

/** A message for an AWTRIX clock as a push. */
interface AwtrixPush {
  readonly push: Push;
  /** Whether it disappears after its time, instead of being shown as old. */
  readonly isFleeting: boolean;
}

const MAX_TTL = 86_400;
/** Seconds that a message without a time of its own is shown. */
const NOTICE_S = 600;

/**
 * Reads a custom app of AWTRIX 3 (its `docs/api.md`), as far as a key can show it. Other fields are ignored.
 * @throws {Refusal} `invalid_field`
 */
export function readCustom(input: Readonly<Record<string, unknown>>): AwtrixPush {
  const { lifetime = 0, lifetimeMode = 0 } = input;
  return {
    push: { text: textOf(input.text), ttl: seconds("lifetime", lifetime), ...colorsOf(input) },
    isFleeting: Number(lifetimeMode) !== 1 && Number(lifetime) > 0,
  };
}

/**
 * A notification: the same, or a plain text.
 * @throws {Refusal} `invalid_field`
 */
export function readNotification(input: unknown): Push {
  if (!isObject(input)) return { text: String(input), ttl: NOTICE_S };
  const { hold, duration = NOTICE_S } = input;
  const stay = hold === true ? { hold: true } : { ttl: Math.max(1, seconds("duration", duration)) };
  return { text: textOf(input.text), ...stay, ...colorsOf(input) };
}

/** The text, which may come in coloured fragments `{t, c}`. */
function textOf(text: unknown): string {
  if (isText(text)) return text;
  if (typeof text === "number") return String(text);
  if (Array.isArray(text) && text.every((part) => isObject(part) && isText(part.t)))
    return text.map(({ t }) => t).join("");
  throw invalidField("text", "must be a string.");
}

function colorsOf({
  color,
  background,
}: Readonly<Record<string, unknown>>): Pick<Push, "color" | "background"> {
  return {
    ...(color !== undefined && { color: colorOf("color", color) }),
    ...(background !== undefined && { background: colorOf("background", background) }),
  };
}

/** `#rrggbb`, with or without the sign, or three numbers. */
function colorOf(field: string, value: unknown): string {
  const [, hex] = /^#?([0-9a-f]{6})$/i.exec(String(value)) ?? [];
  if (hex !== undefined) return `#${hex}`;
  const isByte = (part: unknown) =>
    Number.isInteger(part) && Number(part) >= 0 && Number(part) < 256;
  if (Array.isArray(value) && value.length === 3 && value.every(isByte))
    return `#${Buffer.from(value).toString("hex")}`;
  throw invalidField(field, "must be a colour as #rrggbb or [r, g, b].");
}

function seconds(field: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && Number.isFinite(value))
    return Math.min(MAX_TTL, Math.ceil(value));
  throw invalidField(field, "must be a number of seconds.");
}
