/**
 * The JSON the collector answers to `/stats`, `/surveys`, `/surveys/export` and `/sites`, as the
 * pages read it. Days are `YYYY-MM-DD` in UTC everywhere.
 */

/** One day of the series: day, page views, visitors, sessions, bot hits, app pings. */
export type SeriesRow = [
  day: string,
  pv: number,
  uv: number,
  sessions: number,
  bot: number,
  app: number,
];

/** Counts by day of one value: offset in days from `from`, count, offset, count, … */
export type DailyCounts = number[];

/** Counters that are kept by the hour; views are in the dimension `hour`. */
export type HourlyCounter = "uv" | "sessions" | "app" | "bot";

/** Offset of a day from `from` in days, then its counts from 00 to 23 UTC. */
export type HoursOfDay = number[];

/** What `GET /stats?from=first&series=1&daily=1` holds beyond its totals. */
export interface StatsAnswer {
  site: string;
  from: string;
  to: string;
  series: SeriesRow[];
  daily: Record<string, Record<string, DailyCounts>>;
  /** What counters counted by the hour; not of days that were counted before this was kept. */
  hours?: Partial<Record<HourlyCounter, HoursOfDay[]>>;
  warnings?: string[];
  pending?: number;
}

/** What `GET /stats?from=…&to=…` holds: a dimension is a table of value → count. */
export interface StatsTotals {
  site: string;
  [dimension: string]: string | number | string[] | Record<string, number>;
}

/** question → option → number of answers */
export type AnswerCounts = Record<string, Record<string, number>>;

export interface SurveyGroup {
  total: number;
  counts: AnswerCounts;
}

export type CrossKey = "os" | "dv" | "v" | "f";

export interface SurveysAnswer {
  site: string;
  sv: number;
  total: number;
  short: number;
  counts: AnswerCounts;
  nps: { score: number | null; answered: number; promoters: number; detractors: number };
  cross: CrossKey;
  groups: Record<string, SurveyGroup>;
  comments: { day: string; c: string }[];
}

export interface ExportPage {
  site: string;
  sv: number;
  responses: Record<string, unknown>[];
  cursor: string | null;
}

export interface SiteEntry {
  id: string;
  host: string | null;
}

export interface ErrorAnswer {
  error: string;
  code: string;
}
