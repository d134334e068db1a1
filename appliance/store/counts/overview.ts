import { type Day, formatDay, hourName } from "../../base/calendar.ts";
import { comparedOf, daysBack, samePart } from "../../base/comparison.ts";
import { hourDimension, type SiteKey } from "../counting.ts";
import type { LiveNumbers, LiveNumbersQuery, OverviewQuery } from "../queries.ts";
import { type Accepts, type Answer, makeAnswer } from "../reads/answer.ts";
import type { OverviewAnswer, SiteWeek } from "../reports.ts";
import type { SiteCounts, SiteDays, Soon } from "./site-counts.ts";

/** The most sites of an overview: those with the most views of the week. */
export const MAX_OVERVIEW_SITES = 200;

const WEEK = 7;

/** The body of `/overview`. */
export async function overview(
  counts: SiteCounts,
  { query, accepts }: { query: OverviewQuery; accepts: Accepts },
): Promise<Answer> {
  return makeAnswer(JSON.stringify(await overviewOf(counts, query)), accepts);
}

async function overviewOf(
  counts: SiteCounts,
  { sites, today, hour, zone, warnings }: OverviewQuery,
): Promise<OverviewAnswer> {
  const all = await weeksOf(
    counts,
    sites.map(({ key }) => key),
    today,
  );
  const weeks = sites
    .map((site, i) => ({ ...site, week: all[i] ?? [] }))
    .sort((a, b) => sum(b.week) - sum(a.week) || (a.id < b.id ? -1 : 1));
  const shown = weeks.slice(0, MAX_OVERVIEW_SITES);
  const keys = shown.map(({ key }) => key);
  const then = today - daysBack(1);
  const [sums, hours, pendings, lasts] = await Promise.all([
    counts.counterByDay(keys, "pv", then, then),
    counts.byHour(
      keys.map((site) => ({ site, day: then })),
      "hour",
    ),
    counts.pending(keys),
    lastViews(counts, keys, today),
  ]);
  const left = weeks.length - shown.length;
  return {
    to: formatDay(today),
    zone,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    sites: shown.map(({ id, live, week }, i): SiteWeek => {
      const pending = pendings[i] ?? 0;
      return {
        id,
        live,
        week,
        before: samePart(sums[i] ?? [], hours[i], hour),
        last: lasts[i] ?? null,
        ...(pending > 0 && { pending }),
      };
    }),
    ...(left > 0 && { left }),
  };
}

/** Views of each site on the seven days that end today. */
function weeksOf(counts: SiteCounts, sites: readonly SiteKey[], today: Day): Soon<number[][]> {
  return counts.counterByDay(sites, "pv", today - WEEK + 1, today);
}

/**
 * The hour of the newest view that is kept of each site: `2026-03-04T12`, or the day where its hours
 * are not.
 */
async function lastViews(
  counts: SiteCounts,
  sites: readonly SiteKey[],
  today: Day,
): Promise<(string | null)[]> {
  const lastDays = await counts.lastDays(sites, today - WEEK);
  const days = sites.flatMap((site, i) => {
    const day = lastDays[i] ?? null;
    return day === null ? [] : [{ site, day }];
  });
  const hours = new Map(
    (await counts.byHour(days, "hour")).map((views, i) => [days[i]?.site, views]),
  );
  return sites.map((site, i) => {
    const day = lastDays[i] ?? null;
    if (day === null) return null;
    const hour = hours.get(site)?.findLastIndex((n) => n > 0) ?? -1;
    return hour < 0 ? formatDay(day) : `${formatDay(day)}T${hourName(hour)}`;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

const SHORTEST_SERIES = 7;

/** The running period stands against the same part of the one before. */
export async function liveNumbers(
  counts: SiteCounts,
  { site, counter, days, today, hour }: LiveNumbersQuery,
): Promise<LiveNumbers> {
  const back = daysBack(days);
  const length = back + days;
  const dimension = counter === "pv" ? "hour" : hourDimension(counter);
  const hasHours = counter === "pv" && days === 1;
  const [first, [sums = []], [then, now = []]] = await Promise.all([
    counts.firstDay(site),
    counts.counterByDay([site], counter, today - length + 1, today),
    counts.byHour(
      [today - back, ...(hasHours ? [today] : [])].map((day) => ({ site, day })),
      dimension,
    ),
  ]);
  // Beside days of which some were not counted, a steady site would seem to grow.
  const isWhole = first !== null && first <= today - length + 1;
  const running = { days: sums.slice(-days), before: sums.slice(0, days), hours: then, hour };
  return {
    value: sum(running.days),
    compared: isWhole ? comparedOf(running) : null,
    series: hasHours ? now.slice(0, hour + 1) : sums.slice(-Math.max(days, SHORTEST_SERIES)),
  };
}

/** A site's views over inclusive days by hour, from 00 of the first day on; and its sessions by day. */
export async function hourlyViews(
  counts: SiteCounts,
  { site, from, to }: SiteDays,
): Promise<{ hours: number[]; sessions: number[] }> {
  const days = Array.from({ length: to - from + 1 }, (_, offset) => ({ site, day: from + offset }));
  const [hours, [sessions = []]] = await Promise.all([
    counts.byHour(days, "hour"),
    counts.counterByDay([site], "sessions", from, to),
  ]);
  return { hours: hours.flat(), sessions };
}

/** Page views of inclusive days, and of all time, days past retention included. */
export async function viewCounts(
  counts: SiteCounts,
  { site, from, to }: SiteDays,
): Promise<{ window: number; total: number }> {
  const [[days = []], [total = 0]] = await Promise.all([
    counts.counterByDay([site], "pv", from, to),
    counts.totals([site]),
  ]);
  return { window: sum(days), total };
}

/** The activity of sites for their owner, of as many as an overview has. */
export async function siteActivity(
  counts: SiteCounts,
  { sites, today }: { sites: readonly { key: SiteKey; id: string }[]; today: Day },
): Promise<{ id: string; week: number[]; total: number; last: string | null }[]> {
  const shown = sites.slice(0, MAX_OVERVIEW_SITES);
  const keys = shown.map(({ key }) => key);
  const [weeks, totals, last] = await Promise.all([
    weeksOf(counts, keys, today),
    counts.totals(keys),
    lastViews(counts, keys, today),
  ]);
  return shown.map(({ id }, i) => ({
    id,
    week: weeks[i] ?? [],
    total: totals[i] ?? 0,
    last: last[i] ?? null,
  }));
}
