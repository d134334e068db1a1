/** What copying needs of either database. */

import type { Day } from "../../base/calendar.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import type { Block } from "../blocks/block.ts";
import { decodeBlock } from "../blocks/codec.ts";
import { monthOf } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import type { SurveyLabels } from "../reports.ts";
import type { SiteAlarmsRecord } from "../rows.ts";
import type { Directory, SiteRecord } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import type { BlockPieces } from "../snapshot.ts";

/** Stands for the admin token in the sites that were taken over. */
export const ADMIN_SITE = "";

/** A site with all that its owner has set. */
export interface CopySite extends SiteRecord {
  readonly retired: boolean;
  readonly labels: SurveyLabels;
  readonly alarms: SiteAlarmsRecord | undefined;
}

/** Counts by name, summed over all values. */
export type Sums = ReadonlyMap<string, number>;

/** What a copy cannot do, in a sentence for its owner. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

export interface CopyEnd {
  /** Names this data for good, backups of it included. */
  readonly id: string;
  /** For people: a folder, or an address without its password. */
  readonly name: string;
  /** True where it passes by itself, within moments or once the database is back. */
  isAway(error: unknown): boolean;
  /** What a person is told of it; undefined for what is nobody's doing. */
  problemOf(error: unknown): string | undefined;
  sites(): Promise<readonly CopySite[]>;
  adminHash(): Promise<Uint8Array | null>;
  /** By which days begin; null where nobody has named it. */
  dayZone(): Promise<ZoneSetting | null>;

  // What it remembers of the copies it took, by the id of their source. Both ends are asked, for what
  // came from the other one does not go back.
  /** Site there → site here, which may be erased since. */
  takenSites(source: string): Promise<ReadonlyMap<string, SiteKey>>;
  taken(source: string, site: string): Promise<Taken>;

  // What a comparison looks at.
  /** Of those days, all of one month, on which there is anything. */
  sums(site: SiteKey, days: readonly Day[]): Promise<ReadonlyMap<Day, Sums>>;
  /** Counters of all time, days past retention included. */
  totals(site: SiteKey): Promise<Sums>;
  /** How many responses there are, by `version day`. */
  surveySums(site: SiteKey): Promise<Sums>;
  /** Every day that retention has not dropped. */
  keptDays(): Promise<ReadonlySet<Day>>;

  close(): Promise<void>;
}

/** What was brought of a site before, of all days past retention, and how each other day stood. */
export interface Taken {
  readonly past: Sums;
  /** The state of the source of which all was brought. */
  readonly days: ReadonlyMap<Day, Uint8Array>;
  /** What was brought of some of them. */
  slices(days: readonly Day[]): Promise<ReadonlyMap<Day, Block>>;
}

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
  /** A block of this day only; undefined where the caller knows it by its hash. */
  readonly slice: Block | undefined;
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
  /** Those of the days, all of one month, on which there is anything. */
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

/** What copying needs of the database it copies to. */
export interface CopyTarget extends CopyEnd {
  /** Those of the responses that were not brought yet. */
  missingSurveys(source: string, ids: readonly number[]): Promise<readonly number[]>;
  /** All of it or nothing; `task` may run more than once. */
  transaction<T>(task: (change: Change) => Promise<T>): Promise<T>;
}

/** A day as it is brought. */
export interface BroughtDay {
  readonly day: Day;
  /** For how long the data there had been in use since the day was last counted on, in ms. */
  readonly ageMs: number;
  /** What is to be added to what is there; undefined for nothing. */
  readonly added: BlockPieces | undefined;
  /** All that was brought of the day by then, and the state it brings it to. */
  readonly taken: BlockPieces;
  readonly hash: Uint8Array;
}

/** What is done in one transaction: what was taken from the source is no other's to change meanwhile. */
export interface Change {
  directory(): Promise<Directory>;
  carryOut(changes: readonly SiteChange[]): Promise<void>;
  saveSite(source: string, site: string, key: SiteKey): Promise<void>;
  /** Forgets all that was taken over of a site: here it was erased since. */
  forgetSite(source: string, site: string): Promise<void>;

  taken(source: string, site: string): Promise<Taken>;
  /** Adds days of one month, as far as anything of them is new, and remembers what came. */
  addDays(source: string, site: string, key: SiteKey, days: readonly BroughtDay[]): Promise<void>;
  /** Adds to the counters of all time what no day shows. */
  addPast(site: SiteKey, counters: Sums): Promise<void>;
  /** What was taken of the past by now, in which these days are. */
  savePast(source: string, site: string, past: Sums, gone: readonly Day[]): Promise<void>;
  /** Those that were not brought yet; their `site` is the one here. @returns how many */
  addSurveys(source: string, surveys: readonly CopiedSurvey[]): Promise<number>;
}

/** @throws {RangeError} when it is no slice of a day */
export function sliceIn(row: BlockPieces & { readonly day: Day }): Block {
  return decodeBlock({ ...row, month: monthOf(row.day) });
}
