import assert from "node:assert/strict";
import { onOneEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { ADMIN, eachWorld, World } from "../../../helpers/world.ts";

onOneEngine(() => {
  describe("the first site in the control API", () => {
    const world = eachWorld({ env: { SITES: "" } });
    const post = (site: object) => new Owner(world()).ask("POST", "/api/sites", site);
    const asksZone = async () => (await new Owner(world()).get("/api/sites")).asksZone;

    it("names the zone of days, and no later one does", async () => {
      assert.equal(await asksZone(), true);
      assert.equal((await post({ id: "blog", zone: "Pacific/Kiritimati" })).status, 201);
      assert.equal((await world().stats()).zone, "Pacific/Kiritimati");
      assert.equal(await asksZone(), false);
      const later = await post({ id: "shop", zone: "Asia/Tokyo" });
      assertError(later, 400, "invalid_field");
      assert.match(later.json.error, /DAY_ZONE changes it/);
      await world().restart();
      assert.equal((await world().stats()).zone, "Pacific/Kiritimati");
    });

    it("takes no zone that is none, and needs none", async () => {
      assertError(await post({ id: "blog", zone: "Mars/Olympus" }), 400, "invalid_field");
      assert.equal((await post({ id: "blog" })).status, 201);
      assert.equal((await world().stats()).zone, "UTC");
      assert.equal(await asksZone(), false);
    });

    it("names none where a site that is retired has counted by one", async () => {
      await world().restart({ SITES: "old" });
      await world().beacon({ p: "/" }, { s: "old" });
      await world().restart();
      assert.equal(await asksZone(), false);
      assertError(await post({ id: "blog", zone: "Asia/Tokyo" }), 400, "invalid_field");
    });

    it("leaves a zone that the configuration names", async () => {
      await world().restart({ DAY_ZONE: "Europe/Zurich" });
      assert.equal(await asksZone(), false);
      assertError(await post({ id: "blog", zone: "Asia/Tokyo" }), 400, "invalid_field");
    });
  });

  describe("sites in the control API", () => {
    const world = eachWorld({
      env: { SITES: "blog", STATS_TOKEN_SHOP: "shops", BADGE_SITES: "shop" },
    });
    const owner = Owner.each(world);
    const add = async (site: object) => {
      const reply = await owner.ask("POST", "/api/sites", site);
      assert.equal(reply.status, 201, reply.text);
      return reply.json;
    };
    const view = async (id: string) =>
      (await owner.get("/api/sites")).sites.find((site: { id: string }) => site.id === id);

    it("are told from those of which nothing has been counted", async () => {
      const hasCounts = async () => (await owner.get("/api/sites")).hasCounts;
      assert.equal(await hasCounts(), false);
      await world().beacon({ p: "/" });
      assert.equal(await hasCounts(), true);
    });

    it("are listed with what the configuration declares, and the collector's port", async () => {
      assert.deepEqual(await owner.get("/api/sites"), {
        sites: [
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
        ],
        collector: { port: world().port },
        asksZone: false,
        hasCounts: false,
      });
    });

    it("are added and count at once", async () => {
      assert.deepEqual(await add({ id: "Notes", host: "Stats.Example.org", badge: true }), {
        id: "notes",
        retired: false,
        host: "stats.example.org",
        badge: true,
        declared: false,
        hasToken: false,
        shares: 0,
        place: null,
      });
      await world().beacon({ p: "/" }, { s: "notes" });
      assert.equal((await world().stats({ site: "notes" })).pv._, 1);
      assert.equal((await world().ask("/badge?site=notes")).status, 200);
    });

    it("take only an id", async () => {
      assert.deepEqual(await add({ id: "notes" }), {
        id: "notes",
        retired: false,
        host: null,
        badge: false,
        declared: false,
        hasToken: false,
        shares: 0,
        place: null,
      });
    });

    it("are changed", async () => {
      await add({ id: "notes", host: "a.example" });
      const reply = await owner.ask("PATCH", "/api/sites/notes", { host: null, badge: true });
      assert.deepEqual([reply.status, reply.json.host, reply.json.badge], [200, null, true]);
      assert.equal((await world().ask("/badge?site=notes")).status, 200);
    });

    it("keep no badge from before once the configuration declares them", async () => {
      await add({ id: "notes", badge: true });
      await world().stop();
      const later = new World({ dataDir: world().dataDir, env: { SITES: "notes" } });
      await later.start();
      try {
        assert.equal((await later.ask("/badge?site=notes")).status, 404);
        assert.equal((await new Owner(later).get("/api/sites")).sites[0].badge, false);
      } finally {
        await later.stop();
      }
    });

    it("get a token, which is shown once and reads this site alone", async () => {
      await add({ id: "notes" });
      const reply = await owner.ask("POST", "/api/sites/notes/token");
      assert.deepEqual([reply.status, Object.keys(reply.json)], [200, ["token"]]);
      const { token } = reply.json;
      assert.equal((await world().readRaw("/stats", { site: "notes" }, token)).status, 200);
      assert.equal((await world().readRaw("/stats", { site: "blog" }, token)).status, 401);
      assert.equal((await view("notes")).hasToken, true);
      await owner.ask("POST", "/api/sites/notes/token");
      assert.equal((await world().readRaw("/stats", { site: "notes" }, token)).status, 401);
    });

    it("are erased with counts, surveys and token, when that is confirmed", async () => {
      await add({ id: "notes" });
      const { token } = (await owner.ask("POST", "/api/sites/notes/token")).json;
      await world().beacon({ p: "/secret" }, { s: "notes" });
      await world().survey({ sv: 1 }, { s: "notes" });
      for (const path of ["/api/sites/notes", "/api/sites/notes?confirm=blog"])
        assertError(await owner.ask("DELETE", path), 400, "invalid_field");
      assert.equal((await owner.ask("DELETE", "/api/sites/notes?confirm=notes")).status, 204);
      assert.equal(await view("notes"), undefined);
      assert.equal((await world().readRaw("/stats", { site: "notes" }, token)).status, 401);
      await add({ id: "notes" });
      const { path = {} } = await world().stats({ site: "notes" });
      assert.deepEqual(path, {});
      assert.equal((await world().read("/surveys", { site: "notes" }, ADMIN)).total, 0);
    });

    for (const [field, site] of [
      ["id", {}],
      ["id", { id: "admin" }],
      ["id", { id: "Admin" }],
      ["id", { id: "" }],
      ["id", { id: "x".repeat(33) }],
      ["host", { id: "notes", host: "http://x" }],
      ["host", { id: "notes", host: "" }],
      ["badge", { id: "notes", badge: "yes" }],
      ["name", { id: "notes", name: "x" }],
    ] as const)
      it(`refuse ${JSON.stringify(site)} by the name ${field}`, async () => {
        const reply = await owner.ask("POST", "/api/sites", site);
        assertError(reply, 400, "invalid_field");
        assert.ok(reply.json.error.startsWith(`"${field}" `), reply.json.error);
      });

    it("are told the id that was meant", async () => {
      const reply = await owner.ask("POST", "/api/sites", { id: "Mein Büro – 2" });
      assert.match(reply.json.error, / Did you mean mein-buro-2\? An id is /);
      assert.equal((await owner.ask("POST", "/api/sites", { id: "mein-buro-2" })).status, 201);
      const none = await owner.ask("POST", "/api/sites", { id: "✨" });
      assert.match(none.json.error, /^"id" is no site id\. An id is /);
    });

    it("have ids and hosts that no other has", async () => {
      await add({ id: "notes", host: "www.a.example" });
      assertError(await owner.ask("POST", "/api/sites", { id: "notes" }), 409, "site_exists");
      assertError(
        await owner.ask("POST", "/api/sites", { id: "other", host: "A.example" }),
        409,
        "host_taken",
      );
      assert.equal(await view("other"), undefined);
    });

    it("have ids whose tokens no other has", async () => {
      await add({ id: "a_b" });
      const reply = await owner.ask("POST", "/api/sites", { id: "a-b" });
      assertError(reply, 409, "same_token_name");
      assert.match(reply.json.error, /^There is a site a_b, and .* STATS_TOKEN_A_B\./);
      assert.equal(await view("a-b"), undefined);
    });

    it("are meant in whichever letters", async () => {
      await add({ id: "notes" });
      assert.equal((await owner.ask("PATCH", "/api/sites/NOTES", { badge: true })).status, 200);
      assert.equal((await owner.ask("POST", "/api/sites/Notes/token")).status, 200);
      assert.equal((await owner.ask("DELETE", "/api/sites/NoteS?confirm=NOTES")).status, 204);
      assert.equal(await view("notes"), undefined);
    });

    it("that are declared are read-only", async () => {
      for (const [method, path, body] of [
        ["PATCH", "/api/sites/blog", { host: "a.example" }],
        ["PATCH", "/api/sites/blog", { badge: true }],
        ["DELETE", "/api/sites/blog?confirm=blog", undefined],
      ] as const)
        assertError(await owner.ask(method, path, body), 409, "declared");
    });

    it("whose token or badge is declared keep it", async () => {
      assert.deepEqual(await add({ id: "shop" }), {
        id: "shop",
        retired: false,
        host: null,
        badge: true,
        declared: false,
        hasToken: true,
        shares: 0,
        place: null,
      });
      assertError(await owner.ask("POST", "/api/sites/shop/token"), 409, "declared");
      assertError(await owner.ask("PATCH", "/api/sites/shop", { badge: false }), 409, "declared");
    });

    it("that do not exist are not found", async () => {
      for (const [method, path, body] of [
        ["PATCH", "/api/sites/none", { badge: true }],
        ["DELETE", "/api/sites/none?confirm=none", undefined],
        ["POST", "/api/sites/none/token", undefined],
      ] as const)
        assertError(await owner.ask(method, path, body), 404, "not_found");
    });
  });
});
