import type { Day } from "../../base/calendar.ts";
import type { SiteKey } from "../counting.ts";
import type { DayCounts } from "./difference.ts";
import type { CopyEnd, Sums } from "./end.ts";

/** What there is of a site, as of one moment. */
export interface Outline {
  /** Ascending; and for how long the data had been in use since each was last counted on, in ms. */
  readonly days: readonly { readonly day: Day; readonly ageMs: number }[];
  /** Counters of days past retention. */
  readonly past: Sums;
}

/** One day of a site, as of one moment. */
export interface SourceDay {
  readonly day: Day;
  /** 32 bytes, which are others as soon as anything else is counted. */
  readonly hash: Uint8Array;
  /** Undefined where the caller knows them by their hash. */
  readonly counts: DayCounts | undefined;
}

export interface CopiedSurvey {
  readonly id: number;
  readonly site: SiteKey;
  readonly version: number;
  readonly day: Day;
  readonly payload: string;
}

/** What copying needs of the database it copies from. */
export interface CopySource extends CopyEnd {
  outline(site: SiteKey): Promise<Outline>;
  /** Those of the days on which there is anything. */
  days(
    site: SiteKey,
    days: readonly Day[],
    isKnown: (day: Day, hash: Uint8Array) => boolean,
  ): Promise<readonly SourceDay[]>;
  /** Ascending ids of the sites' responses after `after`, but those that came from the database `but`. */
  surveyIds(after: number, limit: number, but: string): Promise<readonly number[]>;
  /** Those of them that are there. */
  surveys(ids: readonly number[]): Promise<readonly CopiedSurvey[]>;
  /** How many hits and responses wait for the clock. */
  waiting(): Promise<number>;
}
