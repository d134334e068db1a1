import assert from "node:assert/strict";
import { OTHER } from "../../../appliance/base/names.ts";
import { MAX_VALUES_PER_DAY } from "../../../appliance/store/counting.ts";
import type { Space } from "../../../appliance/store/engine.ts";
import { onEachEngine } from "../../helpers/engines.ts";
import { type Values, views } from "../../helpers/traffic.ts";
import { eachWorld } from "../../helpers/world.ts";

const DAY_MS = 86_400_000;
const GB = 1024 ** 3;

onEachEngine(() => {
  describe("the bound on distinct values", () => {
    const world = eachWorld({ env: { SITES: "blog,shop" } });

    const paths = (from: number, count: number): Values[] =>
      Array.from({ length: count }, (_, i) => ({ path: `/${from + i}` }));

    /** Distinct paths today, and how often the one that stands for all others was counted. */
    async function pathsOf(params: Record<string, string> = {}) {
      const { path = {} } = await world().stats(params);
      const { [OTHER]: other, ...named } = path;
      return { distinct: Object.keys(named).length, other };
    }

    it("is 2,000 a dimension and day; what is new after that counts as (other)", async () => {
      assert.equal(MAX_VALUES_PER_DAY, 2_000);
      await views(world(), paths(0, 2_000));
      assert.deepEqual(await pathsOf(), { distinct: 2_000, other: undefined });
      await views(world(), paths(2_000, 100));
      assert.deepEqual(await pathsOf(), { distinct: 2_000, other: 100 });
      assert.equal((await world().stats()).pv._, 2_100);
    });

    it("holds for what comes in one by one as for what comes at once", async () => {
      await views(world(), paths(0, 2_300));
      for (const hit of paths(2_300, 5)) await views(world(), [hit]);
      assert.deepEqual(await pathsOf(), { distinct: 2_000, other: 305 });
    });

    it("leaves values that are known that day, other dimensions, sites and days alone", async () => {
      await views(world(), paths(0, 2_000));
      await views(world(), [{ path: "/7", ref: "new.example" }]);
      await views(world(), [{ path: "/new" }], "shop");
      const { path, ref } = await world().stats();
      assert.deepEqual([path["/7"], ref], [2, { "new.example": 1 }]);
      assert.deepEqual((await world().stats({ site: "shop" })).path, { "/new": 1 });
      world().clock.setWall(world().clock.now() + DAY_MS);
      await views(world(), [{ path: "/new" }]);
      assert.deepEqual((await world().stats()).path, { "/new": 1 });
    });

    it("holds after a restart, and for what comes in late for a packed day", async () => {
      const today = world().clock.now();
      await views(world(), paths(0, 2_000));
      await world().restart();
      await views(world(), paths(2_000, 3));
      world().clock.setWall(today + 3 * DAY_MS);
      await world().service.store.upkeep();
      await world().restart();
      world().clock.setWall(today);
      await views(world(), paths(2_100, 4));
      assert.deepEqual(await pathsOf({ day: "2026-03-04" }), { distinct: 2_000, other: 7 });
    });

    it("takes a visitor's own (other) for what it says", async () => {
      await views(world(), [{ path: OTHER }]);
      assert.deepEqual(await pathsOf(), { distinct: 0, other: 1 });
    });
  });
});

describe("low space", () => {
  let space: Space;
  const world = eachWorld(() => {
    space = { free: 20 * GB, total: 30 * GB };
    return { env: { SITES: "blog,shop" }, space: async () => space };
  });

  /** The service looks at the disk every ten seconds. */
  async function spaceIs(free: number, total = 30 * GB): Promise<void> {
    space = { free, total };
    world().clock.advance(10_000);
    await world().stats();
  }

  /** Settles the log, after which all hits are in blocks. */
  const settled = () => world().service.store.upkeep();

  it("is under 5 % or under 100 MB, and shows as storage_full", async () => {
    const warnings = async () => (await world().stats()).warnings;
    assert.equal(await warnings(), undefined);
    await spaceIs(1.4 * GB);
    assert.deepEqual(await warnings(), ["storage_full"]);
    await spaceIs(1.6 * GB);
    assert.equal(await warnings(), undefined);
    await spaceIs(99 * 1024 ** 2, 0.5 * GB);
    assert.deepEqual(await warnings(), ["storage_full"]);
    await spaceIs(101 * 1024 ** 2, 0.5 * GB);
    assert.equal(await warnings(), undefined);
  });

  it("takes in no new value, and counts those it has", async () => {
    await views(world(), [{ path: "/known" }]);
    await settled();
    await spaceIs(0);
    await views(world(), [{ path: "/known" }, { path: "/new" }, { path: "/newer" }]);
    await settled();
    const { pv, path } = await world().stats();
    assert.deepEqual([pv, path], [{ _: 4 }, { "/known": 2, [OTHER]: 2 }]);
  });

  for (const [when, days] of [
    ["another day", 1],
    ["the month before, on the first of one", 28],
  ] as const)
    it(`counts a value known from ${when}`, async () => {
      await views(world(), [{ path: "/known" }]);
      await settled();
      await spaceIs(0);
      world().clock.setWall(world().clock.now() + days * DAY_MS);
      await views(world(), [{ path: "/known" }]);
      await settled();
      assert.deepEqual((await world().stats()).path, { "/known": 1 });
    });

  it("counts views, visitors and hours also for a site that has none yet", async () => {
    await spaceIs(0);
    await world().beacon({ p: "/", u: "1", s: "1" }, { s: "shop" });
    await settled();
    const { pv, uv, sessions, hour, dowhour, path } = await world().stats({ site: "shop" });
    assert.deepEqual([pv, uv, sessions], [{ _: 1 }, { _: 1 }, { _: 1 }]);
    assert.deepEqual([hour, dowhour], [{ "12": 1 }, { "3-12": 1 }]);
    assert.deepEqual(path, { [OTHER]: 1 });
  });

  it("ends by itself when there is space again", async () => {
    await spaceIs(0);
    await views(world(), [{ path: "/new" }]);
    await settled();
    await spaceIs(20 * GB);
    await views(world(), [{ path: "/new" }]);
    const { warnings, path } = await world().stats();
    assert.deepEqual([warnings, path], [undefined, { "/new": 1, [OTHER]: 1 }]);
  });
});
