import assert from "node:assert/strict";
import type { SiteActivity } from "../../../../appliance/control/wire.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

const DAY_MS = 86_400_000;
const OFF = { silence: { state: "off", since: null }, rush: { state: "off", since: null } };

onOneEngine(() => {
  describe("what sites have counted, at a glance", () => {
    const world = eachWorld({ env: { SITES: "blog,shop" } });
    const activity = async (): Promise<SiteActivity[]> =>
      (await new Owner(world()).get("/api/site-activity")).sites;

    it("is nothing at first", async () => {
      const none = { week: [0, 0, 0, 0, 0, 0, 0], total: 0, last: null, live: 0, alarms: OFF };
      assert.deepEqual(await activity(), [
        { id: "blog", ...none },
        { id: "shop", ...none },
      ]);
    });

    it("is the week by day, the total, the hour of the last view and the views of now", async () => {
      await world().beacon({ p: "/" });
      world().clock.advance(DAY_MS);
      await world().beacon({ p: "/" });
      await world().beacon({ p: "/" });
      const [blog] = await activity();
      const last = new Date(world().clock.now()).toISOString().slice(0, 13);
      assert.deepEqual(blog, {
        id: "blog",
        week: [0, 0, 0, 0, 0, 1, 2],
        total: 3,
        last,
        live: 2,
        alarms: OFF,
      });
    });

    it("leaves out the sites that are retired", async () => {
      await world().restart({ SITES: "blog" });
      const ids = (await activity()).map(({ id }) => id);
      assert.deepEqual(ids, ["blog"]);
    });
  });
});
