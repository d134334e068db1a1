/** The answers that the reader makes for the collector. Days are `YYYY-MM-DD`. */

import type { SavedView } from "../base/input/selection.ts";
import type { Goal } from "../base/text/goals.ts";
import type { SourceKind } from "../base/text/source-name.ts";
import type { Warning } from "../base/text/warnings.ts";

export type { Warning };

import { COUNTERS, type HOURLY_COUNTERS, type SiteKey } from "./counting.ts";

/** One day of the series: day, page views, visitors, sessions, bot hits, app pings. */
export type SeriesRow = [
  day: string,
  pv: number,
  uv: number,
  sessions: number,
  bot: number,
  app: number,
];

/**
 * The form of a value's counts by day. Offsets: offset in days from `from`, count, offset, count, … Text: a
 * character for each day from `from` on: `1` to `9` and `a` to `z` are 1 to 35, higher counts are in brackets, and
 * `A` to `Z` skip 1 to 26 days. `B3a(40)` is two days without counts, then 3, 10 and 40.
 */
export type DailyForm = "offsets" | "text";

/** Counters that are kept by the hour; views are in the dimension `hour`, unless that is of something else. */
type HourlyCounter = "pv" | (typeof HOURLY_COUNTERS)[number];

/** Offset of a day from `from` in days, then its counts from 00 to 23. */
export type HoursOfDay = number[];

/** Counts by the hour; none of days that were counted before these were kept. */
export type HourlyCounts = Partial<Record<HourlyCounter, HoursOfDay[]>>;

/** A source of counts and responses. */
export interface SiteSource {
  readonly number: number;
  /** `now`: counted here; `here`: counted here before a restore or a failover; `copy`: copied; `import`: of a file. */
  readonly kind: SourceKind;
  /** The name of a copy or a file says where it is, so not every reader gets it. */
  readonly name?: string;
  /** The first day with counts of it, where the site has several sources. */
  readonly from?: string;
}

/** Another zone of days, in force from a day on. */
interface ZoneChange {
  readonly from: string;
  /** The zone before, an IANA name. */
  readonly before: string;
}

/** The fields of every answer of `/stats` besides its dimensions. */
export interface StatsHead {
  site: string;
  /** The day, for a question about one; otherwise the range. */
  day?: string;
  from?: string;
  to?: string;
  /** The zone by which days begin, an IANA name. */
  zone: string;
  /** Where the zone has changed within the range. */
  zoneChange?: ZoneChange;
  warnings?: Warning[];
  /** Hits that wait for the clock. */
  pending?: number;
  /** Views of the last five minutes, where the range ends today. */
  live?: number;
  /** Sources with counts of the site, where the question asks for them. */
  sources?: SiteSource[];
  /** The number of the source, for a question about one. */
  only?: number;
  /** Whether the site has any survey response, where the question asks for it. */
  surveys?: boolean;
  /** The saved views of the site, where the question asks for them. */
  views?: SavedView[];
  series?: SeriesRow[];
  detail?: DetailAnswer;
  /** The conditions that a shared link adds to every question. */
  bound?: readonly string[];
  /** Days of which an import does not know everything: what it does not know is no zero. */
  gaps?: Gap[];
}

/**
 * The things that a source may not know of a day: counters, first touches, counts by the hour, and how long and how far pages were
 * read.
 */
export const LACKS = [...COUNTERS, "hi", "hours", "time"] as const;
export type Lack = (typeof LACKS)[number];

/** Days, both ends included, of which their source does not know these. */
export interface Gap {
  from: string;
  to: string;
  lacks: readonly Lack[];
}

/** The days and the sampling of counts that were filtered. */
export interface DetailAnswer {
  /** The first day with detail, from which on the filter counts; null where there is none. */
  from: string | null;
  /** The sampling rate: one in so many views was kept, drawn at random. 1, 2, 4, 8 … Counts are scaled. */
  sampled: number;
  /** The error of `pv` due to sampling, which holds in 19 of 20 cases. */
  margin?: number;
}

/** The fields of `GET /stats?from=first&series=1&daily=text` beyond its totals. */
export interface StatsAnswer extends StatsHead {
  from: string;
  to: string;
  series: SeriesRow[];
  daily: Record<string, Record<string, string>>;
  hours?: HourlyCounts;
}

