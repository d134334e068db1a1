import type { Day } from "../../base/calendar.ts";
import {
  type Fitting,
  integerFrom,
  listOf,
  nullable,
  objectOf,
  textUpTo,
} from "../../base/input/schema.ts";
import type { Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import type { BlockPieces } from "../snapshot.ts";

// A place is another Tallydeck whose counts are fetched from here. It answers in units: what is to be written in
// one transaction, and the cursor after it.

/** The most bytes of a cursor: a fleet has a number for each of its nodes. */
export const MAX_CURSOR = 32_768;
/** The most sites of a place, as of any database. */
export const MAX_PLACE_SITES = 10_000;
/** Databases that a place was before: each restore and each failover makes one. */
const MAX_PAST = 256;

const ORIGIN = { type: "string", pattern: "^[0-9a-f]{1,32}$" } as const;

/** The fields of a site of a place. `key`: its number there. */
export const PLACE_SITE_FIELDS = {
  key: integerFrom(1, 2 ** 30),
  id: textUpTo(64),
  host: nullable(textUpTo(255)),
} as const;
const PLACE_SITE = objectOf(PLACE_SITE_FIELDS);

/** The words of a place about itself. */
export const PLACE_HELLO = objectOf(
  {
    /** The origin of what it counts now. */
    origin: ORIGIN as typeof ORIGIN & ReturnType<typeof textUpTo>,
    /** The origins of what it counted before a restore or a failover. */
    past: listOf(textUpTo(32), MAX_PAST),
    /** The zone by which its days begin. */
    zone: textUpTo(64),
    version: textUpTo(64),
    /** The cursor that it answers, hashed: an answer that somebody kept is none to another question. */
    to: textUpTo(64),
  },
  /** All its sites, where they are others than the cursor knew. */
  { sites: listOf(PLACE_SITE, MAX_PLACE_SITES) },
);
export type PlaceHello = Fitting<typeof PLACE_HELLO>;
export type PlaceSite = Fitting<typeof PLACE_SITE>;

/** Days of a site and month, whole: they take the place of these days of their origin, where they count more. */
export interface PlaceMonth {
  readonly origin: string;
  /** Its number at the place. */
  readonly site: SiteKey;
  readonly month: Month;
  /** The milliseconds that the place has run since something was counted on a day. */
  readonly ages: readonly (readonly [day: Day, ms: number])[];
  readonly pieces: BlockPieces;
}

/** A response to a survey. */
export interface PlaceSurvey {
  readonly origin: string;
  readonly number: number;
  readonly site: SiteKey;
  readonly version: number;
  readonly day: Day;
  /** JSON. */
  readonly payload: string;
}

/** The answer of a place: all of it, or nothing, moves the cursor. */
export interface PlaceUnit {
  readonly hello: Omit<PlaceHello, "version">;
  /** Batches of the log of the present origin, dated, whose sites are those of the place. */
  readonly log: readonly Uint8Array[];
  readonly days: readonly PlaceMonth[];
  readonly surveys: readonly PlaceSurvey[];
  /** The cursor after it, opaque to who asks. */
  readonly until: string;
}
