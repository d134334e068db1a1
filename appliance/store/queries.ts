/** The shapes of questions. Days are inclusive, and numbers of days since 1970. */

import type { Day } from "../base/calendar.ts";
import type { Compared } from "../base/comparison.ts";
import type { ZoneSetting } from "../base/day-zone.ts";
import type { Condition } from "../base/text/condition.ts";
import type { CountsOf } from "../base/text/dimensions.ts";
import type { Goal } from "../base/text/goals.ts";
import type { HOURLY_COUNTERS, SiteKey } from "./counting.ts";
import type { Accepts } from "./reads/answer.ts";
import type { CrossField, DailyForm, Warning } from "./reports.ts";
import type { SourceNumber } from "./snapshot.ts";

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
  /** Whether it has the saved views of the site; no unless given. */
  readonly tellsViews?: boolean;
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
  /** Days for which counts are kept that every home of this place has; as long as others unless given. */
  readonly placeKeepDays?: number | undefined;
  /** The bytes that detail may take. */
  readonly maxDetailBytes: number;
  /** Values that a dictionary lacks count as OTHER. */
  readonly lowSpace: boolean;
  /** Whether it is the first question of a run, which handles only batches that are in the log by now. */
  readonly isFirst: boolean;
  /** A shared log is settled once it has so many bytes. */
  readonly minBytes: number;
  /** Node → the number of its log up to which it is settled, others not at all; undefined settles all. */
  readonly upTo?: ReadonlyMap<number, number> | undefined;
}

/** A question, and the form that its asker takes the answer in. */
export interface Asked<Q> {
  readonly query: Q;
  readonly accepts: Accepts;
}
