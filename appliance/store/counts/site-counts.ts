import type { Day } from "../../base/calendar.ts";
import type { Counter, SiteKey } from "../counting.ts";

/** A value, or a promise of it: files answer at once, servers later. */
export type Soon<T> = T | Promise<T>;

/** Inclusive days of a site. */
export interface SiteDays {
  readonly site: SiteKey;
  readonly from: Day;
  readonly to: Day;
}

export interface SiteDay {
  readonly site: SiteKey;
  readonly day: Day;
}

/** The counts of counters, as reports ask for them; all of one moment. */
export interface SiteCounts {
  /** A counter of each site on each day, from the first day on, zeros included. */
  counterByDay(sites: readonly SiteKey[], counter: Counter, from: Day, to: Day): Soon<number[][]>;
  /** The 24 counts of each day, of a dimension whose values are hours. */
  byHour(days: readonly SiteDay[], dimension: string): Soon<number[][]>;
  /** The first day with counts; null where there are none. */
  firstDay(site: SiteKey): Soon<Day | null>;
  /**
   * The newest day with views of each site; null where there is none.
   * @param recent most have one since this day
   */
  lastDays(sites: readonly SiteKey[], recent: Day): Soon<(Day | null)[]>;
  /** The number of hits of each site that wait for the clock. */
  pending(sites: readonly SiteKey[]): Soon<number[]>;
  /** The views of each site of all time, days past retention included. */
  totals(sites: readonly SiteKey[]): Soon<number[]>;
}
