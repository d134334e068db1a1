import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { kept } from "../helpers/kept.ts";
import { keyOf, views } from "../helpers/traffic.ts";
import { World } from "../helpers/world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The time of the board after a boot, two months behind. */
const SAVED = "2026-01-10T22:50:00Z";
const FIRST_BOOT = "boot-id-0a5c";

describe("while the clock is unsure", () => {
  let world: World;
  let last: World | undefined;

  /** The board boots: a new boot id, monotonic time from the beginning, a clock nobody set. */
  async function boot(saved: string, id: string, sure = false): Promise<FakeClock> {
    await last?.stop();
    const clock = new FakeClock(saved, { sure, boot: id });
    world = new World({
      clock,
      after: last,
      env: { SITES: "blog,shop", RETENTION_DAYS: "30", BADGE_SITES: "blog" },
    });
    last = world;
    await world.start();
    return clock;
  }

  beforeEach(async () => {
    last = undefined;
    await boot(SAVED, FIRST_BOOT);
  });
  afterEach(() => world.end());

  /** Waiting hits, as another process sees them. */
  const waiting = () => kept(world.dataDir).waiting;

  /** Views by hour of a day, like `{"23": 2}`; with the day of the week. */
  async function hours(day: string) {
    const { hour = {}, dowhour = {} } = await world.stats({ day });
    return { hour, dowhour };
  }

  const allFiled = () => world.service.store.upkeep();

  it("hits are answered, kept, and counted as pending", async () => {
    const reply = await world.beacon({ p: "/" });
    assert.deepEqual([reply.status, reply.headers["content-type"]], [200, "image/gif"]);
    await world.ping({});
    await world.beacon({ p: "/" }, { s: "shop" });
    const { pv, app, pending, warnings } = await world.stats();
    assert.deepEqual([pv, app, pending, warnings], [undefined, undefined, 2, ["clock_not_set"]]);
    assert.equal((await world.stats({ site: "shop" })).pending, 1);
  });

  it("hits are kept with boot id and monotonic time, before the reply", async () => {
    world.clock.advance(5_000);
    const at = world.clock.monotonic();
    await world.beacon({ p: "/" });
    assert.deepEqual(waiting(), [
      { boot: FIRST_BOOT, at, saved_clock: Date.parse(SAVED) + 5_000, hits: 1 },
    ]);
  });

  it("hits of the same second share a row", async () => {
    await views(world, Array(500).fill({ path: "/" }));
    assert.equal(waiting().length, 1);
    assert.equal((await world.stats()).pending, 500);
  });

  it("hits are filed under their UTC day and hour once it is sure, across midnight too", async () => {
    await world.beacon({ p: "/before" });
    world.clock.advance(30 * MINUTE_MS);
    await world.beacon({ p: "/before" });
    world.clock.advance(60 * MINUTE_MS);
    await world.beacon({ p: "/after", u: "1" });
    await world.ping({ v: "1.2.3" });
    world.clock.advance(30 * MINUTE_MS);
    // The first came at 23:10 of Wednesday, the last at 00:40 of Thursday.
    world.clock.becomeSure("2026-03-05T01:10:00Z");
    await allFiled();

    assert.deepEqual(await hours("2026-03-04"), { hour: { "23": 2 }, dowhour: { "3-23": 2 } });
    assert.deepEqual(await hours("2026-03-05"), { hour: { "00": 1 }, dowhour: { "4-00": 1 } });
    const { path, uv, app, app_version, pending, warnings } = await world.stats();
    assert.deepEqual(
      { path, uv, app, app_version, pending, warnings },
      {
        path: { "/after": 1 },
        uv: { _: 1 },
        app: { _: 1 },
        app_version: { "1.2.3": 1 },
        pending: undefined,
        warnings: undefined,
      },
    );
    assert.equal((await world.stats({ day: "2026-01-10" })).pv, undefined);
  });

  it("all is filed at once when it becomes sure", async () => {
    await world.beacon({ p: "/" });
    await world.survey({ sv: 1 });
    // The upkeep of the start may still run, and know nothing of it.
    world.clock.becomeSure("2026-03-05T01:10:00Z");
    while ((await world.stats()).pending !== undefined);
    assert.deepEqual((await hours("2026-03-05")).hour, { "01": 1 });
    assert.equal((await world.read("/surveys")).total, 1);
  });

  it("what is committed only then is filed at once, too", async () => {
    const stored = views(world, [{ path: "/" }]);
    world.clock.becomeSure("2026-03-05T01:10:00Z");
    await stored;
    while ((await world.stats()).pending !== undefined);
    assert.deepEqual((await hours("2026-03-05")).hour, { "01": 1 });
  });

  it("hits count in the totals of all time once", async () => {
    await views(world, Array(7).fill({ path: "/" }));
    world.clock.becomeSure("2026-03-05T01:10:00Z");
    await allFiled();
    await allFiled();
    assert.match((await world.ask("/badge?site=blog&days=all")).text, /views \(all\): 7"/);
  });

  it("they are filed also when the service was restarted in between", async () => {
    await world.beacon({ p: "/" });
    world.clock.advance(20 * MINUTE_MS);
    await world.restart();
    assert.equal((await world.stats()).pending, 1);
    world.clock.advance(20 * MINUTE_MS);
    await world.beacon({ p: "/" });
    await world.stop();
    world.clock.becomeSure("2026-03-05T00:10:00Z");
    await world.start();
    await allFiled();
    assert.deepEqual((await hours("2026-03-04")).hour, { "23": 1 });
    assert.deepEqual((await hours("2026-03-05")).hour, { "00": 1 });
  });

  it("surveys are kept and filed under their day", async () => {
    assert.equal((await world.survey({ sv: 1, c: "late on Wednesday" })).status, 204);
    assert.equal((await world.read("/surveys")).total, 0);
    assert.equal((await world.stats()).pending, undefined, "pending is of hits");
    world.clock.advance(2 * HOUR_MS);
    assert.equal((await world.survey({ sv: 1, c: "early on Thursday" })).status, 204);
    world.clock.becomeSure("2026-03-05T00:30:00Z");
    await allFiled();
    assert.deepEqual((await world.read("/surveys")).comments, [
      { day: "2026-03-05", c: "early on Thursday" },
      { day: "2026-03-04", c: "late on Wednesday" },
    ]);
  });

  it("surveys of a boot that ended so are filed by what its clock showed", async () => {
    await boot("2026-01-10T02:00:00Z", "boot-id-3c21");
    world.clock.advance(13 * HOUR_MS);
    await world.survey({ sv: 1, c: "afternoon" });
    await boot("2026-01-12T02:00:00Z", "boot-id-5d0e");
    await allFiled();
    assert.deepEqual((await world.read("/surveys")).comments, [
      { day: "2026-01-10", c: "afternoon" },
    ]);
  });

  it("a boot that ended so is filed by its saved clock, the present boot goes on waiting", async () => {
    await world.beacon({ p: "/first" });
    world.clock.advance(2 * HOUR_MS);
    await world.beacon({ p: "/first" });
    await world.survey({ sv: 1, c: "first" });

    const second = await boot("2026-01-11T00:55:00Z", "boot-id-77e1");
    await world.beacon({ p: "/second" });
    await allFiled();
    assert.deepEqual((await hours("2026-01-10")).hour, { "22": 1 });
    assert.deepEqual((await hours("2026-01-11")).hour, { "00": 1 });
    assert.deepEqual((await world.read("/surveys")).comments, [{ day: "2026-01-11", c: "first" }]);
    assert.equal((await world.stats()).pending, 1);

    second.becomeSure("2026-03-05T01:10:00Z");
    await allFiled();
    assert.deepEqual((await world.stats({ day: "2026-03-05" })).path, { "/second": 1 });
  });

  it("a boot whose clock was set on the way is filed by what it showed when each hit came", async () => {
    await world.beacon({ p: "/before" });
    world.clock.setWall("2026-02-20T10:30:00Z");
    await world.beacon({ p: "/after" });
    await boot("2026-02-21T01:00:00Z", "boot-id-77e1");
    await allFiled();
    const pathsOf = async (day: string) => (await world.stats({ day })).path;
    assert.deepEqual(await pathsOf("2026-01-10"), { "/before": 1 });
    assert.deepEqual(await pathsOf("2026-02-20"), { "/after": 1 });
  });

  it("a boot that ended so is filed when the next one is sure from the start", async () => {
    await world.beacon({ p: "/" });
    await boot("2026-01-12T01:00:00Z", "boot-id-77e1", true);
    await allFiled();
    assert.deepEqual((await hours("2026-01-10")).hour, { "22": 1 });
    assert.equal((await world.stats()).pending, undefined);
  });

  it("nothing is left of the stamp once all is filed", async () => {
    await world.beacon({ p: "/" });
    await world.survey({ sv: 1 });
    const { dataDir } = world;
    const holding = () =>
      readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(FIRST_BOOT));
    assert.notDeepEqual(holding(), []);
    world.clock.becomeSure("2026-03-05T01:10:00Z");
    await allFiled();
    assert.deepEqual(waiting(), []);
    assert.deepEqual(holding(), []);
  });

  it("nothing is dropped, though the clock be years ahead", async () => {
    const sure = await boot("2026-03-04T12:00:00Z", "boot-id-1", true);
    await views(world, [{ path: "/kept" }]);
    sure.advance(HOUR_MS);
    const ahead = await boot("2036-01-01T00:00:00Z", "boot-id-2");
    await allFiled();
    assert.deepEqual((await world.stats({ day: "2026-03-04" })).path, { "/kept": 1 });
    ahead.becomeSure("2026-04-02T12:00:00Z");
    await allFiled();
    assert.deepEqual((await world.stats({ day: "2026-03-04" })).path, { "/kept": 1 });
    ahead.setWall("2026-05-03T12:00:00Z");
    await allFiled();
    assert.deepEqual((await world.stats({ day: "2026-03-04" })).path, { "/kept": 1 });
    ahead.jump(30 * 24 * HOUR_MS);
    await allFiled();
    assert.equal((await world.stats({ day: "2026-03-04" })).path, undefined);
  });

  it("hits that cannot be stored either are filed by the hour they came", async () => {
    const holder = new Database(databaseFile(world.dataDir));
    holder.exec("BEGIN IMMEDIATE");
    const payload = JSON.stringify({ sv: 1, c: "c" });
    const send = () =>
      Promise.all([
        views(world, [{ path: "/" }]),
        world.service.store.numbers.addSurvey(keyOf(world), 1, payload),
      ]);
    const inCommit = send();
    await world.stats();
    const behind = send();
    world.clock.advance(2_000);
    world.clock.becomeSure("2026-03-05T00:00:01Z");
    holder.exec("COMMIT");
    holder.close();
    let answered = false;
    void Promise.all([inCommit, behind]).finally(() => {
      answered = true;
    });
    while (!answered) {
      await world.stats();
      world.clock.advance(1);
    }
    while ((await world.stats()).pending !== undefined);
    assert.deepEqual((await hours("2026-03-04")).hour, { "23": 2 });
    const { comments } = await world.read("/surveys");
    assert.deepEqual(comments, Array(2).fill({ day: "2026-03-04", c: "c" }));
  });

  it("hits go on while thousands are filed", async () => {
    for (let second = 0; second < 300; second++) {
      await views(world, [{ path: `/${second % 50}` }, { path: "/all" }]);
      world.clock.advance(1_000);
    }
    assert.equal((await world.stats()).pending, 600);
    world.clock.becomeSure("2026-03-04T12:00:00Z");
    let running = true;
    const filed = allFiled().finally(() => {
      running = false;
    });
    let more = 0;
    for (; running; more++) await world.beacon({ p: "/more" });
    await filed;
    const { pv, path, pending } = await world.stats();
    assert.deepEqual(
      [pv._, path["/all"], path["/more"], pending],
      [600 + more, 300, more, undefined],
    );
  });
});

describe("a clock that is believed", () => {
  it("makes nothing wait", async () => {
    const world = new World({ clock: new FakeClock("2026-03-04T23:59:59.999Z") });
    await world.start();
    try {
      await world.beacon({ p: "/" });
      world.clock.advance(1);
      await world.beacon({ p: "/" });
      const { pending, warnings, hour } = await world.stats();
      assert.deepEqual([pending, warnings, hour], [undefined, undefined, { "00": 1 }]);
      assert.deepEqual((await world.stats({ day: "2026-03-04" })).dowhour, { "3-23": 1 });
    } finally {
      await world.end();
    }
  });
});
