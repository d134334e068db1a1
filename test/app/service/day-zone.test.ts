import assert from "node:assert/strict";
import { brotliDecompressSync } from "node:zlib";
import Database from "better-sqlite3";
import { dayOf, formatDay } from "../../../appliance/base/calendar.ts";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { onOneEngine } from "../../helpers/engines.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { eachWorld, type World } from "../../helpers/world.ts";

async function viewsAt(world: World, ...moments: string[]): Promise<void> {
  for (const moment of moments) {
    world.clock.setWall(moment);
    await world.beacon({ p: "/" });
  }
}

/** Counts of a day by hour, and by weekday and hour. */
async function hoursOf(world: World, day: string) {
  const { hour = {}, dowhour = {} } = await world.stats({ day });
  return { hour, dowhour };
}

/** Notes a zone in the database of a world that has stopped. */
async function note(world: World, setting: string): Promise<void> {
  const upsert = `INSERT INTO document (kind, id, body, revision)
    VALUES ('day_zone', 'only', '${setting}', 1)
    ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body`;
  if (world.isOnPostgres) return void (await world.rows(upsert));
  const db = new Database(databaseFile(world.dataDir));
  db.exec(upsert);
  db.close();
}

onOneEngine(() => {
  describe("days without DAY_ZONE", () => {
    const world = eachWorld();

    it("are UTC's, and answers say so", async () => {
      await viewsAt(world(), "2026-03-04T23:59:59Z", "2026-03-05T00:00:00Z");
      const { zone, day, pv } = await world().stats();
      assert.deepEqual([zone, day, pv], ["UTC", "2026-03-05", { _: 1 }]);
      assert.equal((await world().read("/overview")).zone, "UTC");
    });
  });

  describe("days of DAY_ZONE", () => {
    const world = eachWorld({ env: { DAY_ZONE: "Europe/Zurich" } });

    it("begin at its midnight from the first start on, and answers carry its name", async () => {
      await viewsAt(world(), "2026-03-04T22:59:59Z", "2026-03-04T23:00:00Z");
      const { zone, day, pv, live } = await world().stats();
      assert.deepEqual([zone, day, pv, live], ["Europe/Zurich", "2026-03-05", { _: 1 }, 2]);
      assert.deepEqual(await hoursOf(world(), "2026-03-04"), {
        hour: { 23: 1 },
        dowhour: { "3-23": 1 },
      });
      const { to, zone: ofAll, sites } = await world().read("/overview");
      assert.deepEqual(
        [to, ofAll, sites[0].last],
        ["2026-03-05", "Europe/Zurich", "2026-03-05T00"],
      );
      assert.deepEqual(sites[0].week, [0, 0, 0, 0, 0, 1, 1]);
    });

    it("have 23 hours in spring and 25 in autumn", async () => {
      await viewsAt(world(), "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z");
      assert.deepEqual((await hoursOf(world(), "2026-03-29")).hour, { "01": 1, "03": 1 });
      await viewsAt(world(), "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z");
      assert.deepEqual(await hoursOf(world(), "2026-10-25"), {
        hour: { "02": 2 },
        dowhour: { "0-02": 2 },
      });
      await viewsAt(world(), "2026-10-25T22:59:59Z");
      assert.equal((await world().stats()).day, "2026-10-25");
    });

    it("are those of the badge, of decks, and of the Web UI", async () => {
      const badges = world();
      await badges.restart({ BADGE_SITES: "blog" });
      await viewsAt(badges, "2026-03-04T22:30:00Z", "2026-03-04T23:30:00Z", "2026-03-04T23:31:00Z");
      assert.match((await badges.ask("/badge?site=blog&days=1")).text, />2</);
      const { json } = await badges.askControl("/api/site-activity");
      assert.equal(json.zone, "Europe/Zurich");
      const [{ week, last }] = json.sites;
      assert.deepEqual([week.slice(-2), last], [[1, 2], "2026-03-05T00"]);
    });

    it("are those of surveys, and one that is full takes responses again at midnight", async () => {
      world().clock.setWall("2026-03-04T23:30:00Z");
      assert.equal((await world().survey({ sv: 1, c: "late" })).status, 204);
      const { comments } = await world().read("/surveys", { sv: 1 });
      assert.deepEqual(comments, [{ day: "2026-03-05", c: "late" }]);
      const { store } = world().service;
      const [site] = store.numbers.directory.sites;
      const many = Array.from({ length: 250 }, () => "{}");
      for (let n = 1; n < 5_000; n += many.length)
        await Promise.all(
          many.slice(0, 5_000 - n).map((json) => store.numbers.addSurvey(site?.key ?? 0, 1, json)),
        );
      const full = await world().survey({ sv: 1 });
      assert.equal(full.status, 429);
      assert.equal(full.headers["retry-after"], String(23.5 * 3_600));
    });

    it("end on keys with the day's numbers", async () => {
      await viewsAt(world(), "2026-03-04T22:58:00Z");
      const { store } = world().service;
      const { SiteNumbers } = await import("../../../appliance/control/site-numbers.ts");
      const { noAlarms } = await import("../../helpers/no-alarms.ts");
      const numbers = new SiteNumbers(store.numbers, noAlarms);
      assert.equal((await numbers.numbers("blog", "pv", "day"))?.value, 1);
      const changed = new Promise<void>((resolve) => numbers.changed.on(() => resolve()));
      world().clock.advance(2 * 60_000);
      await changed;
      const now = await numbers.numbers("blog", "pv", "day");
      assert.deepEqual([now?.value, now?.compared, now?.series], [0, null, [0]]);
      numbers.close();
    });

    it("are what the script judges a day's first view by", async () => {
      const { body, headers } = await world().ask("/s.js", {
        headers: { "accept-encoding": "br" },
      });
      const plain = await world().ask("/s.js");
      assert.equal(plain.text.split("+3600000)").length, 2);
      assert.equal(brotliDecompressSync(body).toString(), plain.text);
      assert.equal(headers.etag, plain.headers.etag);
      const again = await world().ask("/s.js", {
        headers: { "if-none-match": String(headers.etag) },
      });
      assert.equal(again.status, 304);
    });
  });

  describe("the numbers on the command line", () => {
    const world = eachWorld({ env: { DAY_ZONE: "Pacific/Kiritimati" } });

    it("are of the zone's days, and say so", async () => {
      const asked = ["stats", "blog", "--days", "1", ...world().dataArgs];
      const { code, out } = await tallydeck(asked, { TZ: "Europe/Zurich" });
      assert.equal(code, 0);
      const today = formatDay(dayOf(Date.now() + 14 * 3_600_000));
      assert.equal(out.split("\n")[0], `blog, ${today} (Pacific/Kiritimati)`);
    });
  });

  describe("a noted zone that this machine does not know", () => {
    const world = eachWorld();
    const NOTED = '{"zone":"Mars/Olympus","before":null}';

    beforeEach(async () => {
      await viewsAt(world(), "2026-03-04T12:00:00Z");
      await world().stop();
      await note(world(), NOTED);
    });
    const noted = async () =>
      (await world().rows("SELECT * FROM document WHERE kind = 'day_zone'"))[0];
    const said = () => world().said.filter((line) => line.includes("Mars/Olympus"));

    it("counts by UTC, says so once, and stays noted", async () => {
      await world().start();
      await viewsAt(world(), "2026-03-04T23:59:59Z");
      const { zone, day, pv } = await world().stats();
      assert.deepEqual([zone, day, pv], ["UTC", "2026-03-04", { _: 2 }]);
      assert.equal(said().length, 1, world().said.join("\n"));
      assert.match(
        String(said()[0]),
        /Days are to be those of Mars\/Olympus, a time zone that this machine does not know: here they are UTC's until it does\. Update Tallydeck, or name another with DAY_ZONE\./,
      );
      assert.match(JSON.stringify(await noted()), /Mars\/Olympus/);
    });

    it("is not what the first site may name", async () => {
      await world().start({ SITES: "" });
      const owner = new Owner(world());
      await owner.ask("DELETE", "/api/sites/blog?confirm=blog");
      assert.equal((await owner.get("/api/sites")).asksZone, false);
      const site = { id: "shop", zone: "Asia/Tokyo" };
      assertError(await owner.ask("POST", "/api/sites", site), 400, "invalid_field");
    });

    it("gives way to one that the owner names, but not where others count by it", async () => {
      await world().start({ DAY_ZONE: "Europe/Zurich" });
      const isKept = /Mars\/Olympus/.test(JSON.stringify(await noted()));
      assert.equal(isKept, world().isOnPostgres);
    });
  });

  describe("days where only a site that is retired has counted", () => {
    const world = eachWorld();

    it("become those of DAY_ZONE at its next midnight, as where there are others", async () => {
      await viewsAt(world(), "2026-03-04T12:00:00Z");
      await world().restart({ SITES: "" });
      await world().restart({ SITES: "", DAY_ZONE: "Europe/Zurich" });
      await world().restart({ DAY_ZONE: "Europe/Zurich" });
      assert.equal((await world().stats()).zone, "UTC");
      await viewsAt(world(), "2026-03-04T23:00:00Z");
      assert.equal((await world().stats()).zone, "Europe/Zurich");
    });
  });

  describe("days of a zone of half an hour", () => {
    const world = eachWorld({ env: { DAY_ZONE: "Asia/Kolkata" } });

    it("begin at half past of UTC", async () => {
      await viewsAt(world(), "2026-03-04T18:29:59Z", "2026-03-04T18:30:00Z");
      assert.deepEqual((await hoursOf(world(), "2026-03-04")).hour, { 23: 1 });
      assert.deepEqual((await hoursOf(world(), "2026-03-05")).hour, { "00": 1 });
    });
  });

  describe("days of a zone to the west", () => {
    const world = eachWorld({ env: { DAY_ZONE: "America/New_York" } });

    it("lose nothing where a clock stands at its beginning, which is a day before all others there", async () => {
      await viewsAt(world(), "1970-01-01T01:00:00Z", "2026-03-04T12:00:00Z");
      await world().service.store.upkeep();
      assert.deepEqual(await hoursOf(world(), "1970-01-01"), {
        hour: { "00": 1 },
        dowhour: { "4-00": 1 },
      });
    });
  });

  describe("days of a zone that crossed the date line", () => {
    const clock = () => ({ clock: new FakeClock("2011-12-29T12:00:00Z") });
    const world = eachWorld(() => ({ ...clock(), env: { DAY_ZONE: "Pacific/Apia" } }));

    it("leave one out", async () => {
      await viewsAt(world(), "2011-12-30T09:59:59Z", "2011-12-30T10:00:00Z");
      const { series } = await world().stats({ from: "2011-12-29", series: 1 });
      assert.deepEqual(
        series.map(([day, pv]: [string, number]) => [day, pv]),
        [
          ["2011-12-29", 1],
          ["2011-12-30", 0],
          ["2011-12-31", 1],
        ],
      );
    });
  });

  describe("a zone that becomes another in the middle of a day", () => {
    const world = eachWorld();
    /** All who share the database go by another from its next midnight on. */
    async function become(zone: string): Promise<void> {
      if (!world().isOnPostgres) return world().restart({ DAY_ZONE: zone });
      const { Connection } = await import(
        "../../../appliance/store/postgres/connection/connection.ts"
      );
      const { parseDatabaseUrl } = await import(
        "../../../appliance/store/postgres/connection/url.ts"
      );
      const { FleetDb } = await import("../../../appliance/store/postgres/db.ts");
      const { nameZone } = await import("../../../appliance/store/sites/writes.ts");
      const url = world().dataArgs.at(-1) ?? "";
      const connection = new Connection(
        { ...parseDatabaseUrl(url), name: "test" },
        { clock: world().clock, role: "chores" },
      );
      const now = world().clock.now();
      await new FleetDb(connection).transaction((sql) => nameZone(sql, { zone, now }));
      await connection.close();
      await world().restart();
    }

    it("ends the day that runs at its own midnight to the east, and leaves those before", async () => {
      await viewsAt(world(), "2026-03-03T23:30:00Z", "2026-03-04T12:00:00Z");
      await become("Europe/Zurich");
      assert.equal((await world().stats()).zone, "UTC");
      await viewsAt(world(), "2026-03-04T22:59:59Z");
      assert.deepEqual((await hoursOf(world(), "2026-03-04")).hour, { 12: 1, 22: 1 });
      await viewsAt(world(), "2026-03-04T23:00:00Z");
      const { zone, day, hour } = await world().stats();
      assert.deepEqual([zone, day, hour], ["Europe/Zurich", "2026-03-05", { "00": 1 }]);
      assert.deepEqual((await hoursOf(world(), "2026-03-03")).hour, { 23: 1 });
    });

    it("is told with the days of a range that holds it, and of some before", async () => {
      await viewsAt(world(), "2026-03-04T12:00:00Z");
      await become("Europe/Zurich");
      const told = async (from: string, to?: string) =>
        (await world().stats({ from, ...(to && { to }) })).zoneChange;
      assert.equal(await told("first"), undefined);
      await viewsAt(world(), "2026-03-07T12:00:00Z");
      const change = { from: "2026-03-05", before: "UTC" };
      assert.deepEqual(await told("first"), change);
      assert.deepEqual(await told("2026-03-04", "2026-03-05"), change);
      assert.equal(await told("2026-03-05"), undefined);
      assert.equal(await told("2026-03-03", "2026-03-04"), undefined);
    });

    it("is told to the owner until then", async () => {
      const days = async () => (await new Owner(world()).get("/api/box")).days;
      await viewsAt(world(), "2026-03-04T12:00:00Z");
      assert.deepEqual(await days(), { zone: "UTC", ahead: null });
      await become("Europe/Zurich");
      const ahead = "From 2026-03-05 on days are those of Europe/Zurich; until then, of UTC.";
      assert.deepEqual(await days(), { zone: "UTC", ahead });
      await viewsAt(world(), "2026-03-04T23:00:00Z");
      assert.deepEqual(await days(), { zone: "Europe/Zurich", ahead: null });
    });

    it("goes on with the day that runs to the west", async () => {
      await become("America/Los_Angeles");
      await viewsAt(world(), "2026-03-04T23:30:00Z", "2026-03-05T07:59:59Z");
      assert.equal((await world().stats()).day, "2026-03-04");
      await viewsAt(world(), "2026-03-05T08:00:00Z");
      const { day, zone, hour } = await world().stats();
      assert.deepEqual([day, zone, hour], ["2026-03-05", "America/Los_Angeles", { "00": 1 }]);
      assert.deepEqual(await hoursOf(world(), "2026-03-04"), {
        hour: { 23: 1, "07": 1 },
        dowhour: { "3-23": 1, "3-07": 1 },
      });
    });

    it("stays the zone when the configuration names none any more", async () => {
      await become("Asia/Tokyo");
      world().clock.setWall("2026-03-05T15:00:00Z");
      await world().restart();
      const { day, zone } = await world().stats();
      assert.deepEqual([day, zone], ["2026-03-06", "Asia/Tokyo"]);
      assert.match((await world().ask("/s.js")).text, /\+32400000\)/);
    });
  });
});

