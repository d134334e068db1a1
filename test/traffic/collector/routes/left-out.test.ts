import assert from "node:assert/strict";
import { onEachEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { DEFAULT_VIEW, eachWorld } from "../../../helpers/world.ts";

const NOTHING = { hosts: [], paths: [], referrers: [], countries: [] };
const BLOG = { h: "https://blog.example", u: "1", s: "1" };

onEachEngine(() => {
  describe("what stays out of a site's counts", () => {
    const world = eachWorld({ env: { SITES: "blog,shop" } });
    const owner = new Owner(world);
    const set = (leftOut: object, site = "blog") =>
      owner.ask("PUT", `/api/sites/${site}/left-out`, leftOut);
    const leaveOut = async (leftOut: object) => {
      const { status, text } = await set(leftOut);
      assert.equal(status, 200, text);
    };
    const counts = async (...payloads: object[]) => {
      for (const payload of payloads) await world().beacon(payload);
      return world().counts("blog");
    };

    it("is nothing at first", async () => {
      assert.deepEqual(await owner.get("/api/sites/blog/left-out"), NOTHING);
      assert.equal((await counts(BLOG)).left_out, undefined);
    });

    it("counts as left_out, and as nothing else", async () => {
      await leaveOut({ hosts: ["blog.example"] });
      const copied = { h: "https://copied.example", u: "1", s: "1", b: "1", n: "1" };
      assert.deepEqual(await counts(copied, { ...copied, ev: "signup" }), {
        left_out: { host: 2 },
      });
      assert.equal((await world().stats()).live, 0);
    });

    it("is every host but those that are named, with all below a star", async () => {
      await leaveOut({ hosts: ["https://Blog.example/", "*.shop.example", "bücher.example"] });
      const counted = [
        "https://blog.example",
        "http://www.blog.example",
        "https://a.b.shop.example",
      ];
      counted.push("https://xn--bcher-kva.example");
      const left = [
        "https://shop.example",
        "https://blog.example:8443",
        "https://blog.example.evil",
      ];
      left.push("https://notblog.example", "", "file://");
      const all = await counts(...[...counted, ...left].map((h) => ({ h })));
      assert.deepEqual(Object.keys(all.host ?? {}).sort(), [...counted].sort());
      assert.deepEqual(all.left_out, { host: left.length });
    });

    it("is every page that is named, or begins as one with a star does", async () => {
      await leaveOut({ paths: ["/draft/?x", "/preview/*", "/caf%C3%A9"] });
      const paths = ["/draft", "/draft/", "/preview/1", "/preview", "/drafts", "/caf%C3%A9", "/"];
      const all = await counts(...paths.map((p) => ({ p })));
      assert.deepEqual(all.path, { "/preview": 1, "/drafts": 1, "/": 1 });
      assert.deepEqual(all.left_out, { path: 4 });
    });

    it("is every view of a visit that began at a domain, or below it", async () => {
      await leaveOut({ referrers: ["*.Spam.example"] });
      const all = await counts(
        { r: "spam.example" },
        { r: "www.seo.spam.example", o: "www.seo.spam.example" },
        { r: "blog.example", o: "spam.example:8080" },
        { r: "notspam.example", o: "notspam.example" },
        { r: "", o: "" },
      );
      assert.deepEqual(all.ref, { "notspam.example": 1, direct: 1 });
      assert.deepEqual(all.left_out, { referrer: 3 });
    });

    it("is every view from a country", async () => {
      await leaveOut({ countries: ["de"] });
      const all = await counts({ tz: "Europe/Berlin" }, { tz: "Europe/Zurich" }, {});
      assert.deepEqual([all.pv, all.country, all.left_out], [{ _: 2 }, { CH: 1 }, { country: 1 }]);
    });

    it("is told by the first reason: host, page, referrer, country", async () => {
      await leaveOut({
        hosts: ["blog.example"],
        paths: ["/a*"],
        referrers: ["spam.example"],
        countries: ["DE"],
      });
      const all = { p: "/a", r: "spam.example", tz: "Europe/Berlin" };
      const home = { ...all, h: BLOG.h };
      assert.deepEqual(await counts(all, home, { ...home, p: "/b" }, { ...home, p: "/b", r: "" }), {
        left_out: { host: 1, path: 1, referrer: 1, country: 1 },
      });
    });

    it("has no first touches, and leaves bots and pings what they are", async () => {
      await leaveOut({ hosts: ["blog.example"], countries: ["DE"] });
      await world().beacon(
        { h: "https://copied.example" },
        { headers: { "user-agent": "curl/8" } },
      );
      await world().ping({ country: "DE" });
      const touch = { ev: "hi", t: "<150" };
      const all = await counts(
        touch,
        { ...touch, ...BLOG },
        { ev: "bot", h: "https://no.example" },
      );
      assert.deepEqual(
        [all.hi, all.bot, all.app],
        [{ "<150": 1 }, { ua: 1, synthetic: 1 }, { _: 1 }],
      );
      assert.deepEqual([all.country, all.left_out], [{ DE: 1 }, undefined]);
    });

    it("holds from then on, brings nothing back, and is of its site alone", async () => {
      await world().beacon(BLOG);
      await leaveOut({ hosts: ["other.example"] });
      await world().beacon(BLOG);
      await world().beacon(BLOG, { s: "shop" });
      await leaveOut({});
      const all = await counts(BLOG);
      assert.deepEqual([all.pv, all.left_out], [{ _: 2 }, { host: 1 }]);
      assert.equal((await world().counts("shop")).pv?._, 1);
    });

    it("is the same once the log is settled", async () => {
      await leaveOut({ hosts: ["blog.example"] });
      await world().beacon({ h: "https://copied.example" });
      await world().beacon({ ev: "hi", t: "<150", h: "https://copied.example" });
      const before = await world().counts("blog");
      await world().restart();
      assert.deepEqual(before, { left_out: { host: 1 } });
      assert.deepEqual(await world().counts("blog"), before);
    });

    it("is in no answer with filters, and in that of days", async () => {
      await leaveOut({ paths: ["/a"] });
      await counts({ p: "/a" }, { p: "/b" });
      assert.equal((await world().stats({ where: "path:is:/b" })).left_out, undefined);
      const { daily, left_out } = await world().stats({ from: "first", series: 1, daily: 1 });
      assert.deepEqual([daily.left_out, left_out], [{ path: [0, 1] }, { path: 1 }]);
      const { status } = await world().ask("/stats?site=blog&where=left_out:is:path&token=t");
      assert.notEqual(status, 200);
    });

    for (const [what, leftOut, field] of [
      ["a star within a host", { hosts: ["a.*.example"] }, "hosts.0"],
      ["two stars", { hosts: ["*.*.example"] }, "hosts.0"],
      ["a star alone", { hosts: ["*"] }, "hosts.0"],
      ["an address with a path", { hosts: ["https://a.example/b"] }, "hosts.0"],
      ["an address with a user", { hosts: ["me@a.example"] }, "hosts.0"],
      ["an empty host", { hosts: ["a.example", " "] }, "hosts.1"],
      ["a host that is too long", { hosts: [`${"a.".repeat(127)}example`] }, "hosts.0"],
      ["too many hosts", { hosts: Array.from({ length: 51 }, (_, n) => `a${n}.example`) }, "hosts"],
      ["a path without its slash", { paths: ["draft"] }, "paths.0"],
      ["all pages", { paths: ["/*"] }, "paths.0"],
      ["a path that is too long", { paths: [`/${"a".repeat(128)}`] }, "paths.0"],
      ["a referrer that is no domain", { referrers: ["direct"] }, "referrers.0"],
      ["a country by its name", { countries: ["Germany"] }, "countries.0"],
      ["a country that is none", { countries: ["1!"] }, "countries.0"],
      ["a text for a list", { hosts: "a.example" }, "hosts"],
      ["a number for a host", { hosts: [1] }, "hosts.0"],
      ["a list that is not known", { hosts: [], browsers: ["Chrome"] }, "browsers"],
      ["no object", [], "body"],
    ] as const)
      it(`is refused with ${what}, and stays as it was`, async () => {
        await leaveOut({ hosts: ["blog.example"] });
        const reply = await set(leftOut);
        assertError(reply, 400, "invalid_field");
        assert.ok(reply.json.error.includes(`"${field}" `), reply.text);
        const kept = await owner.get("/api/sites/blog/left-out");
        assert.deepEqual(kept, { ...NOTHING, hosts: ["blog.example"] });
      });

    it("is of a site that is there", async () => {
      assertError(await set({}, "nobody"), 404, "not_found");
      assertError(await owner.ask("GET", "/api/sites/nobody/seen-hosts"), 404, "not_found");
    });

    it("is kept once where it is named twice", async () => {
      await leaveOut({ hosts: ["A.example", "a.example"], countries: ["ch", "CH"] });
      const kept = await owner.get("/api/sites/blog/left-out");
      assert.deepEqual(kept, { ...NOTHING, hosts: ["a.example"], countries: ["CH"] });
    });

    it("is proposed by the hosts that were seen, each once, the most seen first", async () => {
      const seen = ["https://a.example", "https://b.example", "http://b.example:8080", ""];
      await counts(...seen.map((h) => ({ h })), { h: "http://b.example" });
      const { hosts } = await owner.get("/api/sites/blog/seen-hosts");
      assert.deepEqual([...hosts].sort(), ["a.example", "b.example", "b.example:8080"]);
    });

    it("is the usual view where nothing fits", async () => {
      await leaveOut({ hosts: [], paths: ["/x"], referrers: ["x.example"], countries: ["XX"] });
      assert.deepEqual(await counts({}), DEFAULT_VIEW);
    });
  });
});
