/** A UTC day as the number of days since 1970-01-01: what the database stores. */
export type Day = number;

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function dayOf(epochMs: number): Day {
  return Math.floor(epochMs / DAY_MS);
}

/** `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day `text` names, or undefined when it is no `YYYY-MM-DD` or no day of the calendar. */
export function parseDay(text: string): Day | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = dayOf(Date.parse(`${text}T00:00:00Z`));
  return Number.isNaN(day) || formatDay(day) !== text ? undefined : day;
}

/** `00`–`23`, UTC. */
export function hourOf(epochMs: number): string {
  return String(Math.floor(epochMs / HOUR_MS) % 24).padStart(2, "0");
}

/** `<0-6>-<00-23>`, UTC, 0 = Sunday. */
export function dowhourOf(epochMs: number): string {
  // 1970-01-01 was a Thursday.
  return `${(dayOf(epochMs) + 4) % 7}-${hourOf(epochMs)}`;
}
