import assert from "node:assert/strict";
import { onOneEngine } from "../../../helpers/engines.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld, sharedWorld } from "../../../helpers/world.ts";

const TODAY = "2026-03-04";
/** The first day of the site, on which the part had no view. */
const BEFORE = "2026-03-01";
/** All that the link must not tell, wherever it is asked. */
const SECRET = /secret|paid|bought|insider|curl|9\.9\.9/i;

onOneEngine(() => {
  describe("a link to a part of a site", () => {
    const world = sharedWorld({ env: { SITES: "blog,docs" } });
    let token = "";

    const owner = new Owner(world);
    before(async () => {
      world().clock.setWall(`${BEFORE}T12:00:00Z`);
      await world().beacon({ p: "/secret" });
      world().clock.setWall(`${TODAY}T12:00:00Z`);
      const from = (country: string) => ({ headers: { "cf-ipcountry": country } });
      const blog = { s: "1", u: "1", n: "1", o: "news.example" };
      await world().beacon({ ...blog, p: "/blog/a" }, from("DE"));
      await world().beacon({ ...blog, p: "/blog/b" }, from("AT"));
      await world().beacon({ ...blog, p: "/secret", o: "insider.example" }, from("DE"));
      await world().beacon({ p: "/blog/a", ev: "signup" });
      await world().beacon({ p: "/secret", ev: "paid" });
      await world().beacon({ p: "/docs-secret" }, { s: "docs" });
      await world().ping({ v: "9.9.9" });
      await world().beacon({ p: "/blog/a" }, { headers: { "user-agent": "curl/8.0" } });
      await world().survey({ sv: 1, c: "a secret" });
      const goals = [
        { name: "Joined", kind: "event", value: "signup" },
        { name: "Bought", kind: "event", value: "paid" },
        { name: "Read", kind: "page", value: "/*" },
      ];
      await owner.ask("PUT", "/api/sites/blog/goals", { goals });
      const marks = [{ day: TODAY, text: "The secret sale" }];
      await owner.ask("PUT", "/api/sites/blog/marks", { marks });
      token = await share("path:is:/blog/a/", "path:is:/blog/b");
    });

    const share = async (...where: string[]): Promise<string> => {
      const reply = await owner.ask("POST", "/api/sites/blog/shares", { name: "A part", where });
      assert.equal(reply.status, 201, reply.text);
      return reply.json.token;
    };
    const ask = (path: string) =>
      world().ask(path, { headers: { authorization: `Bearer ${token}` } });
    const stats = async (query: string) => {
      const reply = await ask(`/stats?site=blog&${query}`);
      assert.equal(reply.status, 200, reply.text);
      assert.doesNotMatch(reply.text, SECRET, query);
      return reply.json;
    };

    it("counts what is of that part, and says which part it is", async () => {
      const { bound, pv, path, country, detail } = await stats("");
      assert.deepEqual(bound, ["path:is:/blog/a", "path:is:/blog/b"]);
      assert.deepEqual(pv, { _: 2 });
      assert.deepEqual(path, { "/blog/a": 1, "/blog/b": 1 });
      assert.deepEqual(country, { DE: 1, AT: 1 });
      assert.equal(detail.from, TODAY);
    });

    it("counts no more than that, however it is asked", async () => {
      const asked = [
        ...["where=", "where=path:is:/secret", "where=path:begins:/", "where=path:not:/nowhere"],
        "where=path:is:/secret&where=path:is:/blog/a",
        "where=event:is:paid",
        "where=event:begins:p",
        "where=country:is:DE&where=path:is:/secret",
        ...["of=views", "of=visitors&entry=1", "of=sessions&entry=1", "sources=1", "surveys=1"],
        `day=${TODAY}`,
        ...["series=1", "series=1&daily=1", "series=1&daily=text&entry=1&sources=1"].map(
          (form) => `from=first&${form}`,
        ),
        "bound=&shareWhere=",
      ];
      for (const query of asked) {
        const { bound, pv = { _: 0 }, from = TODAY, ...answer } = await stats(query);
        assert.equal(bound.length, 2, query);
        assert.ok(pv._ <= 2, query);
        assert.equal(from, TODAY, query);
        for (const name of ["live", "pending", "app", "bot", "sources", "surveys", "warnings"])
          assert.equal(answer[name], undefined, name);
      }
    });

    it("lets what is asked besides narrow that part, and never widen it", async () => {
      const path = async (query: string) => (await stats(query)).path;
      assert.deepEqual(await path("where=country:is:DE"), { "/blog/a": 1 });
      assert.deepEqual(await path("where=path:is:/blog/b"), { "/blog/b": 1 });
      assert.deepEqual(await path("where=path:is:/secret"), undefined);
      assert.deepEqual(await path("where=path:is:/secret&where=path:is:/blog/b"), { "/blog/b": 1 });
      assert.deepEqual(await path("where=path:not:/blog/a"), { "/blog/b": 1 });
      assert.deepEqual((await stats("where=event:is:signup")).event, { signup: 1 });
    });

    it("takes eight filters besides its own", async () => {
      const others = Array.from({ length: 8 }, (_, n) => `where=country:not:X${n}`);
      assert.deepEqual((await stats(others.join("&"))).pv, { _: 2 });
      const ninth = [...others, "where=country:not:X8"].join("&");
      assertError(await ask(`/stats?site=blog&${ninth}`), 400, "invalid_parameter");
    });

    it("counts goals of that part alone, and shows no mark", async () => {
      for (const query of ["", "where=path:is:/secret", "where=event:is:paid"]) {
        const { json, text } = await ask(`/goals?site=blog&from=first&${query}`);
        assert.doesNotMatch(text, SECRET, query);
        const reached = (json.goals as { name: string; daily: number[] }[]).map(
          ({ name, daily }) => `${name} ${daily.at(-1)}`,
        );
        assert.deepEqual(reached, query === "" ? ["Joined 1", "Read 2"] : [], query);
      }
      assert.deepEqual((await ask("/marks?site=blog")).json.marks, []);
    });

    it("does not tell whether there are surveys", async () => {
      assert.equal((await stats("surveys=1")).surveys, undefined);
      assert.equal((await world().stats({ site: "blog", surveys: 1 })).surveys, true);
    });

    it("begins with the first day of that part, also where it is one of events", async () => {
      assert.equal((await stats("from=first&where=path:is:/nowhere")).from, TODAY);
      const { from } = await world().stats({ site: "blog", from: "first" });
      assert.equal(from, BEFORE);
      const before = token;
      token = await share("event:is:signup");
      const reply = await ask("/stats?site=blog&from=first&series=1&daily=1");
      assert.doesNotMatch(reply.text, SECRET);
      assert.deepEqual([reply.json.from, reply.json.event], [TODAY, { signup: 1 }]);
      token = await share("path:is:/blog/a/", "path:is:/blog/b");
      assert.notEqual(token, before);
    });

    it("says of every source the same, whether there is one or not", async () => {
      for (const path of ["/stats?site=blog", "/goals?site=blog&from=first"]) {
        const replies = await Promise.all(
          ["here", "0", "1", "2", "old-box"].map((source) => ask(`${path}&source=${source}`)),
        );
        for (const reply of replies) assertError(reply, 400, "invalid_parameter");
        assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
      }
    });

    it("opens no survey, no other site and no list", async () => {
      for (const path of [
        ...["/surveys?site=blog", "/surveys/versions?site=blog", "/surveys/export?site=blog"],
        ...["/stats?site=docs", "/goals?site=docs", "/marks?site=docs"],
        ...["/stats?site=docs&site=blog", "/overview", "/sites", "/feed?site=blog"],
      ]) {
        const { status, text } = await ask(path);
        assert.ok(status === 401 || status === 404, path);
        assert.doesNotMatch(text, SECRET, path);
      }
    });

    it("gets no answer that was made for somebody else", async () => {
      const all = await world().ask("/stats?site=blog", {
        headers: { authorization: "Bearer the-admin-token" },
      });
      assert.match(all.text, SECRET);
      const reply = await world().ask("/stats?site=blog", {
        headers: {
          authorization: `Bearer ${token}`,
          "if-none-match": String(all.headers.etag),
        },
      });
      assert.equal(reply.status, 200);
      assert.doesNotMatch(reply.text, SECRET);
    });

    it("leaves what the owner reads as it is", async () => {
      const { pv, path, bound, live } = await world().stats({ site: "blog" });
      assert.deepEqual([pv._, path["/secret"], bound, live], [3, 1, undefined, 4]);
      assert.equal((await world().read("/marks", { site: "blog" })).marks.length, 1);
      const { sites } = await owner.get("/api/sites");
      assert.deepEqual(
        sites.map((site: { shares: number }) => site.shares > 0),
        [true, false],
      );
    });

    it("stays what it is over a start", async () => {
      await world().restart();
      assert.deepEqual((await stats("")).pv, { _: 2 });
    });

    it("is refused where its filters say nothing", async () => {
      const make = (where: unknown) =>
        owner.ask("POST", "/api/sites/blog/shares", { name: "A part", where });
      for (const where of [
        ["nothing"],
        ["path:is:"],
        ["hi:is:<150"],
        ["path:ends:/a"],
        "path",
        [1],
      ])
        assertError(await make(where), 400, "invalid_field");
      const nine = Array.from({ length: 9 }, (_, n) => `path:not:/${n}`);
      assertError(await make(nine), 400, "invalid_field");
      const long = Array.from({ length: 8 }, (_, n) => `path:is:/${n}${"é".repeat(120)}`);
      assertError(await make(long), 400, "invalid_field");
      assert.deepEqual((await stats("")).pv, { _: 2 });
    });

    it("stays what it is beside one to all of the site", async () => {
      const before = token;
      token = await share();
      const { pv, bound } = (await ask("/stats?site=blog")).json;
      assert.deepEqual([pv, bound], [{ _: 3 }, undefined]);
      token = before;
      assert.deepEqual((await stats("")).pv, { _: 2 });
    });
  });

  describe("a link while the clock of the box is not set", () => {
    const world = eachWorld(() => ({
      engine: "SQLite",
      clock: new FakeClock(undefined, { sure: false }),
    }));

    it("tells nothing of the box, which its owner is told", async () => {
      const owner = new Owner(world());
      const made = await owner.ask("POST", "/api/sites/blog/shares", { name: "All" });
      const { token } = made.json;
      const reply = await world().ask("/stats?site=blog", {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.deepEqual([reply.status, reply.json.warnings], [200, undefined]);
      assert.deepEqual((await world().stats()).warnings, ["clock_not_set"]);
    });
  });
});