describe("hits that wait for the clock", () => {
  const clock = () => new FakeClock("2026-01-01T00:00:00Z", { sure: false });
  const world = eachWorld(() => ({ clock: clock(), env: { DAY_ZONE: "Asia/Kolkata" } }));

  it("count for the day of the zone on which they came in", async () => {
    await world().beacon({ p: "/" });
    await world().survey({ sv: 1, c: "early" });
    world().clock.advance(3_600_000);
    world().clock.becomeSure("2026-03-04T19:15:00Z");
    await world().service.store.upkeep();
    assert.deepEqual((await hoursOf(world(), "2026-03-04")).hour, { 23: 1 });
    const { comments } = await world().read("/surveys", { sv: 1 });
    assert.equal(comments[0].day, "2026-03-04");
  });
});

describe("a backup", () => {
  const world = eachWorld({ engine: "SQLite", env: { DAY_ZONE: "Europe/Zurich" } });

  it("brings its zone; where the box names another, that is in force from its midnight on", async () => {
    await viewsAt(world(), "2026-03-04T12:00:00Z");
    const { body } = await world().askControl("/api/backup");
    await world().restart({ DAY_ZONE: "Asia/Tokyo" });
    world().clock.setWall("2026-03-06T12:00:00Z");
    assert.equal((await world().stats()).zone, "Asia/Tokyo");
    const headers = { "content-type": "application/octet-stream" };
    const restored = await world().askControl("/api/restore", { method: "POST", headers, body });
    assert.equal(restored.status, 204);
    assert.equal((await world().stats()).zone, "Europe/Zurich");
    world().clock.setWall("2026-03-06T15:00:00Z");
    const { zone, day } = await world().stats();
    assert.deepEqual([zone, day], ["Asia/Tokyo", "2026-03-07"]);
  });
});

describe("a fleet", () => {
  const world = eachWorld({ engine: "PostgreSQL", env: { DAY_ZONE: "Europe/Zurich" } });

  it("goes by the zone that was named first, and says so to who names another", async () => {
    await world().restart({ DAY_ZONE: "Asia/Tokyo" });
    assert.equal((await world().stats()).zone, "Europe/Zurich");
    assert.match(
      world().said.join("\n"),
      /DAY_ZONE says Asia\/Tokyo, but all who count into this database go by Europe\/Zurich, and so does this one\. To change it for all: tallydeck migrate --day-zone Asia\/Tokyo/,
    );
  });
});
