import assert from "node:assert/strict";
import { onEachEngine } from "../../../helpers/engines.ts";
import { ADMIN, manySites, sharedWorld } from "../../../helpers/world.ts";

const sites = manySites(60);

onEachEngine(() => {
  describe("/surveys", () => {
    const world = sharedWorld({ env: { SITES: `blog,${sites.SITES}` } });

    /** The summary of a site that got these responses. */
    async function summary(responses: readonly object[], query: Record<string, string> = {}) {
      const s = sites.next();
      for (const response of responses) await world().survey({ sv: 1, ...response }, { s });
      return world().read("/surveys", { site: s, ...query });
    }

    const scored = (scores: readonly unknown[]) => scores.map((nps) => ({ a: { nps } }));

    it("sums up responses: totals, counts by option, NPS, groups and comments", async () => {
      const answers = [
        { os: "macos", a: { nps: "10", uses: ["work", "play"] }, c: "Good." },
        { os: "macos", a: { nps: "6", uses: ["work"], again: "yes" }, f: "short" },
        { a: { again: "yes" } },
      ];
      const { site, ...rest } = await summary(answers);
      assert.match(site, /^site/);
      assert.deepEqual(rest, {
        sv: 1,
        total: 3,
        short: 1,
        counts: { nps: { "10": 1, "6": 1 }, uses: { work: 2, play: 1 }, again: { yes: 2 } },
        nps: { score: 0, answered: 2, promoters: 1, detractors: 1 },
        cross: "os",
        groups: {
          macos: {
            total: 2,
            counts: { nps: { "10": 1, "6": 1 }, uses: { work: 2, play: 1 }, again: { yes: 1 } },
          },
          unknown: { total: 1, counts: { again: { yes: 1 } } },
        },
        comments: [{ day: "2026-03-04", c: "Good." }],
      });
    });

    it("is told of by /stats where that asks: whether there is any, also to who has all counts", async () => {
      const site = sites.next();
      const stats = (etag = "") =>
        world().ask(`/stats?site=${site}&surveys=1`, {
          headers: { authorization: `Bearer ${ADMIN}`, "if-none-match": etag },
        });
      const none = await stats();
      assert.equal(none.json.surveys, false);
      assert.equal((await stats(String(none.headers.etag))).status, 304);
      await world().survey({ sv: 1, a: { nps: "9" } }, { s: site });
      assert.equal((await stats(String(none.headers.etag))).json.surveys, true);
      assert.equal("surveys" in (await world().stats({ site })), false);
    });

    it("has the same fields where nobody responded", async () => {
      const { site: _site, ...rest } = await summary([]);
      assert.deepEqual(rest, {
        sv: 1,
        total: 0,
        short: 0,
        counts: {},
        nps: { score: null, answered: 0, promoters: 0, detractors: 0 },
        cross: "os",
        groups: {},
        comments: [],
      });
    });

    describe("NPS", () => {
      for (const [scores, score, answered, promoters, detractors] of [
        [["9", "10"], 100, 2, 2, 0],
        [["7", "8"], 0, 2, 0, 0],
        [["0", "6"], -100, 2, 0, 2],
        [["10", "10", "0"], 33, 3, 2, 1],
        [["10", "0", "0"], -33, 3, 1, 2],
        [["9", "7", "7"], 33, 3, 1, 0],
        [["10", "11", "-1", "nine", "05", "1-0"], 100, 1, 1, 0],
        [[["9"], ["10", "0"]], null, 0, 0, 0],
      ] as const)
        it(`of ${JSON.stringify(scores)} is ${score}`, async () => {
          const responses = scored(scores);
          assert.deepEqual((await summary(responses)).nps, {
            score,
            answered,
            promoters,
            detractors,
          });
        });

      it("rounds to 0, not to -0", async () => {
        const scores = [...Array(101).fill("10"), ...Array(102).fill("0")];
        const s = sites.next();
        await Promise.all(
          scored(scores).map((response) => world().survey({ sv: 1, ...response }, { s })),
        );
        const { text } = await world().readRaw("/surveys", { site: s });
        assert.match(text, /"score":0,/);
      });

      it("is of those who answered it, not of all", async () => {
        const { nps, total } = await summary([...scored(["10"]), {}, { a: { other: "0" } }]);
        assert.deepEqual([nps.score, nps.answered, total], [100, 1, 3]);
      });
    });

    describe("groups", () => {
      const names = ({ groups }: { groups: Record<string, { total: number }> }) =>
        Object.fromEntries(Object.entries(groups).map(([name, { total }]) => [name, total]));

      const responses = [
        { os: "linux", v: "1.0.0", dv: "mk2,plus", a: { q: "a" } },
        { os: "linux", v: "1.0.1", dv: "plus", a: { q: "b" }, f: "short" },
        { os: "unknown", a: { q: "a" } },
        {},
      ];
      for (const [cross, expected] of [
        ["os", { linux: 2, unknown: 2 }],
        ["v", { "1.0.0": 1, "1.0.1": 1, unknown: 2 }],
        ["dv", { mk2: 1, plus: 2, unknown: 2 }],
        ["f", { short: 1, full: 3 }],
      ] as const)
        it(`by ${cross} are ${JSON.stringify(expected)}`, async () => {
          const answer = await summary(responses, { cross });
          assert.equal(answer.cross, cross);
          assert.deepEqual(names(answer), expected);
          assert.equal(answer.total, 4);
        });

      it("hold a response with several models in the group of each", async () => {
        const { groups, counts } = await summary(responses, { cross: "dv" });
        assert.deepEqual(groups.mk2.counts, { q: { a: 1 } });
        assert.deepEqual(groups.plus.counts, { q: { a: 1, b: 1 } });
        assert.deepEqual(counts, { q: { a: 2, b: 1 } });
      });
    });

    describe("questions and options", () => {
      it("may be named like anything an object has", async () => {
        const { counts } = await summary([{ a: { constructor: "constructor", "0": ["0"] } }]);
        assert.deepEqual(counts, { constructor: { constructor: 1 }, "0": { "0": 1 } });
      });
    });

    describe("filters", () => {
      before(async () => {
        for (const [time, sv, c] of [
          ["2026-02-01T23:59:59Z", 1, "one"],
          ["2026-02-02T00:00:00Z", 1, "two"],
          ["2026-02-02T12:00:00Z", 1, "three"],
          ["2026-02-03T00:00:00Z", 1, "four"],
          ["2026-02-03T00:00:00Z", 2, "of version 2"],
        ] as const) {
          world().clock.setWall(time);
          await world().survey({ sv, c });
        }
        world().clock.setWall("2026-03-04T12:00:00Z");
      });

      const comments = async (query: Record<string, string | number>) =>
        (await world().read("/surveys", query)).comments.map(({ c }: { c: string }) => c);

      for (const [query, expected] of [
        [{}, ["four", "three", "two", "one"]],
        [{ from: "2026-02-02" }, ["four", "three", "two"]],
        [{ to: "2026-02-02" }, ["three", "two", "one"]],
        [{ from: "2026-02-02", to: "2026-02-02" }, ["three", "two"]],
        [{ from: "2026-02-04" }, []],
        [{ from: "", to: "" }, ["four", "three", "two", "one"]],
        [{ sv: 1 }, ["four", "three", "two", "one"]],
        [{ sv: 2 }, ["of version 2"]],
        [{ sv: 3 }, []],
      ] as const)
        it(`${JSON.stringify(query)} leave ${expected.length} responses, newest comment first`, async () => {
          assert.deepEqual(await comments(query), expected);
          assert.equal((await world().read("/surveys", query)).total, expected.length);
        });

      it("are echoed as site, version and grouping", async () => {
        const { site, sv, cross } = await world().read("/surveys", { sv: 2, cross: "v" });
        assert.deepEqual([site, sv, cross], ["blog", 2, "v"]);
      });

      it("give each comment its day and nothing finer", async () => {
        const { comments } = await world().read("/surveys", { sv: 2 });
        assert.deepEqual(comments, [{ day: "2026-02-03", c: "of version 2" }]);
      });
    });

    describe("refuses with 400", () => {
      for (const path of ["/surveys", "/surveys/export"])
        for (const query of [
          { sv: "0" },
          { sv: "-1" },
          { sv: "1.5" },
          { sv: "x" },
          { sv: "1e3" },
          { sv: "9007199254740992" },
          { from: "2026-02-30" },
          { to: "yesterday" },
          { from: "2026-02-02", to: "2026-02-01" },
          ...(path === "/surveys"
            ? [{ cross: "c" }, { cross: "os,v" }, { cross: "__proto__" }]
            : []),
        ])
          it(`${path} with ${JSON.stringify(query)}`, async () => {
            const { status, json, headers } = await world().readRaw(path, query);
            assert.deepEqual([status, json.code], [400, "invalid_parameter"]);
            assert.equal(headers["cache-control"], "no-store");
          });
    });

    it("is kept by no cache", async () => {
      const { headers } = await world().readRaw("/surveys");
      assert.equal(headers["cache-control"], "no-store");
    });
  });
});
