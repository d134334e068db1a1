import type { Middleware } from "koa";
import { hourOf } from "../../base/calendar.ts";
import type { Access } from "../access.ts";
import type { Sites } from "../sites.ts";
import { acceptsOf, askerOf, sendRunning } from "./reading.ts";
import type { StatsParts } from "./stats.ts";

/** `GET /overview`: the views of all sites, for readers of all of them. */
export function overviewRoute(
  access: Access,
  sites: Sites,
  { numbers, clock, warnings }: StatsParts,
): Middleware {
  return async (ctx) => {
    access.admin(ctx);
    const now = clock.now();
    const query = {
      sites: sites.all.map(({ key, id }) => ({ key, id, live: numbers.live.of(key) })),
      today: numbers.zone.today(now),
      hour: hourOf(numbers.zone.wall(now)),
      zone: numbers.zone.nameAt(now),
      warnings: warnings(),
    };
    const answer = await numbers.read(
      "overview",
      { query, accepts: acceptsOf(ctx) },
      askerOf(ctx, "owner"),
    );
    sendRunning(ctx, answer, now);
  };
}
