import { DEFAULT_EXPIRY } from "../../../base/input/deck-fields.ts";
import type { ChannelValue } from "../../push/entry.ts";
import { ageText, nextAgeText } from "../age.ts";
import {
  AMBER,
  BAD,
  blend,
  type Colors,
  chooseColors,
  dimmed,
  faded,
  GOOD,
  onBackground,
  RED,
  WARNING,
} from "../colors.ts";
import { type FaceContext, isWide, type PushedValue } from "../face-context.ts";
import { type FigureFace, figureOf, type PlainFace } from "../plain.ts";
import type { PushWidget } from "../widget.ts";
import { timeIn } from "./time.ts";

/** Colours of a warning that has been acknowledged. */
const WARNED = { onDark: WARNING, onLight: "#92400e" };

/** A state in a sign and a word, and in colours. */
interface StateLook extends Colors {
  word: string;
  /** Whether it shows the time since the state began. */
  hasAge?: true;
}

/** The face of a push channel. A rule of the key wins over the sender's choice. */
export function pushFace(widget: PushWidget, situation: FaceContext): PlainFace {
  const { value, rule, icons } = situation;
  const own = chooseColors({}, widget);
  if (value === undefined) return { kind: "text", text: "…", ...dimmed(own) };
  const alarm = alarmFace(widget, situation);
  if (alarm !== undefined) return alarm;
  const { icon, site } = value;
  // A ping may have no text.
  const text = value.period === undefined ? value.text : value.text || widget.channel;
  const path = icon == null ? undefined : icons?.path(icon);
  const size = widget.size && { size: widget.size };
  const shown = {
    ...({ kind: "text", text } as const),
    ...size,
    ...(path !== undefined && { icon: path }),
    ...(site !== undefined && { above: site }),
  };
  const sent = {
    ...colorsIn(value),
    ...(rule === undefined ? {} : colorsIn(widget.rules?.[rule])),
  };
  const colors = chooseColors(sent, widget);
  if (value.state !== "expired") return { ...shown, ...colors };
  switch (widget.expire ?? DEFAULT_EXPIRY) {
    case "dim":
      return { ...shown, ...faded(colors, own.background) };
    case "blank":
      return { kind: "blank", background: own.background };
    case "text":
      return { kind: "text", text: widget.fallback ?? "", ...size, ...own };
  }
}

/** The chosen ones of the two colours. */
function colorsIn({
  color,
  background,
}: {
  color?: string | null;
  background?: string | null;
} = {}): Partial<Colors> {
  return { ...(color != null && { color }), ...(background != null && { background }) };
}

/**
 * The face of a channel that is watched or held, or whose sender reports a state; undefined where the text alone shows
 * the state.
 */
function alarmFace(widget: PushWidget, situation: FaceContext): FigureFace | undefined {
  const { value } = situation;
  const look = value && lookOf(value, widget);
  if (look === undefined) return undefined;
  const { word } = look;
  const detail = value?.ack === undefined ? ageOf(look, situation) : seenAt(value.ack, situation);
  const isFlat = isWide(situation);
  const top = isFlat && detail !== "" ? `${word} · ${detail}` : word;
  return figureOf(look, top, value?.text || widget.channel, isFlat ? "" : detail);
}

/** The time at which the shown age changes, in epoch milliseconds. */
export function nextAge(widget: PushWidget, { value, now }: FaceContext): number | undefined {
  const hasAge = value && value.ack === undefined && lookOf(value, widget)?.hasAge;
  if (!hasAge || value.updatedAt === undefined) return undefined;
  return nextAgeText(value.updatedAt, now);
}

function lookOf(value: PushedValue, widget: PushWidget): StateLook | undefined {
  const { state, ack, status } = value;
  const own = chooseColors({}, widget);
  const calm = (color: string) => ({ ...own, color });
  const bad = calm(onBackground(BAD, own.background));
  switch (state) {
    case "new":
    case "paused":
      return { word: state, ...calm(blend(own.color, own.background, 0.3)) };
    case "late":
      return { word: "! late", hasAge: true, ...AMBER };
    case "down":
      return { word: "✗ down", ...(ack === undefined ? { hasAge: true, ...RED } : bad) };
    case "firing":
      return status === "warn"
        ? { word: "! warning", hasAge: true, ...sentOr(value, AMBER) }
        : { word: "! alarm", hasAge: true, ...sentOr(value, RED) };
    case "acknowledged":
      return status === "warn"
        ? { word: "! warning", ...calm(onBackground(WARNED, own.background)) }
        : { word: "! alarm", ...bad };
    case "resolved":
      return { word: "✓ resolved", ...calm(onBackground(GOOD, own.background)) };
    case "expired":
      return undefined;
    default:
      return status && statusLook(value, status, own);
  }
}

/** The look of the sender's state, for a channel that is neither late nor held. */
function statusLook(
  value: PushedValue,
  status: NonNullable<ChannelValue["status"]>,
  own: Colors,
): StateLook | undefined {
  switch (status) {
    case "warn":
      return { word: "! warning", ...sentOr(value, AMBER) };
    case "fail":
      return { word: "✗ failed", ...sentOr(value, RED) };
    case "start":
      return { word: "… running", ...sentOr(value, own) };
    case "ok":
      return undefined;
  }
}

function sentOr({ color, background }: PushedValue, usual: Colors): Colors {
  if (color === null && background === null) return usual;
  return chooseColors({
    ...(color !== null && { color }),
    ...(background !== null && { background }),
  });
}

function ageOf({ hasAge }: StateLook, { value, now, clockSure }: FaceContext): string {
  if (!hasAge || !clockSure || value?.updatedAt === undefined) return "";
  return ageText(value.updatedAt, now);
}

function seenAt(
  { at }: NonNullable<ChannelValue["ack"]>,
  { clockSure, timeZone }: FaceContext,
): string {
  return clockSure ? `✓ ${timeIn(at, timeZone)}` : "✓ seen";
}
