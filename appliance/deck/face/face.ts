import { compactCount } from "../../base/compact.ts";
import type { Listenable } from "../../base/signal.ts";
import { blend, type Colors, chooseColors, isDark } from "./colors.ts";
import type { PushWidget, StatWidget, Widget } from "./widget.ts";

/** What a slot shows, down to every word and colour: the painter only lays it out. */
export type Face = BlankFace | TextFace | FigureFace | StatFace | AddressFace;

interface BlankFace {
  kind: "blank";
  background: string;
}

export interface TextFace extends Colors {
  kind: "text";
  text: string;
}

/** One thing that matters, with a small line above and perhaps below. */
export interface FigureFace extends Colors {
  kind: "figure";
  top: string;
  main: string;
  bottom: string;
}

export interface StatFace extends Colors {
  kind: "stat";
  site: string;
  period: string;
  metric: string;
  /** Compact: `999`, `1.2k`, `12k`, `1.2M`; `–` when there is no number. */
  value: string;
  /** Against the period before; `–` when that has nothing to compare with. Of now, how long that is. */
  change: { text: string; direction: "up" | "down" | "none"; color: string };
  series: readonly number[];
  /** Colour of the series. */
  accent: string;
}

export interface AddressFace extends Colors {
  kind: "address";
  /** The whole URL, for the QR code. */
  url: string;
  /** What a person types. */
  text: string;
  show: "both" | "text" | "code";
}

/** What a push channel holds. */
export interface PushedValue {
  text: string;
  color: string | null;
  background: string | null;
  state: "live" | "expired";
}

/** A number of a site over a period. */
export interface Numbers {
  value: number;
  /** The same number over the period before; null when there is none. */
  previous: number | null;
  /** The period in steps, oldest first. */
  series: readonly number[];
}

/** What a face depends on besides its widget. */
export interface Situation {
  /** Epoch milliseconds. */
  now: number;
  /** False while the clock is not known to be right. */
  clockSure: boolean;
  /** IANA name of the zone whose time clocks show. */
  timeZone: string;
  /** Size of the slot in pixels. */
  width: number;
  height: number;
  /** What the channel of a push widget holds; undefined while it waits. */
  value?: PushedValue | undefined;
  /** What a stat widget counts; undefined while it is not known. */
  numbers?: Numbers | undefined;
  /** URL of the Web UI; undefined while there is no network. */
  address?: string | undefined;
  /** Its URL by name, where there is one. */
  addressByName?: string | undefined;
}

/** What the box itself has to say. */
export type Notice =
  | { type: "starting" }
  | { type: "data-unusable" }
  | { type: "setup-code"; code: string }
  | { type: "clock-not-set" };

/** What the box has to say on its decks. */
export interface NoticeBoard {
  notices(): readonly Notice[];
  /** URL of the Web UI; undefined while there is no network. */
  address(): string | undefined;
  /** Its URL by name, where the own network knows this machine by one. */
  addressByName(): string | undefined;
  readonly changed: Listenable;
}

const ACCENT = { onDark: "#60a5fa", onLight: "#1d4ed8" };
const GOOD = { onDark: "#4ade80", onLight: "#166534" };
const BAD = { onDark: "#f87171", onLight: "#991b1b" };
const WARNING = "#fbbf24";

const METRICS = { pv: "views", uv: "visitors", sessions: "sessions", app: "app", bot: "bots" };
const PERIODS = { now: "now", day: "today", "7d": "7d", "30d": "30d" };

const NO_NUMBER = "–";
const MINUTE_MS = 60_000;
const TURN_MS = 6_000;

/** What a slot with this widget shows now. */
export function face(widget: Widget, situation: Situation): Face {
  const colors = chooseColors({}, widget);
  switch (widget.type) {
    case "push":
      return pushFace(widget, situation.value);
    case "stat":
      return statFace(widget, situation.numbers);
    case "clock":
      return clockFace(situation, colors);
    case "date":
      return dateFace(situation, colors);
    case "text":
      return { kind: "text", text: widget.text, ...colors };
    case "address":
      return addressFace(situation, colors);
    case "empty":
      return { kind: "blank", background: colors.background };
  }
}

/** The next moment (epoch ms) the face changes though nothing happens; undefined for never. */
export function nextChange(widget: Widget, situation: Situation): number | undefined {
  const following = (step: number) => (Math.floor(situation.now / step) + 1) * step;
  switch (widget.type) {
    case "clock":
    case "date":
      return following(MINUTE_MS);
    case "address":
      return isWide(situation) ? undefined : following(TURN_MS);
    default:
      return undefined;
  }
}

