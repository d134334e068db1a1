import { invalidField } from "../../base/refusal.ts";

/** The times at which a deck sleeps. */
export interface SleepSettings {
  /** The minutes without a press before sleep; null for never. */
  afterMinutes: number | null;
  /** The hours of night in the box's zone, `HH:MM`; `to` may be on the next day. Null for none. */
  night: { from: string; to: string } | null;
}

export const NEVER: SleepSettings = { afterMinutes: null, night: null };

const MAX_MINUTES = 1_440;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/**
 * @param at where the settings were found
 * @throws {Refusal} `invalid_field`
 */
export function readSleep({ afterMinutes, night }: SleepSettings, at: string): SleepSettings {
  const isMinutes =
    afterMinutes === null ||
    (Number.isInteger(afterMinutes) && afterMinutes >= 1 && afterMinutes <= MAX_MINUTES);
  if (!isMinutes) {
    throw invalidField(
      `${at}.afterMinutes`,
      `must be a whole number of minutes from 1 to ${MAX_MINUTES}, or null.`,
    );
  }
  if (night === null) return { afterMinutes, night };
  for (const end of ["from", "to"] as const) {
    if (!TIME.test(night[end]))
      throw invalidField(`${at}.night.${end}`, "must be a time as 22:30.");
  }
  if (night.from === night.to)
    throw invalidField(`${at}.night.to`, "must be another time than that from which it is night.");
  return { afterMinutes, night };
}
