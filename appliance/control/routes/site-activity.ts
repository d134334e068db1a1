import type { Alarms } from "../../alarms/alarms.ts";
import type { Clock } from "../../base/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Handler } from "../route.ts";
import type { SiteActivityAnswer } from "../wire.ts";

export interface ActivityParts {
  store: Pick<Store, "directory" | "live" | "read" | "zone">;
  clock: Pick<Clock, "now">;
  alarms: Pick<Alarms, "stateOf">;
}

/** `GET /api/site-activity`: what each site has counted, at a glance. */
export const showSiteActivity: Handler<ActivityParts, SiteActivityAnswer> = async (
  ctx,
  { store, clock, alarms },
) => {
  const { sites } = store.directory;
  const now = clock.now();
  const found = await store.read("siteActivity", {
    sites: sites.map(({ key, id }) => ({ key, id })),
    today: store.zone.today(now),
  });
  const live = new Map(sites.map(({ key, id }) => [id, store.live.of(key)]));
  ctx.set("Cache-Control", "no-store");
  ctx.body = {
    zone: store.zone.nameAt(now),
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
