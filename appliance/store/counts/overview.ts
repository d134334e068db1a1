import { type Day, formatDay, hourName } from "../../base/calendar.ts";
import { daysBack, samePart } from "../../base/comparison.ts";
import type { SiteKey } from "../counting.ts";
import type { OverviewQuery } from "../queries.ts";
import { type Accepts, type Answer, makeAnswer } from "../reads/answer.ts";
import type { OverviewAnswer, SiteWeek } from "../reports.ts";
import type { SiteCounts, Soon } from "./site-counts.ts";

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
export function weeksOf(
  counts: SiteCounts,
  sites: readonly SiteKey[],
  today: Day,
): Soon<number[][]> {
  return counts.counterByDay(sites, "pv", today - WEEK + 1, today);
}

/**
 * The hour of the newest view that is kept of each site: `2026-03-04T12`, or the day where its hours
 * are not.
 */
export async function lastViews(
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

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
