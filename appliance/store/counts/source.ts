import type { Day } from "../../base/calendar.ts";
import type { Counter, SiteKey } from "../counting.ts";
import type { IdTable } from "./id-table.ts";

/** At once from a file, later from a server. */
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

/**
 * The first day that a filter can judge, the one after the last where it can judge none; and one in how
 * many views and events is kept for it (1, 2, 4 …).
 */
export interface Detail {
  readonly from: Day;
  readonly sampled: number;
}

/**
 * Called with each value, of which there may be a million: not as objects. `bytes` are those of its
 * text, as UTF-8; `isOther` where that is OTHER.
 */
export type VisitValue = (id: number, dimension: string, bytes: number, isOther: boolean) => void;

/**
 * The counts of an engine, as reports ask for them; all of one moment. What is asked together, before
 * anything is awaited, goes to a server together.
 */
export interface CountsSource {
  /**
   * Visits the counts of each day, ascending by day; a value may come twice on one day. Holds a few
   * days at a time.
   */
  eachDay(days: SiteDays, visit: (day: Day, id: number, n: number) => void): Soon<void>;
  /**
   * Visits what each value was counted as on these days together, and on how many of them, or a few
   * more; a value may come several times. An engine may lack it: then `eachDay` tells.
   */
  eachSum?(days: SiteDays, visit: (id: number, n: number, days: number) => void): Soon<void>;
  /** Visits the values that `ids` has, in any order. */
  eachValue(site: SiteKey, ids: IdTable, visit: VisitValue): Soon<void>;
  /** In the order of their ids. */
  texts(ids: readonly number[]): Soon<string[]>;
  /** All values of a dimension that has few. */
  fewValues(site: SiteKey, dimension: string): Soon<(readonly [id: number, text: string])[]>;
  /** A counter of each site on each day, from the first day on, zeros included. */
  counterByDay(sites: readonly SiteKey[], counter: Counter, from: Day, to: Day): Soon<number[][]>;
  /** Of each day the counts of a dimension whose values are hours, from 00 to 23. */
  byHour(days: readonly SiteDay[], dimension: string): Soon<number[][]>;
  /** The detail of inclusive days, from which on all keep any. */
  detail(days: SiteDays): Soon<Detail>;
  /** The first day with counts; null where there are none. */
  firstDay(site: SiteKey): Soon<Day | null>;
  /** The newest day with views of each site; null where there is none. */
  lastDays(sites: readonly SiteKey[]): Soon<(Day | null)[]>;
  /** How many hits of each site wait for the clock. */
  pending(sites: readonly SiteKey[]): Soon<number[]>;
  /** The views of each site of all time, days past retention included. */
  totals(sites: readonly SiteKey[]): Soon<number[]>;
}
