/** Every question to an engine, by name. Days are inclusive, and numbers of days since 1970. */

import type { Day } from "../base/calendar.ts";
import type { Compared } from "../base/comparison.ts";
import type { ZoneSetting } from "../base/day-zone.ts";
import type { Condition } from "../base/text/condition.ts";
import type { CountsOf } from "../base/text/dimensions.ts";
import type { Goal } from "../base/text/goals.ts";
import type { Month } from "./blocks/month.ts";
import type { DocumentRow } from "./changes.ts";
import type { HOURLY_COUNTERS, SiteKey } from "./counting.ts";
import type { SiteDays } from "./counts/source.ts";
import type { BlockThen, SourceDays } from "./imports/imports.ts";
import type { SurveyOfSite } from "./imports/whole.ts";
import type { Accepts, Answer } from "./reads/answer.ts";
import type { CrossField, DailyForm, Gap, SiteAlarmsRecord, Warning } from "./reports.ts";
import type { BlockKey, BlockPieces, Settlement, SourceNumber } from "./snapshot.ts";
import type { SourceRow, SourceSize } from "./sources.ts";

/** The longest range of `stats`, in days. */
export const MAX_RANGE_DAYS = 4_000;

/** The selection of views and events, and the kind of counts. */
export interface Filter {
  /** The kind of counts that values have, where they have it; see `countsOf`. */
  readonly of: CountsOf;
  /** The conditions that a view or an event has to meet; where there is any, only days that keep detail count. */
  readonly where: readonly Condition[];
}

/**
 * `from: "first"` is the first day with data up to `to`, or `to` where there is none; never further
 * back than MAX_RANGE_DAYS.
 */
export interface StatsQuery extends Filter {
  readonly site: SiteKey;
  readonly id: string;
  readonly from: Day | "first";
  readonly to: Day;
  /** Answer `{site, day}` rather than `{site, from, to}`. */
  readonly single: boolean;
  readonly series: boolean;
  /** The form of the counts by day; undefined for none. */
  readonly daily: DailyForm | undefined;
  /** Whether pages come with the sessions that began with them; no unless given. */
  readonly entry?: boolean;
  /** The conditions among those of `where` that a shared link has: the asker sees nothing beyond them. */
  readonly bound?: readonly Condition[];
  /** The first day that keeps detail; Infinity for none. */
  readonly detailFrom: Day;
  /** The only source that counts; all of them where it is undefined. */
  readonly source?: SourceNumber | undefined;
  /** Adds the sources of the site to the answer, with or without the names of copies. */
  readonly tellsSources?: "named" | "numbered";
  /** Whether the answer tells if the site has any survey response; no unless given. */
  readonly tellsSurveys?: boolean;
  /** The zone by which days begin. */
  readonly zone: string;
  /** The first day that begins by that zone, and the zone before; undefined where it always was. */
  readonly zoneChange?: { readonly from: Day; readonly before: string } | undefined;
  readonly warnings: readonly Warning[];
  /** Views of the last five minutes, for a range that ends today. */
  readonly live?: number | undefined;
}

/** Counts of reached goals, among all counts or the ones that meet conditions. */
export interface GoalsQuery
  extends Pick<StatsQuery, "site" | "id" | "detailFrom" | "zone" | "where" | "source" | "bound"> {
  readonly from: Day | "first";
  readonly to: Day;
  readonly goals: readonly Goal[];
  /**
   * Whether goals that were not reached are left out, since their names would tell what is beyond a shared part; no unless
   * given.
   */
  readonly onlyReached?: boolean;
}

export interface OverviewQuery {
  readonly sites: readonly {
    readonly key: SiteKey;
    readonly id: string;
    /** Views of the last five minutes. */
    readonly live: number;
  }[];
  readonly today: Day;
  /** Hour of the day, 0–23. */
  readonly hour: number;
  /** The zone by which days begin. */
  readonly zone: string;
  readonly warnings: readonly Warning[];
}

/** A counter over the days that end today. */
export interface LiveNumbersQuery {
  readonly site: SiteKey;
  readonly counter: "pv" | (typeof HOURLY_COUNTERS)[number];
  readonly days: number;
  readonly today: Day;
  /** Hour of the day, 0–23. */
  readonly hour: number;
}

/** The numbers of a counter that a key shows. */
export interface LiveNumbers {
  readonly value: number;
  /** Counts against the period before, see base/comparison; null where nothing stands against it. */
  readonly compared: Compared | null;
  /** Views by hour for a day, up to now; otherwise by day, at least a week. The oldest is first. */
  readonly series: readonly number[];
}

/** The range of responses; null leaves that end open. */
export interface SurveyFilter {
  readonly site: SiteKey;
  readonly version: number;
  readonly from: Day | null;
  readonly to: Day | null;
}

/** The end of a page of the export. */
export interface SurveyPosition {
  readonly day: Day;
  readonly row: number;
}

export interface SurveyQuery {
  readonly id: string;
  readonly filter: SurveyFilter;
  readonly cross: CrossField;
}

export interface SurveyPageQuery {
  readonly id: string;
  readonly filter: SurveyFilter;
  readonly after: SurveyPosition | null;
  /** 32 bytes that seal the cursor. */
  readonly secret: Uint8Array;
}

