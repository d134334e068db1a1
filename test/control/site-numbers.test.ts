import assert from "node:assert/strict";
import { SiteNumbers } from "../../appliance/control/site-numbers.ts";
import { noAlarms } from "../helpers/no-alarms.ts";
import { Owner } from "../helpers/owner.ts";
import { eachWorld } from "../helpers/world.ts";

const HOUR_MS = 3_600_000;

describe("the numbers on the deck", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mk2" } });
  let numbers: SiteNumbers;
  beforeEach(() => {
    numbers = new SiteNumbers(world().service.store.numbers, noAlarms);
  });
  afterEach(() => numbers.close());
  const views = async (count: number) => {
    for (let view = 0; view < count; view += 1) await world().beacon({ p: "/", u: "1" });
  };
  const viewsAt = (time: string, count: number) => {
    world().clock.setWall(time);
    return views(count);
  };

  it("of a day are views against the same hours of that weekday a week before", async () => {
    await viewsAt("2026-02-25T09:00:00Z", 2);
    await viewsAt("2026-02-25T12:30:00Z", 3);
    await viewsAt("2026-02-25T13:00:00Z", 10);
    await viewsAt("2026-03-03T09:00:00Z", 1);
    await viewsAt("2026-03-04T00:10:00Z", 1);
    await viewsAt("2026-03-04T12:10:00Z", 7);
    const found = await numbers.numbers("blog", "pv", "day");
    assert.deepEqual([found?.value, found?.compared], [8, { now: 8, before: 5 }]);
    assert.deepEqual(found?.series, [1, ...Array(11).fill(0), 7]);
  });

  it("of a day are anything else against the same hours of that weekday, too", async () => {
    await viewsAt("2026-02-25T01:00:00Z", 3);
    await viewsAt("2026-02-25T23:00:00Z", 4);
    await viewsAt("2026-03-04T01:00:00Z", 1);
    const found = await numbers.numbers("blog", "uv", "day");
    const compared = { now: 1, before: 3 };
    assert.deepEqual(found, { value: 1, compared, series: [0, 0, 0, 0, 0, 0, 1], zone: "UTC" });
  });

  it("of seven days are against the seven before, but the hours that are still to come", async () => {
    await viewsAt("2026-02-18T23:00:00Z", 9);
    await viewsAt("2026-02-20T23:00:00Z", 2);
    await viewsAt("2026-02-25T11:00:00Z", 3);
    await viewsAt("2026-02-25T13:00:00Z", 4);
    await viewsAt("2026-03-04T12:00:00Z", 1);
    for (const metric of ["pv", "uv"] as const) {
      const found = await numbers.numbers("blog", metric, "7d");
      assert.deepEqual([found?.value, found?.compared], [1, { now: 1, before: 5 }]);
    }
  });

  for (const [period, days] of [
    ["7d", 7],
    ["30d", 30],
  ] as const)
    it(`of ${days} days are against the ${days} before`, async () => {
      const today = Date.UTC(2026, 2, 4, 12);
      for (const [ago, count] of [
        [2 * days, 5],
        [2 * days - 1, 3],
        [days, 2],
        [days - 1, 4],
        [0, 1],
      ] as const) {
        world().clock.setWall(today - ago * 24 * HOUR_MS);
        await views(count);
      }
      const found = await numbers.numbers("blog", "pv", period);
      assert.deepEqual(found, {
        value: 5,
        compared: { now: 5, before: 5 },
        series: [4, ...Array(days - 2).fill(0), 1],
      });
    });

  it("are not compared with days of which some are from before counting began", async () => {
    await viewsAt("2026-02-20T12:00:00Z", 1);
    await viewsAt("2026-03-04T12:00:00Z", 6);
    assert.equal((await numbers.numbers("blog", "pv", "7d"))?.compared, null);
    assert.equal((await numbers.numbers("blog", "pv", "day"))?.compared?.now, 6);
  });

  it("stay right when days are packed away", async () => {
    await viewsAt("2026-02-27T12:00:00Z", 6);
    world().clock.setWall("2026-03-04T12:00:00Z");
    await world().service.store.upkeep();
    assert.equal((await numbers.numbers("blog", "pv", "7d"))?.value, 6);
  });

  it("of bots are all of them", async () => {
    await world().beacon({ p: "/" }, { headers: { "user-agent": "Googlebot/2.1" } });
    await world().beacon({ ev: "bot" });
    assert.equal((await numbers.numbers("blog", "bot", "day"))?.value, 2);
  });

  it("have nothing to compare with at first", async () => {
    assert.deepEqual(await numbers.numbers("blog", "app", "day"), {
      value: 0,
      compared: null,
      series: [0, 0, 0, 0, 0, 0, 0],
      zone: "UTC",
    });
  });

  it("of now are the views of five minutes, which become fewer by themselves", async () => {
    await views(2);
    world().clock.advance(60_000);
    await views(1);
    const found = await numbers.numbers("blog", "pv", "now");
    assert.deepEqual(found, { value: 3, compared: null, series: [0, 0, 0, 0, 0, 0, 0, 2, 0, 1] });
    let told = 0;
    numbers.changed.on(() => told++);
    world().clock.advance(5_000);
    assert.equal(told, 1);
    world().clock.advance(4 * 60_000);
    assert.equal((await numbers.numbers("blog", "pv", "now"))?.value, 1);
  });

  it("of now are asked for again only while somebody is there and somebody looks", async () => {
    let told = 0;
    numbers.changed.on(() => told++);
    await numbers.numbers("blog", "pv", "now");
    world().clock.advance(60_000);
    assert.equal(told, 0);
    await views(1);
    told = 0;
    await numbers.numbers("blog", "pv", "now");
    world().clock.advance(60_000);
    assert.equal(told, 1);
  });

  it("of a site that does not exist are none", async () => {
    assert.equal(await numbers.numbers("none", "pv", "day"), undefined);
  });

  it("show on a key within a second of a hit", async () => {
    const owner = new Owner(world());
    await owner.ask("PUT", "/api/decks/virtual-mk2/slots/k4", {
      widget: { type: "stat", site: "blog", metric: "pv", period: "day" },
    });
    world().clock.advance(1_000);
    const events = await owner.listen();
    const isStat = ({ slot }: { slot: string }) => slot === "k4";
    await views(1);
    world().clock.advance(1_000);
    await events.next("slots", isStat);
    events.close();
  });

  it("compare with other hours when the hour is over, though nobody came", () => {
    const seen: number[] = [];
    numbers.changed.on(() => seen.push(world().clock.now()));
    world().clock.setWall("2026-03-04T12:59:00Z");
    world().clock.advance(HOUR_MS);
    assert.ok(seen.length >= 1);
  });

  it("say nothing once they are closed", async () => {
    const seen: string[] = [];
    numbers.changed.on(() => seen.push("changed"));
    numbers.close();
    await views(1);
    world().clock.advance(HOUR_MS);
    assert.deepEqual(seen, []);
  });
});
