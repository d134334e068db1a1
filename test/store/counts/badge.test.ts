import assert from "node:assert/strict";
import { SHARED_MS } from "../../../appliance/traffic/collector/routes/badge-counts.ts";
import { engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { views } from "../../helpers/traffic.ts";
import { eachWorld } from "../../helpers/world.ts";

const DAY_MS = 86_400_000;

onEachEngine(() => {
  describe("the numbers of a badge", () => {
    const onFile = engineOfSuite() === "SQLite" ? it : () => {};
    const world = eachWorld({
      env: { SITES: "blog,shop", BADGE_SITES: "blog", RETENTION_DAYS: "60" },
    });

    async function badge(days: number | "all" = 30): Promise<string | undefined> {
      const { text } = await world().ask(`/badge?site=blog&days=${days}&label=x`);
      return /aria-label="x: ([^"]*)"/.exec(text)?.[1] ?? text;
    }

    it("are the sum of what is settled, in the log, and came in late", async () => {
      const { clock, service } = world();
      for (const hits of [3, 2, 1]) {
        await views(world(), Array(hits).fill({ path: "/" }));
        clock.setWall(clock.now() + DAY_MS);
      }
      await service.store.upkeep();
      clock.setWall(clock.now() - 3 * DAY_MS);
      await views(world(), [{ path: "/late" }]);
      clock.setWall(clock.now() + 2 * DAY_MS);
      assert.deepEqual(await Promise.all([badge(1), badge(2), badge(3)]), ["1", "3", "7"]);
    });

    it("lose the days past retention, but not from the total", async () => {
      const { clock, service } = world();
      await views(world(), [{ path: "/" }]);
      await service.store.upkeep();
      clock.jump(61 * DAY_MS);
      await service.store.upkeep();
      assert.deepEqual([await badge(400), await badge("all")], ["0", "1"]);
    });

    it("are read once for all who ask within a minute", async () => {
      await views(world(), [{ path: "/" }]);
      assert.equal(await badge(), "1");
      await views(world(), [{ path: "/" }]);
      world().clock.advance(SHARED_MS - 1);
      assert.deepEqual([await badge(30), await badge(7)], ["1", "2"]);
      world().clock.advance(1);
      assert.equal(await badge(30), "2");
    });

    it("are another day's after midnight, however young the answer", async () => {
      await views(world(), [{ path: "/" }]);
      assert.equal(await badge(1), "1");
      world().clock.setWall(world().clock.now() + DAY_MS);
      assert.equal(await badge(1), "0");
    });

    onFile("are not those of a read that failed", async () => {
      const { store } = world().service;
      await store.local.replaceFile(async () => {
        const refused = await world().ask("/badge?site=blog");
        assert.deepEqual([refused.status, refused.json.code], [503, "storage_unavailable"]);
      });
      assert.equal(await badge(), "0");
    });
  });
});
