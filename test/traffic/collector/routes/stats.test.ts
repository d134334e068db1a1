import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { onEachEngine } from "../../../helpers/engines.ts";
import { ifNoneMatch } from "../../../helpers/etags.ts";
import { ADMIN, DEFAULT_VIEW, eachWorld, sharedWorld, type World } from "../../../helpers/world.ts";

const asAdmin = { authorization: `Bearer ${ADMIN}` };
const BOT = { "user-agent": "curl/8.4.0" };

/** Two days of hits with one day between, and one more today. */
async function fill(world: World): Promise<void> {
  world.clock.setWall("2026-02-27T10:00:00Z");
  await world.beacon({ p: "/a", u: "1", s: "1" });
  await world.beacon({ p: "/b", b: "1", s: "1" });
  await world.beacon({}, { headers: BOT });
  world.clock.setWall("2026-03-01T23:00:00Z");
  await world.beacon({ p: "/a", u: "1" });
  await world.beacon({ ev: "bot" });
  await world.beacon({}, { headers: BOT });
  await world.ping({ os: "linux" });
  await world.beacon({ ev: "hi", t: "<150" });
  world.clock.setWall("2026-03-04T12:00:00Z");
  await world.beacon({ p: "/c" });
}

onEachEngine(() => {
  describe("/stats", () => {
    const world = sharedWorld({ env: { SITES: "blog,empty" } });
    before(() => fill(world()));

    describe("of one day", () => {
      it("is of today, UTC, unless another is named", async () => {
        const { site, day, pv, path } = await world().stats();
        assert.deepEqual(
          { site, day, pv, path },
          { site: "blog", day: "2026-03-04", pv: { _: 1 }, path: { "/c": 1 } },
        );
      });

      it("holds each dimension as counts by value, and nothing that was not counted", async () => {
        assert.deepEqual(await world().stats({ day: "2026-03-01" }), {
          site: "blog",
          day: "2026-03-01",
          zone: "UTC",
          uv: { _: 1 },
          app: { _: 1 },
          bot: { ua: 1, synthetic: 1 },
          bot_kind: { curl: 1 },
          hi: { "<150": 1 },
          ...DEFAULT_VIEW,
          path: { "/a": 1 },
          hour: { "23": 1 },
          dowhour: { "0-23": 1 },
          app_os: { linux: 1 },
        });
      });

      it("is only the site and the day where nothing was counted", async () => {
        for (const day of ["2026-02-28", "1970-01-01", "2024-02-29", "9999-12-31"])
          assert.deepEqual(await world().stats({ day }), { site: "blog", day, zone: "UTC" });
      });

      it("has a series of one row when asked", async () => {
        const { day, series } = await world().stats({ day: "2026-03-01", series: 1 });
        assert.deepEqual([day, series], ["2026-03-01", [["2026-03-01", 1, 1, 0, 2, 1]]]);
      });
    });

    describe("of a range", () => {
      it("sums its days, the first and the last included", async () => {
        const { site, from, to, pv, uv, sessions, bounce, path, bot, app } = await world().stats({
          from: "2026-02-27",
          to: "2026-03-01",
        });
        assert.deepEqual([site, from, to], ["blog", "2026-02-27", "2026-03-01"]);
        assert.deepEqual(
          { pv, uv, sessions, bounce, bot, app },
          {
            pv: { _: 3 },
            uv: { _: 2 },
            sessions: { _: 2 },
            bounce: { _: 1 },
            bot: { ua: 2, synthetic: 1 },
            app: { _: 1 },
          },
        );
        assert.deepEqual(path, { "/a": 2, "/b": 1 });
      });

      it("names from and to, and no day", async () => {
        const stats = await world().stats({ from: "2026-03-04", to: "2026-03-04" });
        assert.deepEqual(
          [stats.from, stats.to, "day" in stats],
          ["2026-03-04", "2026-03-04", false],
        );
      });

      it("runs to today without to", async () => {
        const { from, to, path } = await world().stats({ from: "2026-03-01" });
        assert.deepEqual([from, to, path], ["2026-03-01", "2026-03-04", { "/a": 1, "/c": 1 }]);
      });

      it("goes before a day that is named beside it", async () => {
        const stats = await world().stats({
          day: "2026-03-04",
          from: "2026-02-27",
          to: "2026-02-27",
        });
        assert.deepEqual([stats.from, stats.pv, "day" in stats], ["2026-02-27", { _: 2 }, false]);
      });

      it("from=first begins on the first day that has data", async () => {
        const { from, to, pv } = await world().stats({ from: "first" });
        assert.deepEqual([from, to, pv], ["2026-02-27", "2026-03-04", { _: 4 }]);
      });

      it("from=first ends where to says", async () => {
        const { from, to, pv } = await world().stats({ from: "first", to: "2026-03-01" });
        assert.deepEqual([from, to, pv], ["2026-02-27", "2026-03-01", { _: 3 }]);
      });

      it("from=first is today where there is no data", async () => {
        assert.deepEqual(await world().stats({ site: "empty", from: "first" }), {
          site: "empty",
          from: "2026-03-04",
          to: "2026-03-04",
          zone: "UTC",
          live: 0,
        });
      });

      it("from=first is never after to", async () => {
        const { from, to } = await world().stats({ from: "first", to: "2020-01-01" });
        assert.deepEqual([from, to], ["2020-01-01", "2020-01-01"]);
      });

      it("from=first goes back 4,000 days at most", async () => {
        const { series } = await world().stats({ from: "first", to: "9999-12-31", series: 1 });
        assert.equal(series.length, 4_000);
        assert.equal(series.at(-1)[0], "9999-12-31");
      });
    });

    describe("series", () => {
      it("has a row of day, pv, uv, sessions, bot and app for each day, zeros included", async () => {
        const { series } = await world().stats({ from: "2026-02-26", to: "2026-03-02", series: 1 });
        assert.deepEqual(series, [
          ["2026-02-26", 0, 0, 0, 0, 0],
          ["2026-02-27", 2, 1, 2, 1, 0],
          ["2026-02-28", 0, 0, 0, 0, 0],
          ["2026-03-01", 1, 1, 0, 2, 1],
          ["2026-03-02", 0, 0, 0, 0, 0],
        ]);
      });

      it("is there only when asked for", async () => {
        for (const series of [0, "", "true"])
          assert.equal("series" in (await world().stats({ from: "2026-03-01", series })), false);
      });

      it("stands beside the totals, and changes none of them", async () => {
        const query = { from: "2026-02-27", to: "2026-03-04" };
        const { series: _series, ...rest } = await world().stats({ ...query, series: 1 });
        assert.deepEqual(rest, await world().stats(query));
      });
    });

    describe("hours", () => {
      const hours = (counts: Record<number, number>) =>
        Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);

      it("hold visitors, sessions, app pings and bots of each day by the hour", async () => {
        const query = { from: "2026-02-26", series: 1, daily: 1 };
        assert.deepEqual((await world().stats(query)).hours, {
          uv: [
            [1, ...hours({ 10: 1 })],
            [3, ...hours({ 23: 1 })],
          ],
          sessions: [[1, ...hours({ 10: 2 })]],
          app: [[3, ...hours({ 23: 1 })]],
          bot: [
            [1, ...hours({ 10: 1 })],
            [3, ...hours({ 23: 2 })],
          ],
        });
      });

      it("are no dimensions, and there only with the counts by day", async () => {
        const query = { from: "2026-02-26", series: 1, daily: 1 };
        const { daily, hours: _hours, ...rest } = await world().stats(query);
        const names = [...Object.keys(daily), ...Object.keys(rest)];
        const left = names.filter((name) => /_hour|hours/.test(name));
        assert.deepEqual(left, []);
        assert.equal("hours" in (await world().stats({ from: "2026-02-26", series: 1 })), false);
      });
    });

    describe("daily", () => {
      const query = { from: "2026-02-26", series: 1, daily: 1 };

      it("holds offset and count of each day, for each value of each dimension", async () => {
        const { daily } = await world().stats(query);
        assert.deepEqual(
          { pv: daily.pv, bot: daily.bot, path: daily.path, hour: daily.hour },
          {
            pv: { _: [1, 2, 3, 1, 6, 1] },
            bot: { ua: [1, 1, 3, 1], synthetic: [3, 1] },
            path: { "/a": [1, 1, 3, 1], "/b": [1, 1], "/c": [6, 1] },
            hour: { "10": [1, 2], "23": [3, 1], "12": [6, 1] },
          },
        );
      });

      it("comes as text where that is asked for", async () => {
        const { daily } = await world().stats({ ...query, daily: "text" });
        assert.deepEqual(
          { pv: daily.pv, bot: daily.bot, path: daily.path },
          {
            pv: { _: "A2A1B1" },
            bot: { ua: "A1A1", synthetic: "C1" },
            path: { "/a": "A1A1", "/b": "A1", "/c": "F1" },
          },
        );
      });

      for (const form of ["2", "constructor", ""])
        it(`is left out for a form nobody knows: ${form || "none"}`, async () => {
          assert.equal("daily" in (await world().stats({ ...query, daily: form })), false);
        });

      it("sums up to the totals, value by value", async () => {
        const {
          daily,
          series: _series,
          hours: _hours,
          live: _live,
          site: _site,
          from: _from,
          to: _to,
          zone: _zone,
          ...totals
        } = await world().stats(query);
        const summed = Object.fromEntries(
          Object.entries(daily as Record<string, Record<string, number[]>>).map(
            ([name, values]) => [
              name,
              Object.fromEntries(
                Object.entries(values).map(([value, days]) => [
                  value,
                  days.filter((_, at) => at % 2 === 1).reduce((sum, n) => sum + n),
                ]),
              ),
            ],
          ),
        );
        assert.deepEqual(summed, totals);
      });

      it("is there only together with the series", async () => {
        assert.equal("daily" in (await world().stats({ from: "2026-02-26", daily: 1 })), false);
        assert.equal("daily" in (await world().stats({ from: "2026-02-26", series: 1 })), false);
      });

      it("is empty where nothing was counted", async () => {
        const { daily } = await world().stats({ ...query, site: "empty" });
        assert.deepEqual(daily, {});
      });
    });

    describe("refuses with 400", () => {
      for (const [what, query] of [
        ["a day that does not exist", { day: "2026-02-30" }],
        ["a leap day of no leap year", { day: "2026-02-29" }],
        ["a month that does not exist", { day: "2026-13-01" }],
        ["a day that is no date", { day: "yesterday" }],
        ["a date with a time", { day: "2026-03-04T00:00:00Z" }],
        ["a date written otherwise", { day: "4.3.2026" }],
        ["a date without zeros", { day: "2026-3-4" }],
        ["first as a day", { day: "first" }],
        ["a from that does not exist", { from: "2026-02-30", to: "2026-03-01" }],
        ["a to that does not exist", { from: "2026-02-01", to: "2026-02-30" }],
        ["first as to", { from: "2026-02-01", to: "first" }],
        ["from after to", { from: "2026-03-02", to: "2026-03-01" }],
        ["from after today without to", { from: "2026-03-05" }],
        ["to without from", { to: "2026-03-01" }],
        ["to and day without from", { day: "2026-03-01", to: "2026-03-01" }],
        ["more than 4,000 days", { from: "2015-03-22", to: "2026-03-04" }],
        ["thousands of years", { from: "0001-01-01", to: "9999-12-31" }],
      ] as const)
        it(what, async () => {
          const { status, json } = await world().readRaw("/stats", query);
          assert.deepEqual([status, json.code], [400, "invalid_parameter"]);
          assert.match(json.error, /\.$/);
        });
    });

    it("takes a range of exactly 4,000 days", async () => {
      const { series } = await world().stats({ from: "2015-03-23", to: "2026-03-04", series: 1 });
      assert.equal(series.length, 4_000);
      assert.deepEqual(series.at(-1), ["2026-03-04", 1, 0, 0, 0, 0]);
    });

    it("says of no warning and nothing pending when all is well", async () => {
      const stats = await world().stats();
      assert.deepEqual(["warnings" in stats, "pending" in stats], [false, false]);
    });
  });

  describe("the caching of /stats", () => {
    const world = eachWorld();
    const ask = (headers: Record<string, string> = {}, query = "site=blog") =>
      world().ask(`/stats?${query}`, { headers: { ...asAdmin, ...headers } });

    it("is private, revalidated, and by token and encoding", async () => {
      const { headers } = await ask();
      assert.equal(headers["cache-control"], "private, no-cache");
      assert.equal(headers.vary, "Authorization, Accept-Encoding");
      assert.match(String(headers.etag), /^(W\/)?".+"$/);
      assert.match(String(headers["content-type"]), /^application\/json/);
    });

    it("answers 304 without a body while nothing changed", async () => {
      const { etag } = (await ask()).headers;
      const { status, body, headers } = await ask({ "if-none-match": String(etag) });
      assert.deepEqual([status, body.length, headers.etag], [304, 0, etag]);
      assert.equal(headers["cache-control"], "private, no-cache");
      assert.equal(headers.vary, "Authorization, Accept-Encoding");
    });

    it("compares ETags weakly, as proxies change them", async () => {
      const { known, unknown } = ifNoneMatch(String((await ask()).headers.etag));
      for (const value of known)
        assert.equal((await ask({ "if-none-match": value })).status, 304, value);
      for (const value of unknown)
        assert.equal((await ask({ "if-none-match": value })).status, 200, value);
    });

    it("answers anew after one more hit", async () => {
      const { etag } = (await ask()).headers;
      await world().beacon({});
      const { status, json } = await ask({ "if-none-match": String(etag) });
      assert.deepEqual([status, json.pv], [200, { _: 1 }]);
    });

    it("answers anew on another day", async () => {
      const { etag } = (await ask()).headers;
      world().clock.setWall("2026-03-05T12:00:00Z");
      const { status, json } = await ask({ "if-none-match": String(etag) });
      assert.deepEqual([status, json.day], [200, "2026-03-05"]);
    });

    it("comes by Brotli to browsers, which name gzip first", async () => {
      for (let n = 0; n < 60; n++) await world().beacon({ p: `/a/rather/long/path/${n}` });
      const { headers } = await ask({ "accept-encoding": "gzip, deflate, br, zstd" });
      assert.equal(headers["content-encoding"], "br");
    });

    it("is compressed for those who can read it, when it is worth it", async () => {
      for (let n = 0; n < 60; n++) await world().beacon({ p: `/a/rather/long/path/${n}` });
      const plain = await ask();
      assert.equal(plain.headers["content-encoding"], undefined);
      for (const [encoding, decode] of [
        ["br", brotliDecompressSync],
        ["gzip", gunzipSync],
      ] as const) {
        const { headers, body } = await ask({ "accept-encoding": encoding });
        assert.equal(headers["content-encoding"], encoding);
        assert.deepEqual(JSON.parse(decode(body).toString()), plain.json);
        assert.ok(body.length < plain.body.length / 2);
        const again = await ask({
          "accept-encoding": encoding,
          "if-none-match": `${headers.etag}`,
        });
        assert.equal(again.status, 304);
      }
    });
  });
});
