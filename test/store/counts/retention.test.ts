import assert from "node:assert/strict";
import { engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { kept } from "../../helpers/kept.ts";
import { views } from "../../helpers/traffic.ts";
import { eachWorld, sharedWorld, type World } from "../../helpers/world.ts";

const DAY_MS = 86_400_000;
const ENV = { RETENTION_DAYS: "10", BADGE_SITES: "blog" };

/** A view of `/day-01`, `/day-02`, … and of `/home` on each of `days` days; the last is today. */
async function visitDaily(world: World, days: number): Promise<void> {
  for (let day = 1; day <= days; day++) {
    if (day > 1) world.clock.jump(DAY_MS);
    await world.service.store.upkeep();
    await views(world, [{ path: pathOf(day) }, { path: "/home" }]);
    // A day is as old as the settlement after it was counted on.
    await world.service.store.upkeep();
  }
}

onEachEngine(() => {
  const onFile = engineOfSuite() === "SQLite" ? it : () => {};

  describe("retention, after 15 days,", () => {
    const world = sharedWorld({ env: ENV });
    before(async () => {
      await visitDaily(world(), 15);
      await world().service.store.upkeep();
    });

    it("keeps the last RETENTION_DAYS days, today among them, and drops all before", async () => {
      const { from, to, path } = await world().stats({ from: "first" });
      assert.deepEqual([from, to], ["2026-03-09", "2026-03-18"]);
      assert.deepEqual(Object.keys(path).sort(), [
        ...Array.from({ length: 10 }, (_, i) => pathOf(i + 6)),
        "/home",
      ]);
      assert.equal(path["/home"], 10);
      assert.deepEqual((await world().stats({ day: "2026-03-08" })).path, undefined);
    });

    onFile("removes from the file what nobody counts any more", () => {
      const { texts } = kept(world().dataDir);
      for (let day = 1; day <= 15; day++)
        assert.equal(texts.has(pathOf(day)), day > 5, pathOf(day));
      assert.equal(texts.has("/home"), true);
    });

    it("leaves the totals of all time alone", async () => {
      const badge = await world().ask("/badge?site=blog&days=all");
      assert.match(badge.text, /aria-label="views \(all\): 30"/);
    });
  });

  describe("retention", () => {
    const world = eachWorld({ env: ENV });
    const upkeep = () => world().service.store.upkeep();

    function passDays(days: number): void {
      world().clock.jump(days * DAY_MS);
    }

    it("keeps a day for as long after it was counted on again, whatever the clock says", async () => {
      const runDays = async (days: number) => {
        for (let day = 0; day < days; day++) {
          passDays(1);
          await upkeep();
        }
      };
      const [day] = ["2026-03-04"];
      await visitDaily(world(), 1);
      await runDays(8);
      world().clock.setWall(`${day}T12:00:00Z`);
      await views(world(), [{ path: "/again" }]);
      await upkeep();
      world().clock.setWall("2026-03-20T12:00:00Z");
      await runDays(8);
      assert.equal((await world().stats({ day })).path?.["/again"], 1);
      await runDays(3);
      assert.equal((await world().stats({ day })).path, undefined);
    });

    it("goes by itself within ten minutes", async () => {
      await visitDaily(world(), 15);
      world().clock.advance(10 * 60_000);
      // A second upkeep waits for the running one.
      await upkeep();
      assert.equal((await world().stats({ from: "first" })).from, "2026-03-09");
    });

    it("counts a value that comes back as it did before", async () => {
      await visitDaily(world(), 1);
      passDays(30);
      await upkeep();
      await views(world(), [{ path: pathOf(1) }]);
      assert.deepEqual((await world().stats()).path, { [pathOf(1)]: 1 });
    });

    // Elsewhere a day is as old as upkeep that has seen it end.
    onFile("lets hits go on meanwhile", async () => {
      for (let day = 0; day < 6; day++) {
        await views(
          world(),
          Array.from({ length: 1_500 }, (_, i) => ({ path: `/${day}/${i}` })),
        );
        await upkeep();
        passDays(1);
      }
      passDays(20);
      let running = true;
      const done = upkeep().finally(() => {
        running = false;
      });
      let answered = 0;
      for (; running; answered++) await world().beacon({ p: "/now" });
      await done;
      assert.ok(answered >= 5, `${answered} hits were answered during upkeep`);
      assert.deepEqual((await world().stats({ from: "first" })).path, { "/now": answered });
    });
  });
});

function pathOf(day: number): string {
  return `/day-${String(day).padStart(2, "0")}`;
}
