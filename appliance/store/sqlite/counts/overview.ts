import { type Day, formatDay, hourName } from "../../../base/calendar.ts";
import { samePart } from "../../../base/same-part.ts";
import { type Accepts, type Answer, makeAnswer } from "../../answer.ts";
import type { SiteKey } from "../../counting.ts";
import type { OverviewQuery } from "../../queries.ts";
import type { OverviewAnswer, SiteWeek } from "../../reports.ts";
import type { Database } from "../database.ts";
import { counterByDay } from "./day-totals.ts";
import { byHour } from "./live-numbers.ts";
import { hitsPending } from "./reports.ts";

/** The most sites an overview tells of: those with the most views of the week. */
export const MAX_OVERVIEW_SITES = 200;

const WEEK = 7;

/** The body of `/overview`. */
export function overview(
  db: Database,
  { query, accepts }: { query: OverviewQuery; accepts: Accepts },
): Answer {
  return makeAnswer(JSON.stringify(overviewOf(db, query)), accepts);
}

function overviewOf(db: Database, { sites, today, hour, warnings }: OverviewQuery): OverviewAnswer {
  const weeks = sites
    .map((site) => ({ ...site, week: weekOf(db, site.key, today) }))
    .sort((a, b) => sum(b.week) - sum(a.week) || (a.id < b.id ? -1 : 1));
  const left = weeks.length - MAX_OVERVIEW_SITES;
  return {
    to: formatDay(today),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    sites: weeks.slice(0, MAX_OVERVIEW_SITES).map(({ key, id, live, week }): SiteWeek => {
      const yesterday = byHour(db, { site: key, counter: "pv" }, today - 1);
      const pending = hitsPending(db, key);
      return {
        id,
        live,
        week,
        before: samePart(week.slice(-2, -1), yesterday, hour),
        last: lastView(db, key),
        ...(pending > 0 && { pending }),
      };
    }),
    ...(left > 0 && { left }),
  };
}

/** Views of the seven days that end today. */
export function weekOf(db: Database, site: SiteKey, today: Day): number[] {
  return counterByDay(db, { site, counter: "pv", from: today - WEEK + 1, to: today });
}

/** The hour of the newest view that is kept: `2026-03-04T12`, or the day where its hours are not. */
export function lastView(db: Database, site: SiteKey): string | null {
  const day = db
    .prepare("SELECT max(day) FROM day_total WHERE site = ? AND counter = 'pv'")
    .pluck()
    .get(site) as Day | null;
  if (day === null) return null;
  const hour = byHour(db, { site, counter: "pv" }, day).findLastIndex((n) => n > 0);
  return hour < 0 ? formatDay(day) : `${formatDay(day)}T${hourName(hour)}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
