/**
 * Fields of widgets and actions: choices, their labels, and limits. Schemas, faces and forms share them, and a test
 * compares them with the tables of `docs/deck.md`.
 */

/** Most characters of texts, and most entries of lists. */
export const FIELD_LIMITS = {
  /** A text that a key draws, pushed ones included. */
  text: 256,
  label: 24,
  unit: 8,
  icon: 64,
  rules: 5,
  /** The name of a deck or of a page. */
  name: 40,
  pages: 10,
  url: 1_024,
  headers: 16,
  header: 1_024,
  body: 4_096,
  /** Steps of a sequence. */
  steps: 16,
  /** The seconds of a pause between them. */
  pauseSeconds: 60,
} as const;

/** The most pixels of a picture for each of the slot, in each direction: screens have finer ones, and show keys larger. */
export const MAX_PICTURE_SCALE = 4;

/** The counts that a live number may show: `name` in forms, `onKey` on the key. */
export const STAT_METRICS = {
  pv: { name: "Views", onKey: "views" },
  uv: { name: "Visitors", onKey: "visitors" },
  sessions: { name: "Sessions", onKey: "sessions" },
  app: { name: "App pings", onKey: "app" },
  bot: { name: "Bots", onKey: "bots" },
} as const;
export type StatMetric = keyof typeof STAT_METRICS;

interface PeriodFacts {
  readonly name: string;
  readonly onKey: string;
  /** The number of days up to today; null for the last five minutes, which have views only. */
  readonly days: number | null;
}

/** The periods of a live number. */
export const STAT_PERIODS = {
  now: { name: "Now", onKey: "now", days: null },
  day: { name: "Today", onKey: "today", days: 1 },
  "7d": { name: "7 days", onKey: "7d", days: 7 },
  "30d": { name: "30 days", onKey: "30d", days: 30 },
} as const satisfies Readonly<Record<string, PeriodFacts>>;
export type StatPeriod = keyof typeof STAT_PERIODS;

/** The metrics that exist for periods. */
export function periodMetrics(period: StatPeriod): readonly StatMetric[] {
  return STAT_PERIODS[period].days === null ? ["pv"] : idsOf(STAT_METRICS);
}

/** The remains of an expired value on its key; the first unless another is chosen. */
export const EXPIRIES = {
  dim: { name: "Dim it" },
  blank: { name: "Go blank" },
  text: { name: "Show a text" },
} as const;
type Expiry = keyof typeof EXPIRIES;
export const DEFAULT_EXPIRY: Expiry = "dim";

/** The largest size of a key's text, as a share of `most`. A longer text is drawn smaller. */
export const TEXT_SIZES = {
  large: { name: "Large", most: 1 },
  medium: { name: "Medium", most: 0.6 },
  small: { name: "Small", most: 0.4 },
} as const;
export type TextSize = keyof typeof TEXT_SIZES;
export const DEFAULT_TEXT_SIZE: TextSize = "large";

/**
 * Whether the text of a channel means that something is on: `on`, `ON`, `1`, `1.0`, `true`, `yes`, `open`. Undefined where
 * it says that nobody knows, in the words of Home Assistant and of JSON.
 */
export function isOn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (/^(?:unavailable|unknown|none|null)$/.test(word)) return undefined;
  return /^(?:on|1(?:\.0{1,9})?|true|yes|open)$/.test(word);
}

/** The methods of requests that a key sends. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The ids of a table, in its order. */
export function idsOf<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(table) as K[];
}

/** A table as a list to choose from. */
export function choicesOf<K extends string, V>(table: Readonly<Record<K, V>>): ({ id: K } & V)[] {
  return idsOf(table).map((id) => ({ id, ...table[id] }));
}
