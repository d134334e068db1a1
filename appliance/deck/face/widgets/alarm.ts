import type { ChannelValue } from "../../../push/channel-value.ts";
import { BAD, blend, type Colors, chooseColors, GOOD, onBackground, WARNING } from "../colors.ts";
import type { FigureFace } from "../plain.ts";
import { isWide, type PushedValue, type Situation } from "../situation.ts";
import type { PushWidget } from "../widget.ts";
import { timeIn } from "./time.ts";

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Loud on any deck, and told apart without their colours by a sign and a word. */
const AMBER: Colors = { color: "#18181b", background: WARNING };
const RED: Colors = { color: "#ffffff", background: "#b91c1c" };

/** A warning that somebody has seen. */
const WARNED = { onDark: WARNING, onLight: "#92400e" };

/** A state in a sign and a word, and in colours. */
interface Look extends Colors {
  word: string;
  /** Whether it tells how long it has been so. */
  hasAge?: true;
}

/**
 * What a key shows of a channel that is watched or held, or whose sender says how it is, where the
 * text alone does not tell; undefined where it does.
 */
export function alarmFace(widget: PushWidget, situation: Situation): FigureFace | undefined {
  const { value } = situation;
  const look = value && lookOf(value, widget);
  if (look === undefined) return undefined;
  const { word, color, background } = look;
  const detail = value?.ack === undefined ? ageOf(look, situation) : seenAt(value.ack, situation);
  const isFlat = isWide(situation);
  return {
    kind: "figure",
    top: isFlat && detail !== "" ? `${word} · ${detail}` : word,
    main: value?.text || widget.channel,
    bottom: isFlat ? "" : detail,
    color,
    background,
  };
}

/** When the age that shows is another, in epoch milliseconds. */
export function nextAge(widget: PushWidget, { value, now }: Situation): number | undefined {
  const hasAge = value && value.ack === undefined && lookOf(value, widget)?.hasAge;
  if (!hasAge || value.updatedAt === undefined) return undefined;
  const age = Math.max(0, now - value.updatedAt);
  const step = age < HOUR_MS ? MINUTE_MS : HOUR_MS;
  return value.updatedAt + (Math.floor(age / step) + 1) * step;
}

function lookOf(value: PushedValue, widget: PushWidget): Look | undefined {
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

/** Of a channel that is neither late nor held, what its sender says. */
function statusLook(
  value: PushedValue,
  status: NonNullable<ChannelValue["status"]>,
  own: Colors,
): Look | undefined {
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

function ageOf({ hasAge }: Look, { value, now, clockSure }: Situation): string {
  if (!hasAge || !clockSure || value?.updatedAt === undefined) return "";
  const age = Math.max(0, now - value.updatedAt);
  if (age < MINUTE_MS) return "<1 min";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  return age < DAY_MS ? `${Math.floor(age / HOUR_MS)} h` : `${Math.floor(age / DAY_MS)} d`;
}

function seenAt(
  { at }: NonNullable<ChannelValue["ack"]>,
  { clockSure, timeZone }: Situation,
): string {
  return clockSure ? `✓ ${timeIn(at, timeZone)}` : "✓ seen";
}
