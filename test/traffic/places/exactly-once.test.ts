import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { changesAfter } from "../../../appliance/traffic/places/changes.ts";
import { type EngineName, engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { caughtUp, SimulatedSide } from "./places.ts";

interface Pair {
  readonly home: SimulatedSide;
  readonly place: SimulatedSide;
  /** Fetches until all that the place has is here. */
  catchUp(): Promise<void>;
}

async function pair(engine: EngineName): Promise<Pair & AsyncDisposable> {
  const home = new SimulatedSide("home", engine);
  const place = new SimulatedSide("frankfurt", engine);
  for (const side of [home, place]) {
    await side.boot();
    await side.again(() => side.numbers.write("createSite", { id: "blog" }));
  }
  await home.addPlace("frankfurt");
  return {
    home,
    place,
    catchUp: () => caughtUp(home, place),
    async [Symbol.asyncDispose]() {
      await home.end();
      await place.end();
    },
  };
}

onEachEngine(() => {
  const engine = engineOfSuite();
  describe("a place's counts at home", () => {
    it("are those that it has answered, once each", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 3);
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
      await place.count("blog", "/a", 2);
      await place.count("blog", "/", 1);
      await catchUp();
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("stay those where the place settles in between, and home was away for days", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 3);
      await catchUp();
      for (let day = 0; day < 3; day++) {
        await place.count("blog", `/day-${day}`, 2);
        for (const side of [home, place]) side.clock.jump(DAY_MS);
        await place.wait(place.numbers.upkeep.anew());
        await home.wait(home.numbers.upkeep.anew());
      }
      await place.count("blog", "/now", 1);
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("stay those where batches of theirs are here, and blocks change while days are merged", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 3);
      await catchUp();
      await place.count("blog", "/", 2);
      for (const side of [home, place]) side.clock.jump(DAY_MS);
      await place.wait(place.numbers.upkeep.anew());
      const { numbers } = home;
      const read = numbers.read.bind(numbers);
      let merges = 0;
      numbers.read = async (...asked: Parameters<typeof read>): Promise<never> => {
        const answer = (await read(...asked)) as never;
        if (asked[0] !== "placeDays") return answer;
        merges += 1;
        if (merges <= 3) await numbers.write("createSite", { id: `shop-${merges}` });
        if (merges <= 3) await numbers.write("eraseSite", { id: `shop-${merges}` });
        return answer;
      };
      await catchUp();
      assert.ok(merges > 3);
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("come from a process of the place that was gone before they were fetched", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 3);
      await catchUp();
      for (let round = 0; round < 3; round++) {
        await place.restart();
        await place.count("blog", "/", 3);
        await place.restart();
        // A process that has stopped, and whose log is folded, is forgotten.
        await place.wait(place.numbers.upkeep.anew());
        await place.wait(place.numbers.upkeep.anew());
        await catchUp();
        assert.deepEqual(await home.stored(), place.counted);
      }
    });

    it("come with responses to surveys, once each", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      const [{ key } = { key: 0 }] = place.numbers.directory.sites;
      const answer = async (text: string) =>
        place.numbers.addSurvey(key, 1, JSON.stringify({ sv: 1, c: text }));
      const came = async () =>
        home.read(async ({ rows }) =>
          (await rows<{ payload: string }>("SELECT payload FROM survey ORDER BY payload")).map(
            ({ payload }) => JSON.parse(payload).c,
          ),
        );
      await answer("a");
      await answer("b");
      await catchUp();
      assert.deepEqual(await came(), ["a", "b"]);
      await answer("c");
      await catchUp();
      await home.again(() =>
        home.numbers.write("changePlaces", [
          { kind: { name: "place_state", of: "fleet" }, put: [], remove: ["frankfurt"] },
        ]),
      );
      await catchUp();
      assert.deepEqual(await came(), ["a", "b", "c"]);
    });

    it("come to a home that is new", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 3);
      await place.wait(place.numbers.upkeep.anew());
      for (const side of [home, place]) side.clock.jump(30 * HOUR_MS);
      await place.count("blog", "/b", 4);
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("are counted once where two fetch at a time", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      for (let round = 0; round < 4; round++) {
        await place.count("blog", `/${round}`, 2);
        await Promise.all(
          [1, 2, 3].map(() => home.fetch("frankfurt", place.asked(home)).catch(() => {})),
        );
      }
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("come whole for a site that is ours only later", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.again(() => place.numbers.write("createSite", { id: "shop" }));
      await place.count("shop", "/", 2);
      await place.count("blog", "/", 1);
      await catchUp();
      assert.equal((await home.stored()).size, 1);
      await place.count("shop", "/b", 3);
      await home.again(() => home.numbers.write("createSite", { id: "shop" }));
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("stay those of a site that gets another name at home", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 2);
      await catchUp();
      await home.again(() => home.numbers.write("renameSite", { id: "blog", to: "weblog" }));
      await place.count("blog", "/", 3);
      await catchUp();
      assert.deepEqual([...(await home.stored()).values()], [5]);
    });

    it("come under the names that values have at home, though the place was not told", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/old", 2);
      await catchUp();
      await place.count("blog", "/old", 3);
      await place.wait(place.numbers.upkeep.anew());
      const rule = { dimension: "path", from: "/old", to: "/new" } as const;
      await home.again(() => home.numbers.write("mergeValues", { id: "blog", rule }));
      await home.wait(home.numbers.upkeep.anew());
      // Batches are folded by those days that come whole, and others by home.
      await catchUp();
      await place.count("blog", "/old", 4);
      await catchUp();
      await home.wait(home.numbers.upkeep.anew());
      const paths = [...(await home.stored())].map(([key, n]) => [key.split(" ").at(-1), n]);
      assert.deepEqual(paths, [["/new", 9]]);
    });

    it("are live for five minutes where they come at once, and not where home was away", async () => {
      await using both = await pair(engine);
      const { home, place } = both;
      const [{ key = 0 } = {}] = home.numbers.directory.sites;
      const live = () => home.numbers.live.of(key);
      // Time does not pass at home meanwhile.
      const fetcher = home.fetcher("frankfurt", place.asked(home));
      for (const views of [3, 4]) {
        await place.count("blog", "/", views);
        await fetcher.once();
        assert.equal(live(), 0);
      }
      await place.count("blog", "/", 2);
      await fetcher.once();
      assert.equal(live(), 2);
      home.clock.jump(4 * 60_000);
      await place.count("blog", "/", 5);
      await fetcher.once();
      assert.equal(live(), 2);
      home.clock.jump(2 * 60_000);
      assert.equal(live(), 0);
      await both.catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("come once the clock is set, though another home has not confirmed what was before", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 1);
      await catchUp();
      const [{ body } = assert.fail("nothing was fetched")] = await home.wait(
        home.numbers.read("shared", { kind: "place_state" }),
      );
      await place.restart(false);
      await place.count("blog", "/waits", 2);
      const { cursor } = JSON.parse(body);
      place.numbers.confirmed.asked("another", cursor);
      // Time stands still in a file: nothing is let go since it was held for long.
      if (engine === "SQLite") {
        place.clock.becomeSure();
        const units = changesAfter(place.numbers, "home", cursor, new AbortController().signal);
        const { value } = await units.next();
        await units.return(undefined);
        assert.equal(value?.days.length, 1);
      } else await place.setClock();
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });

    it("are no more where the cursor was lost", async () => {
      await using both = await pair(engine);
      const { home, place, catchUp } = both;
      await place.count("blog", "/", 3);
      await catchUp();
      await place.count("blog", "/", 3);
      await catchUp();
      await home.again(() =>
        home.numbers.write("changePlaces", [
          { kind: { name: "place_state", of: "fleet" }, put: [], remove: ["frankfurt"] },
        ]),
      );
      await place.count("blog", "/", 1);
      await catchUp();
      assert.deepEqual(await home.stored(), place.counted);
    });
  });
});
