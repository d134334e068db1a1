import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { onOneEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld, sharedWorld } from "../../../helpers/world.ts";

const deck = (change: object = {}) => ({
  id: "mk2-a1",
  model: "mk2",
  serial: "A1",
  name: "Desk",
  brightness: 40,
  pages: [{ name: "Home", slots: { k3: { widget: { type: "push", channel: "door" } } } }],
  ...change,
});
/** An export from before there were pages. */
const older = (widgets: object) => deck({ pages: undefined, widgets });
const page = (name: string, slots: object = {}) => ({ name, slots });

onOneEngine(() => {
  describe("settings as a file", () => {
    const world = eachWorld({ env: { VIRTUAL_DECK: "mini" } });
    const owner = Owner.each(world);
    beforeEach(async () => {
      await owner.ask("POST", "/api/sites", { id: "notes", host: "a.example", badge: true });
    });
    const exported = () => owner.get("/api/settings/export");
    const take = (settings: unknown) => owner.ask("POST", "/api/settings/import", settings);
    it("name no icon and no picture that the box does not have", async () => {
      for (const [widget, problem] of [
        [{ type: "icon", icon: "bel" }, /"decks.0.pages.0.slots.k3.widget.icon" is no icon/],
        [{ type: "image", image: "0".repeat(64) }, /k3.widget.image" is no picture/],
      ] as const) {
        const reply = await take({ decks: [deck({ pages: [page("Home", { k3: { widget } })] })] });
        assertError(reply, 400, "invalid_field");
        assert.match(reply.json.error, problem);
        assertError(await take({ decks: [older({ k3: widget })] }), 400, "invalid_field");
      }
    });

    it("hold decks, widgets and sites", async () => {
      assert.deepEqual(await exported(), {
        tallydeck: "settings",
        decks: [
          {
            id: "virtual-mini",
            model: "mini",
            serial: "",
            name: "Elgato Stream Deck Mini",
            brightness: 70,
            sleep: { afterMinutes: null, night: null },
            homeAfterSeconds: null,
            pages: [
              {
                name: "Page 1",
                slots: {
                  k0: { widget: { type: "address" } },
                  k1: { widget: { type: "clock" } },
                  k2: { widget: { type: "empty" } },
                  k3: { widget: { type: "empty" } },
                  k4: { widget: { type: "empty" } },
                  k5: { widget: { type: "empty" } },
                },
              },
            ],
            fixed: {},
          },
        ],
        sites: [
          { id: "blog", host: null, badge: false },
          { id: "notes", host: "a.example", badge: true },
        ],
      });
    });

    it("hold no token and no hash", async () => {
      const { token } = await owner.makePushToken("secret-name");
      const site = (await owner.ask("POST", "/api/sites/notes/token")).json.token;
      const text = JSON.stringify(await exported());
      for (const secret of [token, site, "secret-name", "hash", "tdp_", "tdr_"])
        assert.ok(!text.includes(secret), secret);
    });

    it("come back as they were", async () => {
      const before = await exported();
      await owner.ask("PUT", "/api/decks/virtual-mini/slots/k0", { widget: { type: "date" } });
      await owner.ask("PATCH", "/api/decks/virtual-mini", { name: "Other", brightness: 1 });
      await owner.ask("PATCH", "/api/sites/notes", { host: null, badge: false });
      assert.equal((await take(before)).status, 204);
      assert.deepEqual(await exported(), before);
      await world().restart();
      assert.deepEqual(await exported(), before);
    });

    it("come back with pages, fixed keys and sleep, and hide the secrets of actions", async () => {
      const MINI = "/api/decks/virtual-mini";
      const sleep = { afterMinutes: 5, night: { from: "22:00", to: "06:30" } };
      await owner.ask("PATCH", MINI, { sleep, homeAfterSeconds: 30 });
      await owner.ask("POST", `${MINI}/pages`, { name: "Lights" });
      await owner.ask("POST", "/api/origins", { origin: "http://ha.local:8123" });
      const headers = { Authorization: "Bearer secret-word" };
      const press = { do: "request", method: "POST", url: "http://ha.local:8123/api", headers };
      const put = (rest: string, body: object) =>
        owner.ask("PUT", `${MINI}/slots/${rest}`, { widget: { type: "date" }, ...body });
      assert.equal((await put("k2?page=1", { press })).status, 200);
      assert.equal((await put("k5?fixed=1", { button: true })).status, 200);
      const before = await exported();
      assert.ok(!JSON.stringify(before).includes("secret-word"));
      await owner.ask("PATCH", `${MINI}/pages/1`, { name: "Other" });
      await put("k5?page=0", { button: false });
      await owner.ask("PATCH", MINI, { sleep: { afterMinutes: null, night: null } });
      assert.equal((await take(before)).status, 204);
      assert.deepEqual(await exported(), before);
      const [deck] = world().service.decks.setUp.settings();
      assert.deepEqual(deck?.pages[1]?.slots.k2?.press, press);
      await world().restart();
      assert.deepEqual(await exported(), before);
    });

    it("may be of a version without pages, and change the first one then", async () => {
      await owner.ask("PATCH", "/api/decks/virtual-mini/pages/0", { name: "Mine" });
      const mini = { ...older({ k2: { type: "date" } }), id: "virtual-mini", model: "mini" };
      assert.equal((await take({ decks: [{ ...mini, serial: "" }] })).status, 204);
      const [{ pages, name }] = (await exported()).decks;
      assert.deepEqual([name, pages.length, pages[0].name], ["Desk", 1, "Mine"]);
      const types = Object.values(pages[0].slots).map(
        (slot) => (slot as { widget: { type: string } }).widget.type,
      );
      assert.deepEqual(types, ["address", "clock", "date", "empty", "empty", "empty"]);
    });

    it("merge in and delete nothing", async () => {
      const sites = [{ id: "shop", badge: true }, { id: "notes" }];
      assert.equal((await take({ decks: [deck()], sites })).status, 204);
      await world().restart();
      const { decks, sites: known } = await exported();
      const found = decks.map(({ id, name }: { id: string; name: string }) => `${id} ${name}`);
      assert.deepEqual(found, ["mk2-a1 Desk", "virtual-mini Elgato Stream Deck Mini"]);
      assert.deepEqual(known, [
        { id: "blog", host: null, badge: false },
        { id: "notes", host: "a.example", badge: true },
        { id: "shop", host: null, badge: true },
      ]);
    });

    it("may swap hosts", async () => {
      await owner.ask("POST", "/api/sites", { id: "shop", host: "b.example" });
      const sites = [
        { id: "notes", host: "b.example" },
        { id: "shop", host: "a.example" },
      ];
      assert.equal((await take({ sites })).status, 204);
      assert.equal((await exported()).sites[1].host, "b.example");
    });

    it("leave sites alone that the configuration declares", async () => {
      assert.equal((await take({ sites: [{ id: "blog", host: "c.example" }] })).status, 204);
      assert.equal((await exported()).sites[0].host, null);
    });

    describe("taken in", () => {
      const look = (settings: unknown) =>
        owner.ask("POST", "/api/settings/import?preview=1", settings);
      const undo = () => owner.ask("POST", "/api/decks/undo");
      const UNDONE = "Undone: Settings taken in.";
      const left = (site: string) =>
        `${UNDONE} Sites left as they are, for they have counted since or their host is taken: ${site}.`;
      const mini = async (change: object) => ({ ...(await exported()).decks[0], ...change });

      it("tell first what changes, and change nothing", async () => {
        const before = await exported();
        const slots = {
          k0: { widget: { type: "address" } },
          k1: { widget: { type: "date" } },
          k5: { widget: { type: "clock" } },
        };
        const decks = [deck(), await mini({ brightness: 5, pages: [page("Page 1", slots)] })];
        const sites = [{ id: "shop" }, { id: "notes", badge: false }, { id: "blog", host: "b.c" }];
        const { status, json } = await look({ decks, sites });
        assert.equal(status, 200);
        assert.deepEqual(json, {
          keys: 2,
          decks: { added: 1, changed: 1 },
          sites: { added: 1, changed: 1 },
        });
        assert.deepEqual(await exported(), before);
        assert.deepEqual((await look(before)).json, {
          keys: 0,
          decks: { added: 0, changed: 0 },
          sites: { added: 0, changed: 0 },
        });
      });

      it("are looked at beside what else the box does, one file at a time", async () => {
        const sites = Array.from({ length: 3_000 }, (_, n) => ({ id: `s${n}`, host: `${n}.b` }));
        const [view, ...looks] = await Promise.all([
          world().beacon({ p: "/" }),
          look({ sites }),
          look({ sites }),
        ]);
        assert.equal(view.status, 200);
        const [first, second] = looks.sort((a, b) => a.status - b.status);
        assert.deepEqual(first?.json.sites, { added: 3_000, changed: 0 });
        assertError(second ?? assert.fail(), 409, "busy");
      });

      it("are looked at and taken in by one thread, which ends a minute later", async () => {
        const settings = { sites: [{ id: "new" }] };
        // An earlier test has left one that waits.
        await look(settings);
        world().clock.advance(60_000);
        const threads: Worker[] = [];
        const see = (message: unknown) => threads.push((message as { worker: Worker }).worker);
        diagnostics.subscribe("worker_threads", see);
        assert.equal((await look(settings)).status, 200);
        assertError(await take({ sites: {} }), 400, "invalid_field");
        world().clock.advance(59_000);
        assert.equal((await take(settings)).status, 204);
        diagnostics.unsubscribe("worker_threads", see);
        assert.equal(threads.length, 1);
        const ended = once(threads[0] ?? assert.fail(), "exit");
        world().clock.advance(60_000);
        await ended;
      });

      it("are as wrong when they are only looked at", async () => {
        assertError(await look({ decks: [deck({ brightness: 101 })] }), 400, "invalid_field");
      });

      it("are undone, decks and sites, also over a restart after that", async () => {
        await owner.ask("POST", "/api/sites", { id: "shop", host: "b.example" });
        const before = await exported();
        const slots = { k1: { widget: { type: "date" } } };
        const decks = [deck(), await mini({ name: "Other", pages: [page("A", slots), page("B")] })];
        const sites = [
          { id: "new", host: "c.example" },
          { id: "notes", host: "b.example", badge: false },
          { id: "shop", host: "a.example" },
        ];
        assert.equal((await take({ decks, sites })).status, 204);
        const reply = await undo();
        assert.deepEqual([reply.status, reply.json], [200, { done: UNDONE }]);
        assert.deepEqual(await exported(), before);
        await world().restart();
        assert.deepEqual(await exported(), before);
      });

      it("are taken in again, and undone again", async () => {
        const before = await exported();
        await take({ decks: [deck()], sites: [{ id: "new" }] });
        const after = await exported();
        await undo();
        assert.equal((await owner.ask("POST", "/api/decks/redo")).status, 200);
        assert.deepEqual(await exported(), after);
        await undo();
        assert.deepEqual(await exported(), before);
      });

      it("are undone but for a new site that has counted since", async () => {
        await take({ sites: [{ id: "counted" }, { id: "quiet" }] });
        await world().beacon({ p: "/" }, { s: "counted" });
        assert.deepEqual((await undo()).json, { done: left("counted") });
        const ids = (await exported()).sites.map(({ id }: { id: string }) => id);
        assert.deepEqual(ids, ["blog", "counted", "notes"]);
        assert.deepEqual((await world().stats({ site: "counted" })).path, { "/": 1 });
      });

      it("are undone but for a host that another site has now", async () => {
        await take({ sites: [{ id: "notes", host: null }] });
        await owner.ask("POST", "/api/sites", { id: "shop", host: "a.example" });
        assert.deepEqual((await undo()).json, { done: left("notes") });
      });

      it("are undone once, and not after other data took the place", async () => {
        assertError(await undo(), 409, "nothing_to_undo");
        await take({ sites: [{ id: "new" }] });
        assert.equal((await undo()).status, 200);
        assertError(await undo(), 409, "nothing_to_undo");
        await take({ sites: [{ id: "new" }] });
        const backup = (await owner.ask("GET", "/api/backup")).body;
        assert.equal((await owner.ask("POST", "/api/restore", backup)).status, 204);
        assertError(await undo(), 409, "nothing_to_undo");
      });
    });
  });

  describe("settings as a file that are wrong", () => {
    const world = sharedWorld({ env: { VIRTUAL_DECK: "mini" } });
    const owner = new Owner(world);
    before(async () => {
      await owner.ask("POST", "/api/sites", { id: "notes", host: "a.example", badge: true });
    });

    for (const [field, settings] of [
      ["body", []],
      ["tokens", { tokens: [] }],
      ["tallydeck", { tallydeck: "backup" }],
      ["decks", { decks: {} }],
      ["decks", { decks: Array.from({ length: 1_100 }, (_, n) => deck({ id: `mk2-${n}` })) }],
      ["sites", { sites: Array.from({ length: 18_000 }, (_, n) => ({ id: `s${n}` })) }],
      ["decks.0.model", { decks: [deck({ model: "none" })] }],
      ["decks.0.brightness", { decks: [deck({ brightness: 101 })] }],
      ["decks.0.hash", { decks: [deck({ hash: "x" })] }],
      ["decks.0.name", { decks: [deck({ name: " " })] }],
      ["decks.0.widgets.k15", { decks: [older({ k15: { type: "clock" } })] }],
      ["decks.0.widgets.k0.type", { decks: [older({ k0: { type: "x" } })] }],
      ["decks.0.widgets", { decks: [deck({ widgets: {} })] }],
      ["decks.0.pages", { decks: [deck({ pages: undefined })] }],
      ["decks.0.pages", { decks: [deck({ pages: [] })] }],
      ["decks.0.pages", { decks: [deck({ pages: Array.from({ length: 11 }, () => page("x")) })] }],
      ["decks.0.pages.1.name", { decks: [deck({ pages: [page("A"), page(" a ")] })] }],
      ["decks.0.pages.0.name", { decks: [deck({ pages: [page("next")] })] }],
      ["decks.0.pages.0.slots.k0.widget", { decks: [deck({ pages: [page("A", { k0: {} })] })] }],
      [
        "decks.0.pages.0.slots.k15",
        { decks: [deck({ pages: [page("A", { k15: { widget: { type: "clock" } } })] })] },
      ],
      ["decks.0.fixed.k0.widget.type", { decks: [deck({ fixed: { k0: { widget: {} } } })] }],
      [
        "decks.0.sleep.afterMinutes",
        { decks: [deck({ sleep: { afterMinutes: 0, night: null } })] },
      ],
      ["decks.0.id", { decks: [deck({ model: "xl" })] }],
      ["decks.0.id", { decks: [deck({ id: "virtual-mini" })] }],
      ["decks.1.id", { decks: [deck(), deck()] }],
      ["sites.0.id", { sites: [{ id: "A b" }] }],
      ["sites.0.id", { sites: [{ id: "Admin" }] }],
      ["sites.1.id", { sites: [{ id: "a" }, { id: "A" }] }],
      ["sites.1.id", { sites: [{ id: "a-b" }, { id: "a_b" }] }],
      ["sites.0.token", { sites: [{ id: "a", token: "x" }] }],
      ["sites.1.id", { sites: [{ id: "a" }, { id: "a" }] }],
      ["sites.0.host", { sites: [{ id: "a", host: "A.example" }] }],
      [
        "sites.0.host",
        {
          sites: [
            { id: "a", host: "x.example" },
            { id: "b", host: "x.example" },
          ],
        },
      ],
    ] as const)
      it(`at ${field} change nothing`, async () => {
        const exported = () => owner.get("/api/settings/export");
        const before = await exported();
        const good = { decks: [deck({ id: "mk2-z9" })], sites: [{ id: "good" }] };
        const given = Array.isArray(settings) ? settings : { ...good, ...settings };
        const reply = await owner.ask("POST", "/api/settings/import", given);
        assertError(reply, 400, "invalid_field");
        assert.ok(reply.json.error.startsWith(`"${field}" `), reply.json.error);
        assert.deepEqual(await exported(), before);
      });
  });
});
