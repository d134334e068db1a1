import type { Middleware } from "koa";
import { GOALS } from "../../../base/input/goals.ts";
import { MARKS } from "../../../base/input/marks.ts";
import { type Numbers, settingOfSite } from "../../../store/store.ts";
import type { Access } from "../access.ts";
import type { MarksAnswer } from "../wire.ts";
import { statsFilter, statsRange } from "./question.ts";
import { askerOf, readingOf, sendRunning, sourceAsked } from "./reading.ts";

/** `GET /goals`: how often each goal of a site was reached, by day; `where` and `source` as in `/stats`. */
export function goalsRoute(access: Access, numbers: Numbers): Middleware {
  return async (ctx) => {
    const { site, bound } = access.traffic(ctx);
    const now = numbers.clock.now();
    const today = numbers.zone.today(now);
    const { from, to } = statsRange(ctx.query, today);
    const { where } = statsFilter(ctx.query, bound);
    const { accepts, asker } = readingOf(ctx);
    const source = await sourceAsked(ctx, numbers, { bound, readsAll: access.readsAll(ctx) });
    const { goals } = (await settingOfSite(numbers, GOALS, site.key, asker)) ?? { goals: [] };
    const query = {
      site: site.key,
      id: site.id,
      to,
      goals,
      where,
      source,
      onlyReached: bound.length > 0,
      from,
      ...(bound.length > 0 && { bound }),
      detailFrom: numbers.detailFrom(today),
      zone: numbers.zone.nameAt(now),
    };
    sendRunning(ctx, await numbers.read("goals", { query, accepts }, asker), now);
  };
}

/** `GET /marks`: events by day of a site, noted by its owner. */
export function marksRoute(access: Access, numbers: Numbers): Middleware {
  return async (ctx) => {
    const { site, bound } = access.traffic(ctx);
    // Marks fit no filter, so a link to a part shows none.
    const found =
      bound.length > 0
        ? undefined
        : await settingOfSite(numbers, MARKS, site.key, askerOf(ctx, "owner"));
    ctx.set("Cache-Control", "private, no-cache");
    ctx.vary("Authorization");
    ctx.body = { site: site.id, marks: found?.marks ?? [] } satisfies MarksAnswer;
  };
}
