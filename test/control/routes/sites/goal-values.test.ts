import assert from "node:assert/strict";
import { addDays } from "../../../helpers/counted-days.ts";
import { onEachEngine } from "../../../helpers/engines.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { sharedWorld } from "../../../helpers/world.ts";

const TODAY = "2026-03-04";

/** So many pages, the first one with the most views. */
const pages = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`/page/${at}`, count - at]));

onEachEngine(() => {
  describe("what is proposed for goals", () => {
    const world = sharedWorld({
      clock: new FakeClock(`${TODAY}T12:00:00Z`),
      env: { SITES: "blog,none" },
    });
    const owner = Owner.each(world);
    const proposed = async (site: string) => owner.get(`/api/sites/${site}/goal-values`);

    it("is nothing where nothing was counted", async () => {
      assert.deepEqual(await proposed("none"), { event: [], page: [] });
    });

    it("is what was counted in thirty days, the one with the most counts first", async () => {
      const { clock } = world();
      clock.setWall("2026-02-02T12:00:00Z");
      await world().beacon({ p: "/long-ago", ev: "old" });
      clock.setWall("2026-02-03T12:00:00Z");
      await world().beacon({ p: "/thanks" });
      clock.setWall(`${TODAY}T12:00:00Z`);
      for (const p of ["/", "/", "/thanks", "/thanks"]) await world().beacon({ p });
      await world().beacon({ p: "/thanks", ev: "sign up" });
      assert.deepEqual(await proposed("blog"), { event: ["sign up"], page: ["/thanks", "/"] });
    });

    it("is refused of a site that is not there", async () => {
      assertError(await owner.ask("GET", "/api/sites/nobody/goal-values"), 404, "not_found");
    });
  });
});

describe("the values that are proposed for goals", () => {
  const world = sharedWorld({
    clock: new FakeClock(`${TODAY}T12:00:00Z`),
    prepare: (db) =>
      addDays(db, [
        { site: "blog", day: TODAY, counts: { pv: { _: 1 }, path: pages(300) }, surveys: [] },
      ]),
  });
  const owner = Owner.each(world);

  it("are two hundred at most", async () => {
    const { page } = await owner.get("/api/sites/blog/goal-values");
    assert.deepEqual(page, Object.keys(pages(300)).slice(0, 200));
  });
});
