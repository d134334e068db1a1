import assert from "node:assert/strict";
import { onEachEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

const RULE = { dimension: "path", from: "/old", to: "/new" };
const RULES = { rules: [RULE] };

onEachEngine(() => {
  describe("values of a site that are made one", () => {
    const world = eachWorld({ env: { SITES: "blog,shop" } });
    const owner = new Owner(world);
    const ask = (what: string, body: object, site = "blog") =>
      owner.ask("POST", `/api/sites/${site}/values/${what}`, body);
    const merge = async (rule: object) => {
      const { status, text, json } = await ask("merge", rule);
      assert.equal(status, 200, text);
      return json;
    };
    const stats = () => world().stats({ from: "first", series: 1, daily: 1 });

    it("count as one by day and in detail, in what was counted and what comes", async () => {
      world().clock.setWall("2026-02-27T10:00:00Z");
      await world().beacon({ p: "/old", r: "a.example", u: "1", s: "1", n: "1" });
      world().clock.setWall("2026-03-04T10:00:00Z");
      await world().beacon({ p: "/old", n: "1" });
      await world().beacon({ p: "/new", n: "1" });
      await world().beacon({ p: "/old" }, { s: "shop" });
      assert.deepEqual(await merge(RULE), RULES);
      await world().beacon({ p: "/old" });
      const { path, pv, daily, series } = await stats();
      assert.deepEqual([path, pv], [{ "/new": 4 }, { _: 4 }]);
      assert.deepEqual(daily.path, { "/new": [0, 1, 5, 3] });
      assert.equal(series.length, 6);
      const one = await world().stats({ from: "first", where: "path:is:/new" });
      assert.deepEqual([one.pv, one.ref], [{ _: 4 }, { "a.example": 1, direct: 3 }]);
      const none = await world().stats({ from: "first", where: "path:is:/old" });
      assert.equal(none.pv, undefined);
      const visitors = await world().stats({ from: "first", of: "visitors" });
      assert.deepEqual(visitors.path, { "/new": 3 });
      assert.deepEqual((await world().counts("shop")).path, { "/old": 1 });
    });

    it("are of events, referrers and campaigns, too", async () => {
      await world().beacon({ ev: "signup", t: "top" });
      await world().beacon({ r: "m.example.org", us: "News" });
      await merge({ dimension: "event", from: "signup", to: "sign up" });
      await merge({ dimension: "ref", from: "m.example.org", to: "example.org" });
      await merge({ dimension: "utm_source", from: "News", to: "news" });
      await world().beacon({ ev: "signup", t: "top" });
      await world().beacon({ r: "m.example.org", us: "News" });
      const { event, event_target, ref, utm_source } = await world().counts("blog");
      assert.deepEqual(
        [event, event_target, ref, utm_source],
        [{ "sign up": 2 }, { top: 2 }, { "example.org": 2 }, { news: 2 }],
      );
    });

    it("are judged as one by what stays out", async () => {
      await merge(RULE);
      await owner.ask("PUT", "/api/sites/blog/left-out", { paths: ["/new"] });
      await world().beacon({ p: "/old" });
      assert.deepEqual(await world().counts("blog"), { left_out: { path: 1 } });
    });

    it("stay one where the rule is forgotten, and what comes is as it says", async () => {
      await world().beacon({ p: "/old" });
      await merge(RULE);
      const { json } = await ask("forget", { dimension: "path", from: "/old" });
      assert.deepEqual(json, { rules: [] });
      await world().beacon({ p: "/old" });
      assert.deepEqual((await world().counts("blog")).path, { "/new": 1, "/old": 1 });
      assertError(await ask("forget", { dimension: "path", from: "/old" }), 404, "not_found");
    });

    it("are the same when they are made one again, and after a restart", async () => {
      await world().beacon({ p: "/old" });
      for (let time = 0; time < 2; time++) assert.deepEqual(await merge(RULE), RULES);
      await world().restart();
      await world().beacon({ p: "/old" });
      assert.deepEqual((await world().counts("blog")).path, { "/new": 2 });
      assert.deepEqual(await owner.get("/api/sites/blog/values"), RULES);
    });

    for (const [what, rule, field] of [
      ["a value that is the same", { ...RULE, to: "/old/" }, "to"],
      ["a dimension that cannot", { ...RULE, dimension: "browser" }, "dimension"],
      ["a path without its slash", { ...RULE, from: "old" }, "from"],
      ["the sum of others", { dimension: "ref", from: "(other)", to: "x" }, "from"],
      ["nothing", { dimension: "ref", from: "\u0000", to: "x" }, "from"],
      ["a number", { ...RULE, to: 1 }, "to"],
      ["no value", { dimension: "path", from: "/old" }, "to"],
      ["a field that is not known", { ...RULE, site: "shop" }, "site"],
    ] as const)
      it(`are refused with ${what}`, async () => {
        const reply = await ask("merge", rule);
        assertError(reply, 400, "invalid_field");
        assert.ok(reply.json.error.includes(`"${field}" `), reply.text);
        assert.deepEqual(await owner.get("/api/sites/blog/values"), { rules: [] });
      });

    it("are refused where they would go round, with what to do", async () => {
      await merge(RULE);
      const reply = await ask("merge", { dimension: "path", from: "/new", to: "/old" });
      assertError(reply, 400, "invalid_field");
      assert.match(reply.json.error, /Forget that rule first\.$/);
    });

    it("are refused of a site that is not there", async () => {
      assertError(await ask("merge", RULE, "nobody"), 404, "not_found");
      assertError(
        await ask("forget", { dimension: "path", from: "/a" }, "nobody"),
        404,
        "not_found",
      );
      assertError(await owner.ask("GET", "/api/sites/nobody/values"), 404, "not_found");
    });

    it("are cut as values are, and keep signs of any script", async () => {
      const [from, to] = ["/ö".padEnd(200, "é"), "/日本語 \u{1f600}"];
      await world().beacon({ p: from });
      await merge({ dimension: "path", from, to });
      assert.deepEqual((await world().counts("blog")).path, { [to]: 1 });
    });
  });
});
