import { type Day, HOUR_MS, weekdayOf } from "../../base/calendar.ts";
import { DayZone } from "../../base/day-zone.ts";

/** The counts of a site, by hour and by day. */
interface SiteHistory {
  /** The first day. */
  readonly from: Day;
  /** Views by hour, from 00 of the first day up to the present hour. */
  readonly hours: readonly number[];
  /** Sessions of the same days together. */
  readonly sessions: number;
}

/** The usual views of a site in the hours of a week. */
export interface Baseline {
  /** Views of each hour of the week from Sunday 00 on. */
  readonly week: readonly number[];
  /** The clock that shows these hours; UTC's unless given. */
  readonly zone?: Pick<DayZone, "wall" | "hourAt">;
  /** Views of one visit, on the average. */
  readonly visitSize: number;
  /** The variance of the level of hours, where 1 is the usual level. */
  readonly spread: number;
}

const HOURS = 24;
const WEEK_HOURS = 7 * HOURS;
/** Days of the past that a baseline is made of. */
export const BASELINE_DAYS = 56;
/** Fewer say nothing about a week. */
const FEWEST_DAYS = 21;
/** The fewest days of each weekday. */
const FEWEST_OF_A_WEEKDAY = 2;
/** A site with fewer views a week has no hours to speak of. */
const FEWEST_VIEWS_A_WEEK = 20;
/** The weight of a week, relative to the week after it. */
const WEIGHT_OF_A_WEEK_BEFORE = 0.85;
/** A day above so many times the median of its weekday counts as exactly that: something special has happened. */
const LOUD = 2;
/** A day below this part of the median was an outage, of the site or of the box: it does not count. */
const DEAF = 0.25;
/** Smaller medians make no outage of a day without views. */
const SURE_MEDIAN = 12;
const LOUD_AT_LEAST = 20;
/** The limits of a trend, by the last seven days. */
const TREND = { least: 0.5, most: 2, days: 7 };
/** Views of one visit where sessions are not counted, as with storage off. */
const UNKNOWN_VISIT = 3;
const LARGEST_VISIT = 10;
/** The least variance of hours: they differ by 15 in 100. */
const LEAST_SPREAD = 0.15 ** 2;
const MOST_SPREAD = 1;

interface PastDay {
  readonly day: Day;
  readonly weekday: number;
  readonly hours: readonly number[];
  readonly total: number;
}

/**
 * The baseline by the whole days before `today`; undefined while they are too few, or the views are.
 */
export function baselineOf(history: SiteHistory, today: Day, zone?: DayZone): Baseline | undefined {
  const days = usualDays(pastDays(history, today));
  const means = meansOf(days, today);
  if (days.length < FEWEST_DAYS || means === undefined) return undefined;
  const expected = days.map(({ weekday }) => sum(means[weekday] ?? []));
  const visitSize = visitSizeOf(history);
  const trend = trendOf(days, expected, visitSize);
  const week = means.flat().map((views) => views * trend);
  if (sum(week) < FEWEST_VIEWS_A_WEEK) return undefined;
  const spread = spreadOf(days, means, visitSize);
  return { week, visitSize, spread, ...(zone && { zone }) };
}

/** The clock of a baseline, or of hours that have their names already. */
export const UTC = new DayZone();

/** Views that are usual between two moments (epoch ms). */
export function usualViews(
  { week, zone = UTC }: Pick<Baseline, "week" | "zone">,
  from: number,
  to: number,
): number {
  const weeks = Math.max(0, Math.floor((to - from) / (WEEK_HOURS * HOUR_MS)));
  let views = weeks * sum(week);
  for (let at = from + weeks * WEEK_HOURS * HOUR_MS; at < to; ) {
    const wall = zone.wall(at);
    const hour = Math.floor(wall / HOUR_MS);
    const end = Math.min(to, at + (hour + 1) * HOUR_MS - wall);
    views += ((week[hourOfWeek(hour)] ?? 0) * (end - at)) / HOUR_MS;
    at = end;
  }
  return views;
}

