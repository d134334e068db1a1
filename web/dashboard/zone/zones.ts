/** A zone of IANA's, its place on the map, and its countries' letters, the first one's own before others. */
type PlacedZone = readonly [name: string, x: number, y: number, countries: string];

/** A zone that keeps an offset now. */
export interface Zone {
  name: string;
  /** on the map; null for a zone that the table lacks */
  place: { x: number; y: number } | null;
}

/** `UTC+05:30` → 330 minutes; null for other texts. */
export function offsetMinutes(text: string): number | null {
  const match = /^UTC([+-])(\d{2}):(\d{2})$/.exec(text);
  if (!match) return null;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -minutes : minutes;
}

interface Clock {
  /** the one name this browser has for a zone and its aliases */
  canonical: string;
  minutesAt: (instant: number) => number;
}

/** The clock of a zone; null when this browser does not know it. */
function clockOf(name: string): Clock | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return null;
  }
  return {
    canonical: format.resolvedOptions().timeZone,
    minutesAt: (instant) => {
      const part = format.formatToParts(instant).find(({ type }) => type === "timeZoneName");
      const text = part?.value.replace("GMT", "UTC") ?? "";
      return offsetMinutes(text) ?? 0;
    },
  };
}

/**
 * The IANA zones with an offset at an instant, by name. The offset comes from the browser's own data, summer time included;
 * the table has only places and present names (browsers keep old ones like `Asia/Calcutta`).
 */
export function zonesAt(
  minutes: number,
  instant: number,
  places: readonly PlacedZone[],
  known: string[],
): Zone[] {
  const zones = new Map<string, Zone>();
  const seen = new Set<string>();
  const consider = (name: string, place: Zone["place"]) => {
    const clock = clockOf(name);
    if (!clock || (place === null && seen.has(clock.canonical))) return;
    seen.add(clock.canonical);
    if (clock.minutesAt(instant) === minutes) zones.set(name, { name, place });
  };
  for (const [name, x, y] of places) consider(name, { x, y });
  for (const name of known) consider(name, null);
  return [...zones.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