export interface VersionsQuery {
  readonly site: SiteKey;
  readonly id: string;
}

/** The time, as upkeep needs it. */
export interface UpkeepTime {
  readonly boot: string;
  /** Epoch ms at monotonic zero; null while the clock is unsure. */
  readonly bootedAt: number | null;
  readonly today: Day;
  /** The zone by which days begin; UTC unless given. */
  readonly zone?: ZoneSetting;
  readonly retentionDays: number;
}

/** The question for the next settlement, with the facts beside the data. */
export interface SettlementQuery extends UpkeepTime {
  /** Days for which detail is kept; 0 for none. */
  readonly detailDays: number;
  /** The bytes that detail may take. */
  readonly maxDetailBytes: number;
  /** Values that a dictionary lacks count as OTHER. */
  readonly lowSpace: boolean;
  /** Whether it is the first question of a run, which handles only batches that are in the log by now. */
  readonly isFirst: boolean;
  /** A shared log is settled once it has so many bytes. */
  readonly minBytes: number;
}

interface Asked<Q> {
  readonly query: Q;
  readonly accepts: Accepts;
}

/** Questions to the numbers: to the fleet's, where there is one. */
interface FleetQueries {
  /** The body of `/stats`. */
  stats(input: Asked<StatsQuery>): Answer;
  /** The body of `/goals`. */
  goals(input: Asked<GoalsQuery>): Answer;
  /** The body of `/overview`. */
  overview(input: Asked<OverviewQuery>): Answer;
  /** Page views of some days, and of all time, days past retention included. */
  viewCounts(input: SiteDays): { window: number; total: number };
  /** The period that runs stands against the same part of the one before. */
  liveNumbers(input: LiveNumbersQuery): LiveNumbers;
  /** Views by hour from 00 of the first day on; and sessions by day. */
  hourlyViews(input: SiteDays): { hours: number[]; sessions: number[] };
  /** The activity of sites for their owner, of as many as an overview has. */
  siteActivity(input: {
    readonly sites: readonly { readonly key: SiteKey; readonly id: string }[];
    readonly today: Day;
  }): { id: string; week: number[]; total: number; last: string | null }[];
  /** The body of `/surveys`. */
  surveySummary(input: Asked<SurveyQuery>): Answer;
  /** The body of `/surveys/export`: the responses after `after`, oldest first. */
  surveyPage(input: Asked<SurveyPageQuery>): Answer;
  /** The body of `/surveys/versions`. */
  surveyVersions(input: Asked<VersionsQuery>): Answer;
  /** The document of a kind that a site has, as JSON; null where it has none. */
  ofSite(input: { readonly site: SiteKey; readonly kind: string }): string | null;
  /** The documents of a kind that sites have, as JSON. */
  ofSites(input: { readonly kind: string }): { site: SiteKey; body: string }[];
  /** Sources of counts; the first one is that of counts made here now. */
  sources(input: undefined): SourceRow[];
  /** The sources of a site with the sums of their days. */
  sourceDays(input: { readonly site: SiteKey }): SourceDays[];
  blockOfSource(input: Omit<BlockKey, "part">): BlockThen;
  /** The months of a site with content, ascending. */
  monthsOfSite(input: { readonly site: SiteKey }): Month[];
  /** A month of a site, of all sources, as one block; null for none. */
  monthOfSite(input: { readonly site: SiteKey; readonly month: Month }): BlockPieces | null;
  /** The responses of a site after an id, in their order. */
  surveysOfSite(input: {
    readonly site: SiteKey;
    readonly after: number;
    readonly limit: number;
  }): SurveyOfSite[];
  /** Counters of days that are no longer kept. */
  pastOfSite(input: { readonly site: SiteKey }): Record<string, number>;
  /** The days of a site of which an import does not know some counters. */
  gapsOfSite(input: SiteDays): Gap[];
  /** The size of each source. */
  sourceSizes(input: undefined): SourceSize[];
  /** The alarms of every site that has some. */
  siteAlarms(input: undefined): SiteAlarmsRecord[];
  /** The sites of these that have numbers or responses. */
  counting(input: { readonly sites: readonly SiteKey[] }): SiteKey[];
}

/** Questions to the data that belongs to this box. */
interface LocalQueries {
  /** Sites by the size of their blocks here, the largest first; none where the numbers are elsewhere. */
  largestSites(input: { readonly limit: number }): { key: SiteKey; id: string }[];
  /** All documents of a kind, oldest first. */
  documents(input: { readonly kind: string }): DocumentRow[];
  /** The file of a document; null where there is none. */
  documentFile(input: { readonly kind: string; readonly id: string }): Uint8Array | null;
}

/** Questions of upkeep, to each place that has numbers. */
interface UpkeepQueries {
  /** The next step with the log and the blocks; null when nothing is due. */
  settlement(input: SettlementQuery): Settlement | null;
}

type Queries = FleetQueries & LocalQueries & UpkeepQueries;
export type FleetQueryName = keyof FleetQueries;
export type LocalQueryName = keyof LocalQueries;
export type QueryName = keyof Queries;
export type QueryInput<Q extends QueryName> = Parameters<Queries[Q]>[0];
export type QueryResult<Q extends QueryName> = ReturnType<Queries[Q]>;
