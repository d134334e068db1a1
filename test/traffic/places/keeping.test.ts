import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { type EngineName, engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { caughtUp, SimulatedSide } from "./places.ts";

const KEEP_DAYS = 3;
const RETENTION_DAYS = 400;
const MINUTE_MS = 60_000;

interface Kept extends AsyncDisposable {
  readonly place: SimulatedSide;
  readonly home: SimulatedSide;
  /** Home has all, and its next question says so. */
  fetched(): Promise<void>;
  /** Time passes on both sides, and each settles. */
  days(n: number): Promise<void>;
}

/** A place with three views of its first day, and a home that was invited. */
async function kept(engine: EngineName): Promise<Kept> {
  const place = new SimulatedSide("frankfurt", engine, { placeKeepDays: KEEP_DAYS });
  const home = new SimulatedSide("home", engine);
  for (const side of [home, place]) {
    await side.boot();
    await side.again(() => side.numbers.write("createSite", { id: "blog" }));
  }
  await home.addPlace("frankfurt");
  const days = async (n: number) => {
    for (const side of [place, home]) {
      side.clock.jump(n * DAY_MS);
      await side.wait(side.numbers.upkeep.anew());
    }
  };
  const fetched = async () => {
    await caughtUp(home, place);
    // The time run of a fleet is written now and then: its next cursor is after all that was settled.
    await days(1);
    await place.count("blog", "/later", 1);
    await caughtUp(home, place);
    // Its next question says what it has, once a minute.
    place.clock.jump(MINUTE_MS);
    await caughtUp(home, place);
  };
  await place.invite("home");
  await place.count("blog", "/", 3);
  await place.wait(place.numbers.upkeep.anew());
  return {
    ...{ place, home, fetched, days },
    async [Symbol.asyncDispose]() {
      await home.end();
      await place.end();
    },
  };
}

/** The views of the path that was counted at first. */
async function first(side: SimulatedSide): Promise<number> {
  const counts = [...(await side.stored())].filter(([key]) => key.endsWith(" /"));
  return counts.reduce((sum, [, n]) => sum + n, 0);
}

onEachEngine(() => {
  const engine = engineOfSuite();
  describe("a place", () => {
    it("keeps days that its home has for a few days more, and home keeps them", async () => {
      await using all = await kept(engine);
      await all.fetched();
      assert.equal(await first(all.place), 3);
      await all.days(KEEP_DAYS + 1);
      // A busy machine settles later: home goes on asking.
      await all.fetched();
      await all.days(1);
      assert.equal(await first(all.place), 0);
      await caughtUp(all.home, all.place);
      assert.equal(await first(all.home), 3);
    });

    it("keeps days that no home has as any collector does", async () => {
      await using all = await kept(engine);
      await all.days(KEEP_DAYS + 2);
      assert.equal(await first(all.place), 3);
      await all.days(RETENTION_DAYS - KEEP_DAYS);
      assert.equal(await first(all.place), 0);
    });

    it("keeps days that one of its homes lacks", async () => {
      await using all = await kept(engine);
      await all.place.invite("other");
      await all.fetched();
      await all.days(KEEP_DAYS + 1);
      assert.equal(await first(all.place), 3);
    });

    it("keeps days that homes had of data that were its own before", async () => {
      await using all = await kept(engine);
      await all.place.backUp();
      await all.fetched();
      await all.place.goBack();
      await all.days(KEEP_DAYS + 1);
      // A fleet's standby that is promoted lacks nothing, and is other data, too.
      assert.equal(await first(all.place), 3);
    });
  });
});