/** A notice takes a slot over, whatever its widget. */
export function noticeFace(notice: Notice): Face {
  const colors = chooseColors({});
  switch (notice.type) {
    case "starting":
      return { kind: "text", text: "Starting…", ...dimmed(colors) };
    case "setup-code": {
      const main = `${notice.code.slice(0, 3)} ${notice.code.slice(3)}`;
      return { kind: "figure", top: "Setup code", main, bottom: "", ...colors };
    }
    case "data-unusable": {
      const warning = { ...colors, color: WARNING };
      return { kind: "figure", top: "Data", main: "not usable", bottom: "", ...warning };
    }
    case "clock-not-set": {
      const warning = { ...colors, color: WARNING };
      return { kind: "figure", top: "Clock", main: "not set", bottom: "", ...warning };
    }
  }
}

function pushFace(widget: PushWidget, value: PushedValue | undefined): Face {
  const own = chooseColors({}, widget);
  if (value === undefined) return { kind: "text", text: "…", ...dimmed(own) };
  const { color, background, text } = value;
  const colors = chooseColors(
    { ...(color !== null && { color }), ...(background !== null && { background }) },
    widget,
  );
  if (value.state === "live") return { kind: "text", text, ...colors };
  switch (widget.expire ?? "dim") {
    case "dim":
      return { kind: "text", text, ...dimmed(colors) };
    case "blank":
      return { kind: "blank", background: own.background };
    case "text":
      return { kind: "text", text: widget.fallback ?? "", ...own };
  }
}

function dimmed({ color, background }: Colors): Colors {
  return { color: blend(color, background, 0.5), background };
}

function statFace(widget: StatWidget, numbers: Numbers | undefined): StatFace {
  const colors = chooseColors({}, widget);
  return {
    kind: "stat",
    site: widget.site,
    period: PERIODS[widget.period],
    metric: METRICS[widget.metric],
    value: numbers ? compactCount(numbers.value) : NO_NUMBER,
    change: changeOf(widget, numbers, colors),
    series: numbers?.series ?? [],
    accent: widget.color ?? onBackground(ACCENT, colors.background),
    ...colors,
  };
}

function changeOf(
  { metric, period }: StatWidget,
  numbers: Numbers | undefined,
  { color, background }: Colors,
): StatFace["change"] {
  const quiet = blend(background, color, 0.6);
  if (period === "now") return { text: "5 min", direction: "none", color: quiet };
  if (!numbers?.previous) return { text: NO_NUMBER, direction: "none", color: quiet };
  const percent = Math.round(((numbers.value - numbers.previous) / numbers.previous) * 100);
  const text = Math.abs(percent) > 999 ? ">999%" : `${Math.abs(percent)}%`;
  if (percent === 0) return { text, direction: "none", color: quiet };
  const direction = percent > 0 ? "up" : "down";
  // More bots are neither good nor bad news.
  if (metric === "bot") return { text, direction, color: quiet };
  return { text, direction, color: onBackground(percent > 0 ? GOOD : BAD, background) };
}

function onBackground({ onDark, onLight }: typeof ACCENT, background: string): string {
  return isDark(background) ? onDark : onLight;
}

function clockFace({ now, clockSure, timeZone }: Situation, colors: Colors): TextFace {
  if (!clockSure) return { kind: "text", text: "--:--", ...dimmed(colors) };
  const text = parts(now, timeZone, TIME).map(({ value }) => value);
  return { kind: "text", text: text.join(""), ...colors };
}

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const DATE = { weekday: "long", day: "numeric", month: "short" } as const;

function dateFace(situation: Situation, colors: Colors): FigureFace {
  const { now, clockSure, timeZone } = situation;
  if (!clockSure) {
    return { kind: "figure", top: "Date", main: NO_NUMBER, bottom: "", ...dimmed(colors) };
  }
  const named = Object.fromEntries(
    parts(now, timeZone, DATE).map((part) => [part.type, part.value]),
  );
  const { weekday = "", day = "", month = "" } = named;
  return isWide(situation)
    ? { kind: "figure", top: weekday, main: `${day} ${month}`, bottom: "", ...colors }
    : { kind: "figure", top: weekday.slice(0, 3), main: day, bottom: month, ...colors };
}

function parts(now: number, timeZone: string, options: Intl.DateTimeFormatOptions) {
  return new Intl.DateTimeFormat("en", { ...options, timeZone }).formatToParts(now);
}

function addressFace(situation: Situation, colors: Colors): Face {
  const { address: url, addressByName, now } = situation;
  if (url === undefined) {
    return { kind: "figure", top: "Network", main: "not connected", bottom: "", ...colors };
  }
  const texts = [url, ...(addressByName === undefined ? [] : [addressByName])].map((each) =>
    each.replace(/^https?:\/\//, "").replace(/\/$/, ""),
  );
  const common = { kind: "address", url, ...colors } as const;
  if (isWide(situation)) return { ...common, text: texts.join(" "), show: "both" };
  // The code first, then each of the texts.
  const turn = Math.floor(now / TURN_MS) % (1 + texts.length);
  return {
    ...common,
    text: texts[turn - 1] ?? texts.join(" "),
    show: turn === 0 ? "code" : "text",
  };
}

/** Whether a QR code leaves room for words beside it. */
function isWide({ width, height }: { width: number; height: number }): boolean {
  return width >= 1.5 * height;
}
