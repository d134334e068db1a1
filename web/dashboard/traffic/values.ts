import { whole } from "../../shared/format.ts";
import { hostName, isOfHosts } from "./hosts.ts";

const REGIONS = new Intl.DisplayNames("en", { type: "region" });
const LANGUAGES = new Intl.DisplayNames("en", { type: "language" });

/** The length at which the collector cuts values. A path of this length may be incomplete, and gets no link. */
const MAX_CHARACTERS = 128;

/** Dimensions with a natural order of values: hours, widths and times. */
const ORDERED = new Set(["hour", "hi", "viewport", "again", "time", "depth"]);

/** The name of a value that is stored as a code, or a range in signs. */
export function valueName(dimension: string, value: string): string | null {
  try {
    if (dimension === "country" && /^[A-Z]{2}$/.test(value)) return named(REGIONS, value);
    if (dimension === "lang" && /^[a-z]{2,3}$/.test(value)) return named(LANGUAGES, value);
  } catch {
    // An invalid code has no name.
  }
  if (isOfHosts(dimension)) return hostName(value);
  if (dimension === "viewport") return rangeInWords(value, "pixels");
  if (dimension === "hi") return rangeInWords(value, "ms");
  if (dimension === "time") return timeInWords(value);
  if (dimension === "depth") return PARTS_READ[value] ?? null;
  if (dimension === "again") return value === "new" ? "for the first time" : daysAgo(value);
  if (dimension === "hour" && /^\d\d$/.test(value)) return `${value}:00–${value}:59`;
  return value.startsWith("/") && value.includes("%") ? decoded(value) : null;
}

/** Whether a value's stored form says more than its name: `DE` beside Germany. */
export function isCode(dimension: string): boolean {
  return dimension === "country" || dimension === "lang" || isOfHosts(dimension);
}

/** The text of a value beside values of other dimensions. */
export function valueLabel(dimension: string, value: string): string {
  return valueName(dimension, value) ?? value;
}

function named(names: Intl.DisplayNames, code: string): string | null {
  const name = names.of(code);
  return name === code ? null : (name ?? null);
}

/** `<640` → `under 640 pixels`, `150-2000` → `150 to 2,000 ms` */
function rangeInWords(value: string, unit: string): string | null {
  const [, sign, from = "", to] = /^([<>]?)(\d+)(?:-(\d+))?$/.exec(value) ?? [];
  if (sign === undefined) return null;
  if (to !== undefined) return `${whole(Number(from))} to ${whole(Number(to))} ${unit}`;
  return `${sign === "<" ? "under" : "over"} ${whole(Number(from))} ${unit}`;
}

/** Depths as the least that was seen. */
const PARTS_READ: Readonly<Record<string, string>> = {
  "<25": "the beginning",
  25: "a quarter",
  50: "half",
  75: "three quarters",
  100: "to the end",
};

/** `<10` → `under 10 seconds`, `60-180` → `1 to 3 minutes` */
function timeInWords(value: string): string | null {
  const isLong = Number(/\d+/.exec(value)?.[0]) >= 60;
  const text = isLong ? value.replace(/\d+/g, (n) => `${Number(n) / 60}`) : value;
  return rangeInWords(text, isLong ? "minutes" : "seconds");
}

/** `2-7` → `2 to 7 days before` */
function daysAgo(value: string): string | null {
  if (value === "1") return "the day before";
  const words = rangeInWords(value, "days before");
  return words === null ? null : words.replace(/^over/, "more than");
}

/** A path with its readable parts decoded. Bytes that are no UTF-8 stay encoded. */
function decoded(path: string): string | null {
  const text = path.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
  return text === path ? null : text;
}

/** Sorts rows of hours, widths and times by their order; others stay as they are. */
export function inOrder<Row extends { value: string }>(dimension: string, rows: Row[]): Row[] {
  if (!ORDERED.has(dimension)) return rows;
  return [...rows].sort((a, b) => placeOf(a.value) - placeOf(b.value));
}

/** The order of `<150`, `150-2000`, `>2000`, and then texts without a number. */
function placeOf(value: string): number {
  const [, sign, from] = /^([<>]?)(\d+)/.exec(value) ?? [];
  if (sign === undefined) return Number.POSITIVE_INFINITY;
  return Number(from) + (sign === "<" ? -0.5 : sign === ">" ? 0.5 : 0);
}

/**
 * The web page of a value: an address itself, the site of a referrer, or for a path the page below `origin`.
 */
export function linkOf(dimension: string, value: string, origin: string | null): string | null {
  if (/^https?:\/\/[^\s/]/i.test(value)) return URL.canParse(value) ? value : null;
  if (isOfHosts(dimension) && /^[^\s/:@?#]+\.[^\s/:@?#.]+$/.test(value)) {
    const site = `https://${value}/`;
    return URL.canParse(site) ? site : null;
  }
  const isPath = /^(path|entry)$/.test(dimension) && value.startsWith("/");
  return isPath && origin !== null ? pageOf(value, origin) : null;
}

function pageOf(path: string, origin: string): string | null {
  if ([...path].length >= MAX_CHARACTERS || /\p{Surrogate}/u.test(path)) return null;
  const steps = path.split("/").map((step) => encodeURIComponent(step));
  return origin + steps.join("/");
}