/** @param hour hours since 1970 */
function hourOfWeek(hour: number): number {
  return weekdayOf(Math.floor(hour / HOURS)) * HOURS + (((hour % HOURS) + HOURS) % HOURS);
}

/** The days that are over, from the second one with a view on: the first began somewhere in it. */
function pastDays({ from, hours }: SiteHistory, today: Day): PastDay[] {
  const days: PastDay[] = [];
  for (let day = from; day < today; day++) {
    const of = hours.slice((day - from) * HOURS, (day - from + 1) * HOURS);
    if (of.length === HOURS) days.push({ day, weekday: weekdayOf(day), hours: of, total: sum(of) });
  }
  const first = days.findIndex(({ total }) => total > 0);
  return first < 0 ? [] : days.slice(first + 1);
}

/** Leaves out outages, and lowers loud days to the loudest usual level. */
function usualDays(days: readonly PastDay[]): PastDay[] {
  const medians = Array.from({ length: 7 }, (_, weekday) =>
    medianOf(days.filter((day) => day.weekday === weekday).map(({ total }) => total)),
  );
  return days.flatMap((day) => {
    const median = medians[day.weekday] ?? 0;
    if (median >= SURE_MEDIAN && day.total < DEAF * median) return [];
    const most = Math.max(LOUD * median, LOUD_AT_LEAST);
    if (day.total <= most) return [day];
    const hours = day.hours.map((views) => (views * most) / day.total);
    return [{ ...day, hours, total: most }];
  });
}

/** The mean of each hour by weekday; undefined where a weekday is hardly known. */
function meansOf(days: readonly PastDay[], today: Day): number[][] | undefined {
  const means: number[][] = [];
  for (let weekday = 0; weekday < 7; weekday++) {
    const known = days.filter((day) => day.weekday === weekday);
    if (known.length < FEWEST_OF_A_WEEKDAY) return undefined;
    const weights = known.map(
      ({ day }) => WEIGHT_OF_A_WEEK_BEFORE ** Math.floor((today - day - 1) / 7),
    );
    const all = sum(weights);
    means.push(
      Array.from(
        { length: HOURS },
        (_, hour) => sum(known.map(({ hours }, i) => (hours[hour] ?? 0) * (weights[i] ?? 0))) / all,
      ),
    );
  }
  return means;
}

/**
 * The views of the last seven days as a part of the usual ones; a handful of visits moves it
 * little.
 */
function trendOf(days: readonly PastDay[], expected: readonly number[], visitSize: number): number {
  const still = 10 * visitSize;
  const seen = sum(days.slice(-TREND.days).map(({ total }) => total));
  const trend = (seen + still) / (sum(expected.slice(-TREND.days)) + still);
  return Math.min(TREND.most, Math.max(TREND.least, trend));
}

function visitSizeOf({ hours, sessions }: SiteHistory): number {
  const views = sum(hours);
  if (sessions * LARGEST_VISIT * 2 < views) return UNKNOWN_VISIT;
  return Math.min(LARGEST_VISIT, Math.max(1, views / Math.max(1, sessions)));
}

/**
 * The variance of hours beyond that of random visits, with an allowance where there are few visits.
 */
function spreadOf(
  days: readonly PastDay[],
  means: readonly (readonly number[])[],
  visitSize: number,
): number {
  // The variance of views divided by their mean, if visits and their sizes are random.
  const chance = 2 * visitSize - 1;
  let beyond = 0;
  let squares = 0;
  let visits = 0;
  for (const { weekday, hours, total } of days) {
    visits += total / visitSize;
    for (const [hour, views] of hours.entries()) {
      const usual = means[weekday]?.[hour] ?? 0;
      beyond += (views - usual) ** 2 - chance * usual;
      squares += usual ** 2;
    }
  }
  const found = Math.max(0, beyond / Math.max(1, squares));
  return Math.min(MOST_SPREAD, LEAST_SPREAD + found + 1 / (1 + visits));
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
