import assert from "node:assert/strict";
import { MAX_OVERVIEW_SITES } from "../../../../appliance/store/counts/overview.ts";
import { onEachEngine } from "../../../helpers/engines.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { views } from "../../../helpers/traffic.ts";
import { ADMIN, eachWorld, sharedWorld } from "../../../helpers/world.ts";

const asAdmin = { authorization: `Bearer ${ADMIN}` };
const HOUR_MS = 3_600_000;

onEachEngine(() => {
  describe("the overview", () => {
    const world = eachWorld({ env: { SITES: "blog,docs", STATS_TOKEN_BLOG: "blogs-token" } });
    const read = () => world().read("/overview");
    const of = async (id: string) =>
      (await read()).sites.find((site: { id: string }) => site.id === id);
    const wait = (hours: number) => world().clock.setWall(world().clock.now() + hours * HOUR_MS);

    it("tells of a site without a view that there is none", async () => {
      const nothing = { live: 0, week: [0, 0, 0, 0, 0, 0, 0], before: 0, last: null };
      assert.deepEqual(await read(), {
        to: "2026-03-04",
        zone: "UTC",
        sites: [
          { id: "blog", ...nothing },
          { id: "docs", ...nothing },
        ],
      });
    });

    it("has a week by day, the last hour with a view, and the views of now", async () => {
      await views(world(), [{}, {}], "docs");
      wait(24);
      await views(world(), [{}], "docs");
      const { week, last, live } = await of("docs");
      assert.deepEqual([week, last], [[0, 0, 0, 0, 0, 2, 1], "2026-03-05T12"]);
      assert.equal(live, 3);
    });

    it("tells of a site that was silent for months when it was viewed last", async () => {
      await views(world(), [{}], "docs");
      wait(3);
      await views(world(), [{}], "docs");
      // Until the week begins in the second month after.
      wait(24 * 60);
      await views(world(), [{}], "blog");
      assert.equal((await of("docs")).last, "2026-03-04T15");
      await world().service.store.upkeep();
      assert.equal((await of("docs")).last, "2026-03-04T15");
      assert.equal((await of("blog")).last, "2026-05-03T15");
    });

    it("compares today with what that weekday had a week before by the same hour", async () => {
      await world().beacon({ p: "/" });
      wait(3);
      await world().beacon({ p: "/" });
      wait(24 * 7 - 3);
      assert.equal((await of("blog")).before, 1);
      wait(3);
      assert.equal((await of("blog")).before, 2);
    });

    it("has the site with the most views of the week first", async () => {
      await views(world(), [{}], "docs");
      assert.deepEqual(await order(), ["docs", "blog"]);
      await views(world(), [{}, {}], "blog");
      assert.deepEqual(await order(), ["blog", "docs"]);
      wait(24 * 8);
      await views(world(), [{}], "docs");
      assert.deepEqual(await order(), ["docs", "blog"]);
    });
    const order = async () => (await read()).sites.map(({ id }: { id: string }) => id);

    it("is for the admin token alone", async () => {
      for (const headers of [{}, { authorization: "Bearer blogs-token" }]) {
        const { status, text } = await world().ask("/overview?site=blog", { headers });
        assert.equal(status, 401);
        assert.doesNotMatch(text, /docs/);
      }
    });

    it("comes again only where something has changed", async () => {
      const ask = (headers = {}) =>
        world().ask("/overview", { headers: { ...asAdmin, ...headers } });
      const { etag, ...headers } = (await ask()).headers;
      assert.equal(headers["cache-control"], "private, no-cache");
      assert.equal((await ask({ "if-none-match": String(etag) })).status, 304);
      await world().beacon({ p: "/" });
      assert.equal((await ask({ "if-none-match": String(etag) })).status, 200);
    });
  });

  describe("the overview of very many sites", () => {
    const ids = Array.from({ length: MAX_OVERVIEW_SITES + 3 }, (_, n) => `site${n}`);
    const world = sharedWorld({ env: { SITES: ids.join(",") } });

    it("tells of those with the most views, and how many are left", async () => {
      await views(world(), [{}], "site202");
      const { sites, left } = await world().read("/overview");
      assert.deepEqual([sites.length, left, sites[0].id], [MAX_OVERVIEW_SITES, 3, "site202"]);
    });
  });
});

describe("the overview of a box whose clock is not set", () => {
  const world = eachWorld(() => ({ clock: new FakeClock(undefined, { sure: false }) }));
  beforeEach(() => world().beacon({ p: "/" }));

  it("warns, and tells of what waits", async () => {
    const { warnings, sites } = await world().read("/overview");
    assert.deepEqual(warnings, ["clock_not_set"]);
    assert.equal(sites[0].pending, 1);
  });
});
