import assert from "node:assert/strict";
import { SiteNumbers } from "../../../appliance/control/site-numbers.ts";
import { onOneEngine } from "../../helpers/engines.ts";
import { noAlarms } from "../../helpers/no-alarms.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { ADMIN, CHROME, eachWorld, encode } from "../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };

onOneEngine(() => {
  describe("a site that was declared and is declared no more", () => {
    const world = eachWorld({
      env: { SITES: "blog,shop:s.example", BADGE_SITES: "shop", STATS_TOKEN_SHOP: "shops-token" },
    });
    const view = (query: string, host = "localhost") =>
      world().ask(`/e?${query}&v=${encode({ p: "/" })}`, {
        headers: { "user-agent": CHROME, host },
      });
    const views = async (site: string) => (await world().stats({ site })).pv?._ ?? 0;
    const retire = (env = {}) => world().restart({ SITES: "blog", BADGE_SITES: "", ...env });
    const bringBack = () => world().restart();
    const listed = async () => (await owner.get("/api/sites")).sites;

    const owner = Owner.each(world);
    beforeEach(async () => {
      await view("s=shop");
    });

    it("counts nothing, and has its numbers when it is declared again", async () => {
      await world().survey({ sv: 1 }, { s: "shop" });
      await retire();
      assert.equal((await view("s=shop")).status, 200);
      assert.equal((await view("", "s.example")).status, 200);
      assert.equal((await world().ping({}, { s: "shop" })).status, 200);
      assert.equal((await world().survey({ sv: 1 }, { s: "shop" })).status, 204);
      await bringBack();
      const { pv, app } = await world().stats({ site: "shop" });
      assert.deepEqual([pv, app], [{ _: 1 }, undefined]);
      assert.equal((await world().read("/surveys", { site: "shop" })).total, 1);
    });

    it("is not there for who reads, whatever the token", async () => {
      await retire({ SITES: "blog,docs" });
      for (const path of ["/stats", "/surveys", "/surveys/export", "/surveys/versions"])
        for (const token of [ADMIN, "shops-token"])
          assert.equal((await world().readRaw(path, { site: "shop" }, token)).status, 401, path);
      const found = (await world().read("/sites")).map(({ id }: { id: string }) => id);
      assert.deepEqual(found, ["blog", "docs"]);
    });

    it("has no badge, though it is stored or declared", async () => {
      assert.equal((await world().ask("/badge?site=shop")).status, 200);
      await retire({ BADGE_SITES: "shop" });
      const [shop, none] = [
        await world().ask("/badge?site=shop"),
        await world().ask("/badge?site=none"),
      ];
      assert.deepEqual([shop.status, shop.text], [404, none.text]);
    });

    it("is nothing to the numbers on the deck", async () => {
      const numbers = async () => {
        const source = new SiteNumbers(world().service.store.numbers, noAlarms);
        const found = await source.numbers("shop", "pv", "7d");
        source.close();
        return found;
      };
      assert.equal((await numbers())?.value, 1);
      await retire();
      assert.equal(await numbers(), undefined);
    });

    it("leaves another to be the only one", async () => {
      await retire();
      await view("");
      assert.equal(await views("blog"), 1);
    });

    it("leaves its host to others", async () => {
      await retire();
      const reply = await owner.ask("POST", "/api/sites", { id: "other", host: "s.example" });
      assert.equal(reply.status, 201, reply.text);
      await view("", "s.example");
      assert.equal(await views("other"), 1);
    });

    it("is told at the start, once", async () => {
      await retire();
      assert.equal(world().said.filter((line) => /SITES names shop no more/.test(line)).length, 1);
      await retire();
      assert.equal(world().said.filter((line) => /SITES names shop no more/.test(line)).length, 1);
    });

    it("is listed as retired in the control API, and changed there by nobody", async () => {
      await retire();
      assert.deepEqual(await listed(), [
        {
          id: "blog",
          retired: false,
          host: null,
          badge: false,
          declared: true,
          hasToken: false,
          shares: 0,
          place: null,
        },
        {
          id: "shop",
          retired: true,
          host: null,
          badge: false,
          declared: false,
          hasToken: true,
          shares: 0,
          place: null,
        },
      ]);
      for (const [method, path] of [
        ["PATCH", "/api/sites/shop"],
        ["POST", "/api/sites/none/token"],
      ] as const)
        assert.ok((await owner.ask(method, path, {})).status >= 400);
      assertError(
        await owner.ask("PATCH", "/api/sites/shop", { badge: true }),
        409,
        "site_retired",
      );
    });

    it("comes back with its numbers when it is added", async () => {
      await retire();
      const reply = await owner.ask("POST", "/api/sites", { id: "shop" });
      assert.deepEqual([reply.status, reply.json.retired, reply.json.host], [201, false, null]);
      assert.equal(await views("shop"), 1);
      await view("s=shop");
      assert.equal(await views("shop"), 2);
    });

    it("comes back with its numbers in an import of settings, whose export leaves it out", async () => {
      const settings = await owner.get("/api/settings/export");
      await retire();
      const { sites } = await owner.get("/api/settings/export");
      assert.deepEqual(sites, [{ id: "blog", host: null, badge: false }]);
      assert.equal((await owner.ask("POST", "/api/settings/import", settings)).status, 204);
      assert.equal(await views("shop"), 1);
    });

    it("is gone with its numbers when it is erased", async () => {
      await retire();
      assert.equal((await owner.ask("DELETE", "/api/sites/shop?confirm=shop")).status, 204);
      assert.equal((await listed()).length, 1);
      await bringBack();
      assert.equal(await views("shop"), 0);
    });

    it("is retired by a restore, too, and brought back by one", async () => {
      const file = (await owner.ask("GET", "/api/backup")).body;
      const restore = () => owner.ask("POST", "/api/restore", file, { headers: FILE });
      await retire();
      assert.equal((await restore()).status, 204);
      assert.deepEqual(
        (await listed()).map(({ id, retired }: { id: string; retired: boolean }) => [id, retired]),
        [
          ["blog", false],
          ["shop", true],
        ],
      );
      await bringBack();
      assert.equal((await restore()).status, 204);
      assert.equal(await views("shop"), 1);
    });
  });

  describe("a declared host", () => {
    const world = eachWorld({ env: { SITES: "zzz:x.example,other" } });
    const viewOf = (host: string) =>
      world().ask(`/e?v=${encode({ p: "/" })}`, { headers: { "user-agent": CHROME, host } });
    const hosts = async () =>
      (await world().read("/sites")).map(({ id, host }: { id: string; host: string }) => [
        id,
        host,
      ]);
    const told = () => world().said.filter((line) => /x\.example/.test(line));

    it("counts for the site that has it now, not for the one before", async () => {
      await world().restart({ SITES: "aaa:x.example,other" });
      await viewOf("x.example");
      assert.equal((await world().stats({ site: "aaa" })).pv?._, 1);
      assert.deepEqual(await hosts(), [
        ["aaa", "x.example"],
        ["other", null],
      ]);
      assert.deepEqual(told(), ["info: SITES gives x.example to aaa: zzz has lost it."]);
    });

    it("is taken from a site that was added, which is told once", async () => {
      const site = { id: "zz-stored", host: "www.Y.example" };
      const reply = await new Owner(world()).ask("POST", "/api/sites", site);
      assert.equal(reply.status, 201, reply.text);
      const changed = { SITES: "zzz:x.example,other:y.example" };
      await world().restart(changed);
      await world().restart(changed);
      await viewOf("y.example");
      assert.equal((await world().stats({ site: "other" })).pv?._, 1);
      assert.deepEqual(await hosts(), [
        ["other", "y.example"],
        ["zz-stored", null],
        ["zzz", "x.example"],
      ]);
      const found = world().said.filter((line) => /y\.example/.test(line));
      assert.deepEqual(found, ["info: SITES gives y.example to other: zz-stored has lost it."]);
    });

    it("may be swapped with another", async () => {
      await world().restart({ SITES: "zzz,other:x.example" });
      await viewOf("x.example");
      assert.equal((await world().stats({ site: "other" })).pv?._, 1);
    });
  });
});
