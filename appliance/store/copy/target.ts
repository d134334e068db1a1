import type { Day } from "../../base/calendar.ts";
import type { SiteKey } from "../counting.ts";
import type { Directory } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import type { DayCounts } from "./difference.ts";
import type { CopyEnd, Sums } from "./end.ts";
import type { CopiedSurvey } from "./source.ts";
import type { Taken } from "./taken.ts";

/** Counts to be added to what is there of a day. */
export interface AddedDay {
  readonly day: Day;
  /** For how long the data there had been in use since the day was last counted on, in ms. */
  readonly ageMs: number;
  readonly counts: DayCounts;
}

/** What copying needs of the database it copies to. */
export interface CopyTarget extends CopyEnd {
  /** Those of the responses that were not brought yet. */
  missingSurveys(source: string, ids: readonly number[]): Promise<readonly number[]>;
  /** All of it or nothing; `task` may run more than once. */
  transaction<T>(task: (change: Change) => Promise<T>): Promise<T>;
}

/** What is done in one transaction: what was taken from the source is no other's to change meanwhile. */
export interface Change {
  directory(): Promise<Directory>;
  carryOut(changes: readonly SiteChange[]): Promise<void>;
  saveSite(source: string, site: string, key: SiteKey): Promise<void>;
  /** Forgets all that was taken over of a site: here it was erased since. */
  forgetSite(source: string, site: string): Promise<void>;

  taken(source: string, site: string, days: readonly Day[]): Promise<ReadonlyMap<Day, DayCounts>>;
  saveTaken(source: string, site: string, days: ReadonlyMap<Day, Taken>): Promise<void>;
  forgetTaken(source: string, site: string, days: readonly Day[]): Promise<void>;

  count(site: SiteKey, days: readonly AddedDay[]): Promise<void>;
  /** Adds to the counters of all time what no day shows. */
  addPast(site: SiteKey, counters: Sums): Promise<void>;
  /** Those that were not brought yet; their `site` is the one here. @returns how many */
  addSurveys(source: string, surveys: readonly CopiedSurvey[]): Promise<number>;
}
