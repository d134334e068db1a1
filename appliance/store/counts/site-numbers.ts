import type { Day } from "../../base/calendar.ts";
import { comparedOf, daysBack } from "../../base/comparison.ts";
import { hourDimension, type SiteKey } from "../counting.ts";
import type { LiveNumbers, LiveNumbersQuery } from "../queries.ts";
import { lastViews, MAX_OVERVIEW_SITES, sum, weeksOf } from "./overview.ts";
import type { SiteCounts, SiteDays } from "./site-counts.ts";

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
