import type { Middleware } from "koa";
import { hourOf } from "../../../base/calendar.ts";
import type { DailyForm, Warning } from "../../../store/reports.ts";
import type { Numbers } from "../../../store/store.ts";
import type { Access } from "../access.ts";
import { queryValue } from "../counting/payload.ts";
import type { Sites } from "../sites.ts";
import { statsFilter, statsRange } from "./question.ts";
import { readingOf, sendRunning, sourceAsked } from "./reading.ts";

/** The documented form `1`, and `text` for the dashboard, the same in half of the bytes. */
const DAILY: ReadonlyMap<string | undefined, DailyForm> = new Map([
  ["1", "offsets"],
  ["text", "text"],
]);

/** The sources of the running figures. */
interface StatsParts {
  numbers: Numbers;
  /** The problems that the box has now. */
  warnings: () => readonly Warning[];
}

/** `GET /stats`: counts of a day or of a range. */
export function statsRoute(access: Access, { numbers, warnings }: StatsParts): Middleware {
  return async (ctx) => {
    const { site, bound, isShared } = access.traffic(ctx);
    const now = numbers.clock.now();
    const today = numbers.zone.today(now);
    const range = statsRange(ctx.query, today);
    const series = queryValue(ctx.query, "series") === "1";
    const filter = statsFilter(ctx.query, bound);
    const isOfPart = bound.length > 0;
    const readsAll = access.readsAll(ctx);
    const source = await sourceAsked(ctx, numbers, { bound, readsAll });
    const query = {
      ...range,
      ...filter,
      source,
      ...(queryValue(ctx.query, "sources") === "1" &&
        !isOfPart && { tellsSources: readsAll ? ("named" as const) : ("numbered" as const) }),
      tellsSurveys: queryValue(ctx.query, "surveys") === "1" && !isShared,
      // A part may not know what else there is.
      tellsViews: queryValue(ctx.query, "views") === "1" && !isOfPart,
      entry: queryValue(ctx.query, "entry") === "1",
      detailFrom: numbers.detailFrom(today),
      ...(isOfPart && { bound }),
      site: site.key,
      id: site.id,
      series,
      daily: series ? DAILY.get(queryValue(ctx.query, "daily")) : undefined,
      zone: numbers.zone.nameAt(now),
      zoneChange: numbers.zone.changeAt(now),
      // The problems of the box are of no use to whom a link was given, and none of theirs.
      warnings: isShared ? [] : warnings(),
      // Live views have no conditions, since only their number is known.
      live:
        range.to === today && filter.where.length === 0 && source === undefined
          ? numbers.live.of(site.key)
          : undefined,
    };
    const { accepts, asker } = readingOf(ctx);
    const answer = await numbers.read("stats", { query, accepts }, asker);
    // The dashboard leads back to all of them where there are more.
    ctx.set("Tallydeck-Sites", String(access.reach(ctx)));
    sendRunning(ctx, answer, numbers.clock.now());
  };
}

/** `GET /overview`: the views of all sites, for readers of all of them. */
export function overviewRoute(
  access: Access,
  sites: Sites,
  { numbers, warnings }: StatsParts,
): Middleware {
  return async (ctx) => {
    access.admin(ctx);
    const now = numbers.clock.now();
    const query = {
      sites: sites.all.map(({ key, id }) => ({ key, id, live: numbers.live.of(key) })),
      today: numbers.zone.today(now),
      hour: hourOf(numbers.zone.wall(now)),
      zone: numbers.zone.nameAt(now),
      warnings: warnings(),
    };
    const { accepts, asker } = readingOf(ctx);
    const answer = await numbers.read("overview", { query, accepts }, asker);
    sendRunning(ctx, answer, now);
  };
}
