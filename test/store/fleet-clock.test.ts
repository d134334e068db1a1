import assert from "node:assert/strict";
import { FakeClock } from "../helpers/fake-clock.ts";
import { Owner } from "../helpers/owner.ts";
import { eachWorld } from "../helpers/world.ts";

const MINUTE_MS = 60_000;
/** The time of the database at first. */
const TRUE_TIME = Date.parse("2026-03-04T23:59:00Z");

for (const [name, clock] of [
  ["was never set", () => new FakeClock("2019-07-01T08:00:00Z", { sure: false })],
  ["is years ahead", () => new FakeClock("2031-07-01T08:00:00Z")],
] as const)
  describe(`a node of a fleet whose own clock ${name}`, () => {
    const world = eachWorld(() => ({ engine: "PostgreSQL", clock: clock() }));

    beforeEach(async () => {
      const began = world().clock.monotonic();
      world().databaseNow = () => TRUE_TIME + world().clock.monotonic() - began;
      await world().restart();
    });

    it("counts hits and responses for the day that the database says", async () => {
      await world().beacon({ p: "/late" });
      assert.equal((await world().survey({ sv: 1, c: "late" })).status, 204);
      await world().service.store.upkeep();
      world().clock.advance(MINUTE_MS);
      world().clock.setWall("1999-12-31T00:00:00Z");
      await world().beacon({ p: "/early" });
      await world().service.store.upkeep();
      assert.deepEqual((await world().stats({ day: "2026-03-04" })).path, { "/late": 1 });
      const { comments } = await world().read("/surveys", { sv: 1 });
      assert.deepEqual(comments, [{ day: "2026-03-04", c: "late" }]);
      const { day, path, hour, pending, warnings } = await world().stats();
      assert.deepEqual([day, path, hour], ["2026-03-05", { "/early": 1 }, { "00": 1 }]);
      assert.deepEqual([pending, warnings], [undefined, undefined]);
    });

    it("shows its owner the days of the database", async () => {
      await world().beacon({ p: "/" });
      const { sites } = await new Owner(world()).get("/api/site-activity");
      assert.deepEqual([sites[0].last, sites[0].week.at(-1)], ["2026-03-04T23", 1]);
    });
  });
