import assert from "node:assert/strict";
import type { Goal } from "../../../../appliance/base/text/goals.ts";
import { onEachEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { ADMIN, eachWorld } from "../../../helpers/world.ts";

const SIGNUP: Goal = { name: "Signed up", kind: "event", value: "signup" };
const THANKS: Goal = { name: "Thanks", kind: "page", value: "/thanks" };
const DOCS: Goal = { name: "Read the docs", kind: "page", value: "/docs/*" };

onEachEngine(() => {
  describe("goals of a site", () => {
    const world = eachWorld();
    const owner = Owner.each(world);
    beforeEach(() => {
      world().clock.setWall("2026-03-04T12:00:00Z");
    });

    const set = (...goals: Goal[]) => owner.ask("PUT", "/api/sites/blog/goals", { goals });
    const ask = (query: Record<string, string> = {}) => world().read("/goals", query);
    const counts = async (query: Record<string, string> = {}) =>
      Object.fromEntries(
        (await ask(query)).goals.map(({ name, daily }: { name: string; daily: number[] }) => [
          name,
          daily,
        ]),
      );

    it("are none until their owner sets some", async () => {
      assert.deepEqual(await ask(), {
        site: "blog",
        from: "2026-03-04",
        to: "2026-03-04",
        zone: "UTC",
        goals: [],
      });
    });

    it("count an event each time, and a page by its visitors, day by day", async () => {
      await set(SIGNUP, THANKS);
      world().clock.setWall("2026-03-02T12:00:00Z");
      await world().beacon({ p: "/thanks", n: "1" });
      await world().beacon({ p: "/thanks" });
      world().clock.setWall("2026-03-04T12:00:00Z");
      await world().beacon({ p: "/", ev: "signup" });
      await world().beacon({ p: "/", ev: "signup" });
      await world().beacon({ p: "/", ev: "signups" });
      assert.deepEqual(await counts({ from: "2026-03-02", to: "2026-03-04" }), {
        "Signed up": [0, 0, 2],
        Thanks: [1, 0, 0],
      });
    });

    it("take in whatever begins as theirs does, where that ends in a star", async () => {
      await set(DOCS);
      for (const p of ["/docs/", "/docs/a", "/docs/b", "/doc"]) await world().beacon({ p, n: "1" });
      assert.deepEqual(await counts(), { "Read the docs": [2] });
    });

    it("with a unit add up the numbers that their events carry, day by day and under conditions", async () => {
      const order = { name: "Orders", kind: "event", value: "order*", unit: "€" } as const;
      const { json } = await set(order, SIGNUP);
      assert.deepEqual(json.goals, [order, SIGNUP]);
      const send = (ev: string, value: number, o: string) =>
        world().beacon({ p: "/", ev, o, pr: { value } });
      world().clock.setWall("2026-03-03T12:00:00Z");
      await send("order", 19.99, "news.example");
      world().clock.setWall("2026-03-04T12:00:00Z");
      await send("order", 5, "news.example");
      await send("order-refund", -7.5, "");
      await send("signup", 100, "");
      const sums = async (query: Record<string, string>) =>
        (await ask({ from: "2026-03-03", to: "2026-03-04", ...query })).goals.map(
          ({ sums }: { sums?: number[] }) => sums,
        );
      assert.deepEqual(await sums({}), [[19_990, -2_500], undefined]);
      assert.deepEqual(await sums({ where: "source:is:news.example" }), [
        [19_990, 5_000],
        undefined,
      ]);
      await assertError(await set({ ...THANKS, unit: "€" }), 400, "invalid_field");
      await assertError(await set({ ...order, unit: "€".repeat(9) }), 400, "invalid_field");
    });

    it("count only what meets conditions", async () => {
      await set(SIGNUP, THANKS);
      await world().beacon({ p: "/", ev: "signup", o: "news.example" });
      await world().beacon({ p: "/", ev: "signup", o: "" });
      await world().beacon({ p: "/thanks", n: "1", o: "news.example" });
      const answer = await ask({ where: "source:is:news.example" });
      assert.deepEqual(answer.detail, { from: "2026-03-04", sampled: 1 });
      const found = answer.goals.map(({ daily }: { daily: number[] }) => daily);
      assert.deepEqual(found, [[1], [1]]);
    });

    it("are kept over a restart, as pages are stored", async () => {
      const stored = await set({ ...THANKS, value: " /thanks/ " });
      assert.deepEqual(stored.json.goals, [THANKS]);
      await world().restart();
      assert.deepEqual((await ask()).goals, [{ ...THANKS, daily: [0] }]);
    });

    it("are found by their pages as they are counted, however an owner writes these", async () => {
      const page = (name: string, value: string): Goal => ({ name, kind: "page", value });
      const stored = await set(
        page("a", "/caf%C3%A9/"),
        page("b", "/thanks?order=1#top"),
        page("c", "/caf%C3%A9*"),
        page("d", "/docs/%C3%A9/*"),
        page("e", "/*"),
      );
      const seen = stored.json.goals.map(({ value }: Goal) => value);
      assert.deepEqual(seen, ["/café", "/thanks", "/café*", "/docs/é/*", "/*"]);
      for (const p of ["/caf%C3%A9/", "/thanks/?order=7", "/docs/%C3%A9/1"])
        await world().beacon({ p, n: "1" });
      assert.deepEqual(await counts(), { a: [1], b: [1], c: [1], d: [1], e: [3] });
    });

    it("begin with the first day that has data, where the first is asked for", async () => {
      await set(THANKS);
      world().clock.setWall("2026-03-02T12:00:00Z");
      await world().beacon({ p: "/thanks", n: "1" });
      world().clock.setWall("2026-03-04T12:00:00Z");
      assert.equal((await ask({ from: "first" })).from, "2026-03-02");
      assert.deepEqual(await counts({ from: "first" }), { Thanks: [1, 0, 0] });
    });

    it("are read with a token of their site alone", async () => {
      assertError(await world().ask("/goals?site=blog"), 401, "unauthorized");
      assertError(await world().ask("/marks?site=blog"), 401, "unauthorized");
    });

    for (const [goal, sentence] of [
      [{ ...SIGNUP, kind: "visit" }, '"goals.0.kind" must be event or page.'],
      [{ ...SIGNUP, name: "" }, '"goals.0.name" must be a text of 1 to 64 characters.'],
      [{ ...SIGNUP, value: "*" }, '"goals.0.value" must name an event, or how it begins.'],
      [
        { ...THANKS, value: "thanks" },
        '"goals.0.value" must be a path that begins with a slash, like /thanks.',
      ],
    ] as const)
      it(`are refused with a sentence: ${sentence}`, async () => {
        await set(SIGNUP);
        const reply = await owner.ask("PUT", "/api/sites/blog/goals", { goals: [goal] });
        assertError(reply, 400, "invalid_field");
        assert.equal(reply.json.error, sentence);
        assert.deepEqual(await owner.get("/api/sites/blog/goals"), { goals: [SIGNUP] });
      });

    it("are twenty at most", async () => {
      assertError(await set(...Array<Goal>(21).fill(SIGNUP)), 400, "invalid_field");
    });
  });

  describe("marks of a site", () => {
    const world = eachWorld();
    const owner = Owner.each(world);

    const path = "/api/sites/blog/marks";
    const put = (...marks: object[]) => owner.ask("PUT", path, { marks });

    it("are told in the order of their days", async () => {
      await put(
        { day: "2026-03-04", text: "Posted " },
        { day: "2026-03-01", text: "Released 2.0" },
      );
      assert.deepEqual(await world().read("/marks"), {
        site: "blog",
        marks: [
          { day: "2026-03-01", text: "Released 2.0" },
          { day: "2026-03-04", text: "Posted" },
        ],
      });
    });

    it("are of days of the calendar, and say something", async () => {
      const reply = await put({ day: "2026-02-30", text: "Never" });
      assertError(reply, 400, "invalid_field");
      assert.equal(reply.json.error, '"marks.0.day" must be a day like 2026-01-31.');
      assertError(await put({ day: "2026-03-01", text: "  " }), 400, "invalid_field");
      assert.deepEqual(await owner.get(path), { marks: [] });
    });

    it("are of a site that is there", async () => {
      assertError(await owner.ask("PUT", "/api/sites/shop/marks", { marks: [] }), 404, "not_found");
    });

    it("are read by whoever has the link of the site, and by no other token", async () => {
      await put({ day: "2026-03-04", text: "Posted" });
      const { token } = (await owner.ask("POST", "/api/sites/blog/shares", { name: "All" })).json;
      const read = (bearer: string) =>
        world().ask("/marks?site=blog", { headers: { authorization: `Bearer ${bearer}` } });
      assert.equal((await read(token)).json.marks.length, 1);
      assert.equal((await read(ADMIN)).status, 200);
      assertError(await read("wrong"), 401, "unauthorized");
    });
  });
});
