import { DAY_MS, dayOf, formatDay } from "../calendar.ts";

/** A release of more days than these has missed fixes, its own or those of the system below it. */
const OLD_DAYS = 365;

/**
 * A sentence on a release that is more than a year old; undefined for a younger one.
 * @param made the time of the release, in epoch ms
 */
export function oldReleaseText(made: number, now: number): string | undefined {
  const days = Math.floor((now - made) / DAY_MS);
  if (days <= OLD_DAYS) return;
  return `This release is of ${formatDay(dayOf(made))}, more than a year ago. Fixes come with newer ones alone: see docs/updates when you have the time.`;
}
