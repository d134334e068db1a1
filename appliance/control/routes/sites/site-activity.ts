import type { Clock } from "../../../base/clock.ts";
import type { Numbers } from "../../../store/store.ts";
import type { Alarms } from "../../../traffic/alarms/alarms.ts";
import type { Handler } from "../../route.ts";
import type { SiteActivityAnswer } from "../../wire.ts";

interface ActivityParts {
  numbers: Pick<Numbers, "directory" | "live" | "read" | "zone">;
  clock: Pick<Clock, "now">;
  alarms: Pick<Alarms, "stateOf">;
}

/** `GET /api/site-activity`: the activity of each site. */
export const showSiteActivity: Handler<ActivityParts, SiteActivityAnswer> = async (
  ctx,
  { numbers, clock, alarms },
) => {
  const { sites } = numbers.directory;
  const now = clock.now();
  const found = await numbers.read("siteActivity", {
    sites: sites.map(({ key, id }) => ({ key, id })),
    today: numbers.zone.today(now),
  });
  const live = new Map(sites.map(({ key, id }) => [id, numbers.live.of(key)]));
  ctx.set("Cache-Control", "no-store");
  ctx.body = {
    zone: numbers.zone.nameAt(now),
    sites: found.map((site) => ({
      ...site,
      live: live.get(site.id) ?? 0,
      alarms: {
        silence: alarms.stateOf(site.id, "silence"),
        rush: alarms.stateOf(site.id, "rush"),
      },
    })),
  };
};
