import { COUNTABLE } from "../../base/bounds.ts";
import type { Dimension } from "../../base/text/dimensions.ts";
import type { SiteKey } from "../counting.ts";

export { DIMENSIONS, type Dimension } from "../../base/text/dimensions.ts";
/** The most dimensions, later releases included. */
export const MAX_DIMENSIONS = 62;

/** The largest number that an event carries, and the least below zero, in thousandths. */
const MAX_EVENT_VALUE: number = COUNTABLE.ofHour;

/** The number of thousandths that the text of an `event_value` is; undefined where it is none. */
export function readEventValue(text: string): number | undefined {
  const value = /^-?[1-9]\d{0,12}$/.test(text) ? Number(text) : Number.NaN;
  return Math.abs(value) <= MAX_EVENT_VALUE ? value : undefined;
}

/** The kinds of requests. Logs keep places in this list, as above. */
export const KINDS = ["view", "event", "interaction", "ping", "crawler", "synthetic"] as const;
type Kind = (typeof KINDS)[number];

/** The marks of a view about its visitor, as bits. */
export const FLAG = {
  /** The first view of the day in this browser. */
  visitor: 1,
  /** A session begins with it. */
  session: 2,
  /** The session before had exactly one view. */
  bounce: 4,
  /** The second view of its session. */
  engaged: 8,
  /** The first view of this path on this day in this browser. */
  pathVisitor: 16,
} as const;
/** A mask of all bits. */
export const FLAGS = 31;

/**
 * The mark of an event that tells how a page was read, and has no name. To releases from before such events, one that
 * carries a visitor's mark is an event that counts nothing.
 */
export const READING = FLAG.visitor;

/** The most values of a dimension that a hit has: devices of a ping, properties of an event; one of any other. */
export function mostValues(dimension: Dimension): number {
  return dimension === "app_device" || dimension === "event_prop" ? 8 : 1;
}

/** The record of one request, or of several that are alike. */
export interface HitRecord {
  readonly site: SiteKey;
  readonly kind: Kind;
  readonly flags: number;
  /**
   * In a dated batch, the hour in the owner's zone, counted from midnight of 1970-01-01 there;
   * in an undated one, whole seconds of monotonic time.
   */
  readonly moment: number;
  /** The number of requests: equal ones of a batch are one record. */
  readonly times: number;
  /** As many of a dimension as `mostValues` has; `event_value` is a whole number of thousandths. */
  readonly values: readonly (readonly [Dimension, string])[];
}

/** The hit of one request, before it is known of which site and when. */
export type Hit = Pick<HitRecord, "kind" | "flags" | "values">;

/** The hits of hours of one site, as batches of the log. */
export interface EncodedHits {
  readonly site: SiteKey;
  readonly log: readonly Uint8Array[];
  readonly hits: number;
}

/**
 * Facts for dating the records of a batch later, since the clock was not sure.
 */
export interface Undated {
  readonly boot: string;
  /** Epoch milliseconds at monotonic zero, by the clock that was saved. */
  readonly savedZero: number;
}
