/** A colour as `#rrggbb`. */
type Color = string;

export interface Colors {
  color: Color;
  background: Color;
}

const BLACK = "#000000";
const WHITE = "#f4f4f5";
const DARK_INK = "#18181b";

/** The contrast below which letters of a key's size are hard to read. */
const LEGIBLE = 3;

/**
 * The two colours of a face. `own` wins over `base`. A missing colour is chosen for contrast, and so is one of `base` that
 * is not readable with that of `own`.
 */
export function chooseColors(own: Partial<Colors>, base: Partial<Colors> = {}): Colors {
  const background =
    own.background ??
    (own.color === undefined
      ? (base.background ?? backgroundFor(base.color))
      : legible(own.color, base.background)
        ? base.background
        : backgroundFor(own.color));
  const color =
    own.color ??
    (own.background === undefined || legible(background, base.color) ? base.color : undefined);
  return { color: color ?? inkFor(background), background };
}

/** `share` of the way from one colour to the other: 0 is `from`, 1 is `to`. */
export function blend(from: Color, to: Color, share: number): Color {
  const mixed = CHANNELS.map((at) => {
    const value = channel(from, at);
    return value + (channel(to, at) - value) * share;
  });
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}

/** Contrast ratio of WCAG 2, from 1 (the same) to 21 (black on white). */
export function contrast(a: Color, b: Color): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function isDark(color: Color): boolean {
  return inkFor(color) === WHITE;
}

/** Colours of an old or quiet value: half-way to the background. */
export function dimmed<C extends Colors>(colors: C): C {
  return { ...colors, color: blend(colors.color, colors.background, 0.5) };
}

/**
 * Colours of something that is over: the background is half-way to that of the key, and the text half-way to the
 * background.
 */
export function faded<C extends Colors>(colors: C, own: Color): C {
  return dimmed({ ...colors, background: blend(colors.background, own, 0.5) });
}

/** Colours of the one meaning that can be read on dark and on light. */
interface Pair {
  onDark: string;
  onLight: string;
}

export function onBackground({ onDark, onLight }: Pair, background: Color): Color {
  return isDark(background) ? onDark : onLight;
}

export const ACCENT: Pair = { onDark: "#60a5fa", onLight: "#1d4ed8" };
export const GOOD: Pair = { onDark: "#4ade80", onLight: "#166534" };
export const BAD: Pair = { onDark: "#f87171", onLight: "#991b1b" };
export const WARNING = "#fbbf24";

/** A loud colour for any deck. A sign and a word have the same meaning without colours. */
export const AMBER: Colors = { color: "#18181b", background: WARNING };
export const RED: Colors = { color: "#ffffff", background: "#b91c1c" };

function inkFor(background: Color): Color {
  return contrast(WHITE, background) >= contrast(DARK_INK, background) ? WHITE : DARK_INK;
}

function backgroundFor(color: Color | undefined): Color {
  return color === undefined || legible(color, BLACK) ? BLACK : WHITE;
}

function legible(color: Color, other: Color | undefined): other is Color {
  return other !== undefined && contrast(color, other) >= LEGIBLE;
}

/** The places of red, green and blue in `#rrggbb`. */
const CHANNELS = [1, 3, 5] as const;

function channel(color: Color, at: (typeof CHANNELS)[number]): number {
  return Number.parseInt(color.slice(at, at + 2), 16);
}

function luminance(color: Color): number {
  const [red, green, blue] = CHANNELS;
  return 0.2126 * light(color, red) + 0.7152 * light(color, green) + 0.0722 * light(color, blue);
}

function light(color: Color, at: (typeof CHANNELS)[number]): number {
  const share = channel(color, at) / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
