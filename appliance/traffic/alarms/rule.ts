import { HOUR_MS } from "../../base/calendar.ts";
import { type Baseline, usualViews } from "./baseline.ts";

/*
 * The rules for an improbable silence and for a rush: pure functions of the usual views, the seen views, and the time.
 * docs/alarms.md explains them, with the rate of false alarms.
 */

/** A span of time, epoch milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The hours before a silence: their views, and the usual ones. */
interface Lately {
  readonly seen: number;
  readonly usual: number;
}

const MINUTE_MS = 60_000;
const YEAR_WEEKS = 52;
/** Shorter silences are of no concern, however many views a site has. */
const SHORTEST_SILENCE_MS = 10 * MINUTE_MS;
/** Chance alone may cause one alarm of silence in so many years. */
const SILENCE_YEARS = 2;
/** A gap that chance makes so often is no alarm, however few gaps there are. */
const MOST_CHANCE = 1 / 10_000;
/** The chance that a span of a usual day is called a rush; a year has 105,000 of five minutes. */
const RUSH_CHANCE = 1 / 1_000_000;
/** Hours stray more than days do. */
const SPREAD_OF_HOURS = 0.2 ** 2;
/** The least of a rush: so many times the usual views, and a number of views. */
const RUSH_TIMES = 3;
const RUSH_VIEWS = 20;
/** Clocks of visitors are put forward and back. */
const SHIFTS = [-HOUR_MS, 0, HOUR_MS] as const;

/**
 * Judges a silence by the views that are usual in its time. The level of the day is unknown, with the variance of
 * hours. The views of the last hours narrow it down, with a weight up to that of the other knowledge, since a day may
 * differ from the one before. A level above the usual one makes no silence more improbable.
 */
export function judgeSilence(
  baseline: Baseline,
  span: Span,
  lately: Lately,
): { usual: number; isAlarm: boolean } {
  const usual = Math.min(...usualByShift(baseline, span));
  const { visitSize, spread } = baseline;
  const known = 1 / spread;
  const rate = known + Math.min(known, lately.usual / visitSize);
  const level = lately.usual === 0 ? 1 : Math.min(1, lately.seen / lately.usual);
  const shape = known + (rate - known) * level;
  const surprise = shape * Math.log1p(usual / visitSize / rate);
  const isLong = span.to - span.from >= SHORTEST_SILENCE_MS;
  return { usual, isAlarm: isLong && surprise > -Math.log(chanceOf(baseline)) };
}

/** The least number of views in a span that is a rush, and how many are usual in it. */
export function rushBound(baseline: Baseline, span: Span): { usual: number; bound: number } {
  const usual = Math.max(...usualByShift(baseline, span));
  const visits = improbableVisits(
    usual / baseline.visitSize,
    1 / (baseline.spread + SPREAD_OF_HOURS),
    -Math.log(RUSH_CHANCE),
  );
  const bound = Math.max(RUSH_TIMES * usual, visits * baseline.visitSize, RUSH_VIEWS);
  return { usual, bound: Math.ceil(bound) };
}

function usualByShift(baseline: Baseline, { from, to }: Span): number[] {
  return SHIFTS.map((shift) => usualViews(baseline, from + shift, to + shift));
}

/** The chance at which a gap between visits is an alarm: there are as many gaps as visits. */
function chanceOf({ week, visitSize }: Baseline): number {
  const visitsAYear = (YEAR_WEEKS * week.reduce((total, n) => total + n, 0)) / visitSize;
  return Math.min(MOST_CHANCE, 1 / (SILENCE_YEARS * visitsAYear));
}

/**
 * The number of visits as improbable as `surprise` (minus the logarithm of a chance) where `usual`
 * are usual and their level strays with this shape: the Chernoff bound of the negative binomial
 * distribution, which is on the safe side.
 */
function improbableVisits(usual: number, shape: number, surprise: number): number {
  const surpriseOf = (n: number) =>
    n * Math.log(n / usual) - (n + shape) * Math.log((n + shape) / (usual + shape));
  if (usual <= 0) return 0;
  let low = usual;
  let high = 2 * usual + surprise;
  while (surpriseOf(high) < surprise) high *= 2;
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (surpriseOf(middle) < surprise) low = middle;
    else high = middle;
  }
  return high;
}
