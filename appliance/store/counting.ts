import type { Clock } from "../base/clock.ts";
import type { DayZone } from "../base/day-zone.ts";

/** Counters, bounds, and batches of hits for the database. They are plain data, which is sent to a worker. */

/** Counters are dimensions with the only value `_`, but for `bot`, which has `ua` and `synthetic`. */
export const COUNTERS = ["pv", "uv", "sessions", "bounce", "engaged", "bot", "app"] as const;
export type Counter = (typeof COUNTERS)[number];

/** Counters that are also kept by the hour, in dimensions of their own; views are in `hour`. */
export const HOURLY_COUNTERS = ["uv", "sessions", "engaged", "app", "bot"] as const;

/** The dimension of a counter by hour: `00`–`23`. No breakdown shows it. */
export function hourDimension(counter: (typeof HOURLY_COUNTERS)[number]): string {
  return `${counter}_hour`;
}

/** A site keeps at most this many distinct values per dimension and day; see OTHER. */
export const MAX_VALUES_PER_DAY = 2_000;

/** And over all days: beyond it, upkeep counts the rarest of past days as OTHER. */
export const MAX_VALUES = 20_000;

/** The same in bytes of UTF-8, for a value may take 512 of them. */
export const MAX_TEXT_BYTES_PER_DAY = 1_048_576;
export const MAX_TEXT_BYTES = 2 * MAX_TEXT_BYTES_PER_DAY;

/** A site's number in the database, which is never used again after the site is erased. */
export type SiteKey = number;

/** The number for sites that do not exist; see nobody.ts. So are numbers below zero. */
export const NOBODY: SiteKey = 0;

/** A site takes at most this many survey responses a day. */
export const MAX_SURVEYS_PER_DAY = 5_000;

/**
 * The time of a hit: the hour since 1970 in the zone of days (DayZone), or, while the clock is unsure, the facts for
 * dating it later.
 */
export type Stamp =
  | { readonly hour: number }
  | { readonly boot: string; readonly at: number; readonly savedClock: number };

/** A stamp by its hour, once the clock is sure of it. @param stamp of this boot */
export function datedStamp(stamp: Stamp, clock: Clock, zone: DayZone): Stamp {
  if ("hour" in stamp || !clock.sure) return stamp;
  return { hour: zone.hourAt(clock.now() - clock.monotonic() + stamp.at) };
}

export interface SurveyRow {
  readonly site: SiteKey;
  readonly stamp: Stamp;
  readonly version: number;
  /** The validated payload as JSON. */
  readonly payload: string;
}

/** A batch of a sender that may send it again, not knowing whether it was counted. */
export interface OnceBatch {
  readonly site: SiteKey;
  /** The hash of the name that its sender gave it, see `onceHash` of `intake/once`. */
  readonly hash: string;
}

/** The contents of one transaction. */
export interface BatchData {
  /** Hits, as batches of the log: see `log/batch`. */
  readonly log: readonly Uint8Array[];
  /** The number of hits. */
  readonly hits: number;
  readonly surveys: readonly SurveyRow[];
  /** Take in no value that the database does not hold yet. */
  readonly lowSpace: boolean;
  /** Only unless this was counted before: then nothing of the batch is. */
  readonly once?: OnceBatch | undefined;
}