/** The fields of a filter, or of a range. */
type Filtered = "detail" | "bound" | "zoneChange";

/** The body of `GET /stats` without a filter: a dimension is a table of value → count. */
export interface StatsTotals {
  site: string;
  [dimension: string]:
    | Omit<StatsHead, Filtered>[keyof Omit<StatsHead, Filtered>]
    | Record<string, number>;
}

/** The views of a site in `GET /overview`. */
export interface SiteWeek {
  id: string;
  /** Views of the last five minutes. */
  live: number;
  /** Views of each of seven days, the last of which is today. */
  week: number[];
  /** Views of yesterday up to the present hour; null where that is not known. */
  before: number | null;
  /** The time of the newest count, to the hour (`2026-03-04T12`) or the day; null for none. */
  last: string | null;
  /** Hits that wait for the clock. */
  pending?: number;
}

/** The body of `/overview`. */
export interface OverviewAnswer {
  /** The last day of the weeks. */
  to: string;
  /** The zone by which days begin, an IANA name. */
  zone: string;
  warnings?: Warning[];
  /** The site with the most views of the week first. */
  sites: SiteWeek[];
  /** The number of further sites. */
  left?: number;
}

/** The fields that survey responses are grouped by: OS, model, app version, or form. */
export const CROSS_FIELDS = ["os", "dv", "v", "f"] as const;
export type CrossField = (typeof CROSS_FIELDS)[number];

/** Question → option → number of answers. */
type AnswerCounts = Record<string, Record<string, number>>;

interface SurveyGroup {
  total: number;
  counts: AnswerCounts;
}

/** The body of `/surveys`. */
export interface SurveysAnswer {
  site: string;
  sv: number;
  total: number;
  short: number;
  counts: AnswerCounts;
  nps: { score: number | null; answered: number; promoters: number; detractors: number };
  cross: CrossField;
  groups: Record<string, SurveyGroup>;
  comments: { day: string; c: string }[];
}

/** The names of a question and its options; ids stand where there is none. */
interface QuestionLabels {
  name?: string;
  /** Option id → name. */
  options?: Record<string, string>;
}

/** The answer of `GET /goals`. */
export interface GoalsAnswer {
  site: string;
  from: string;
  to: string;
  zone: string;
  /** The days with detail, as in StatsAnswer; only with conditions. */
  detail?: Pick<DetailAnswer, "from" | "sampled">;
  /**
   * Goals in the order of their owner; `daily` from the first day on, zeros included. Of those with a unit, `sums` are the sums
   * of the numbers that their events carry, by day, in thousandths.
   */
  goals: readonly (Goal & {
    readonly daily: readonly number[];
    readonly sums?: readonly number[];
  })[];
}

/** The owner's names for questions: version → question id → labels. */
export type SurveyLabels = Record<string, Record<string, QuestionLabels>>;

/** The body of `/surveys/versions`. */
export interface SurveyVersions {
  site: string;
  /** Versions with responses, the newest first: their number, and the day of the last one. */
  versions: { sv: number; total: number; last: string }[];
  labels: SurveyLabels;
}

/** The alarms of a site that are on, and the URL to notify, or null. */
export interface SiteAlarms {
  silence: boolean;
  rush: boolean;
  webhook: string | null;
}

/** The alarms of a site that are on, and since when each stands; null where it does not. */
export interface SiteAlarmsRecord extends SiteAlarms {
  readonly site: SiteKey;
  readonly silenceSince: number | null;
  readonly rushSince: number | null;
}

/** A survey response as it is stored: validated, and without anything that was off its shape. */
export interface SurveyPayload {
  sv: number;
  v?: string;
  os?: string;
  ov?: string;
  /** Model ids, comma separated. */
  dv?: string;
  a?: Record<string, string | string[]>;
  c?: string;
  f?: "short";
}

/** The body of `/surveys/export`. */
export interface ExportPage {
  site: string;
  sv: number;
  responses: (SurveyPayload & { day: string })[];
  /** The beginning of the next page; null on the last. */
  cursor: string | null;
}
