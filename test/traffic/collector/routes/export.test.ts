import assert from "node:assert/strict";
import { onOneEngine } from "../../../helpers/engines.ts";
import { findSite } from "../../../helpers/stored-sites.ts";
import { eachWorld, sharedWorld, type World } from "../../../helpers/world.ts";

type Query = Record<string, string | number>;

/** Posts responses whose comments count from `first` on. */
async function post(world: World, count: number, first = 0): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => first + n);
  for (const n of numbers) await world.survey({ sv: 1, c: String(n) });
}

const commentsOf = (page: { responses: { c: string }[] }) => page.responses.map(({ c }) => c);

/** The comments of all pages, and the pages' sizes; `between` runs before each further page. */
async function exportAll(
  world: World,
  query: Query = {},
  between: () => Promise<unknown> = async () => {},
): Promise<{ comments: string[]; sizes: number[] }> {
  const comments: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    if (cursor !== undefined) await between();
    const page = await world.read("/surveys/export", { ...query, ...(cursor && { cursor }) });
    comments.push(...commentsOf(page));
    sizes.push(page.responses.length);
    cursor = page.cursor;
  }
  return { comments, sizes };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));

onOneEngine(() => {
  describe("/surveys/export", () => {
    const world = sharedWorld({ env: { SITES: "blog,shop,full,empty" } });
    before(async () => {
      world().clock.setWall("2026-03-01T12:00:00Z");
      await post(world(), 120);
      world().clock.setWall("2026-03-02T12:00:00Z");
      await post(world(), 110, 120);
      await world().survey({ sv: 2, c: "other version" });
      await world().survey({ sv: 1, c: "other site" }, { s: "shop" });
    });

    const firstPage = (query: Query = {}) => world().read("/surveys/export", query);
    const refused = async (query: Query) => {
      const { status, json } = await world().readRaw("/surveys/export", query);
      assert.deepEqual([status, json.code], [400, "invalid_parameter"], JSON.stringify(query));
    };

    it("gives at most 100 responses a page, oldest first, until the cursor is null", async () => {
      const { comments, sizes } = await exportAll(world());
      assert.deepEqual(sizes, [100, 100, 30]);
      assert.deepEqual(comments, numbers(230));
    });

    it("gives each response its day and its payload, and no id of a row", async () => {
      const { site, sv, responses } = await firstPage();
      assert.deepEqual(
        [site, sv, responses[0]],
        ["blog", 1, { day: "2026-03-01", sv: 1, a: {}, c: "0" }],
      );
    });

    it("ends with null where a page is just full and nothing follows", async () => {
      for (let n = 0; n < 100; n++) await world().survey({ sv: 1 }, { s: "full" });
      const { responses, cursor } = await firstPage({ site: "full" });
      assert.deepEqual([responses.length, cursor], [100, null]);
    });

    it("is one empty page where there is nothing", async () => {
      assert.deepEqual(await firstPage({ site: "empty" }), {
        site: "empty",
        sv: 1,
        responses: [],
        cursor: null,
      });
    });

    it("keeps to its dates over all pages", async () => {
      const { comments } = await exportAll(world(), { from: "2026-03-01", to: "2026-03-01" });
      assert.deepEqual(comments, numbers(120));
    });

    it("is kept by no cache", async () => {
      const { headers } = await world().readRaw("/surveys/export");
      assert.equal(headers["cache-control"], "no-store");
    });

    describe("cursor", () => {
      it("tells nothing of what it holds, and is another each time", async () => {
        const [one, two] = [(await firstPage()).cursor, (await firstPage()).cursor];
        assert.match(one, /^[\w-]+$/);
        assert.notEqual(one, two);
        assert.doesNotMatch(Buffer.from(one, "base64url").toString("latin1"), /\d{5}|day|row/);
      });

      it("may be used again", async () => {
        const { cursor } = await firstPage();
        assert.deepEqual(
          commentsOf(await firstPage({ cursor })),
          commentsOf(await firstPage({ cursor })),
        );
      });

      it("takes sv=1 for no sv", async () => {
        const { cursor } = await firstPage();
        assert.equal((await firstPage({ cursor, sv: 1 })).responses.length, 100);
      });

      it("is refused with another site, version or date", async () => {
        const { cursor } = await firstPage({ from: "2026-03-01", to: "2026-03-02" });
        const dates = { from: "2026-03-01", to: "2026-03-02" };
        assert.equal((await firstPage({ ...dates, cursor })).responses.length, 100);
        await refused({ ...dates, cursor, site: "shop" });
        await refused({ ...dates, cursor, sv: 2 });
        await refused({ ...dates, cursor, from: "2026-02-28" });
        await refused({ ...dates, cursor, to: "2026-03-03" });
        await refused({ from: "2026-03-01", cursor });
        await refused({ to: "2026-03-02", cursor });
        await refused({ cursor });
      });

      it("is refused after any change to it", async () => {
        const { cursor } = await firstPage();
        for (let at = 0; at < cursor.length; at++)
          await refused({
            cursor: cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1),
          });
        for (const other of [
          `${cursor}A`,
          `${cursor}=`,
          ` ${cursor}`,
          `${cursor}!`,
          cursor.slice(1),
        ])
          await refused({ cursor: other });
      });

      it("may be empty for the first page", async () => {
        const { responses } = await firstPage({ cursor: "" });
        assert.deepEqual(responses, (await firstPage()).responses);
      });

      for (const cursor of ["0", "null", "100", "AAAA", "x".repeat(4_000), "ü"])
        it(`is refused when it is ${cursor.slice(0, 10)}`, () => refused({ cursor }));
    });

    describe("of another box", () => {
      const other = sharedWorld();

      it("refuses the cursor", async () => {
        const { cursor } = await firstPage();
        assert.equal((await other().readRaw("/surveys/export", { cursor })).status, 400);
      });
    });
  });

  describe("an export during which responses come in", () => {
    const world = eachWorld();

    it("neither repeats nor skips a response that was there", async () => {
      await post(world(), 250);
      let next = 250;
      const { comments } = await exportAll(world(), {}, async () => {
        await post(world(), 7, next);
        next += 7;
      });
      assert.deepEqual(comments.slice(0, 250), numbers(250));
      assert.equal(new Set(comments).size, comments.length);
    });

    it("neither repeats nor skips when the clock steps back meanwhile", async () => {
      world().clock.setWall("2026-03-04T00:00:00Z");
      await post(world(), 150);
      const { comments } = await exportAll(world(), {}, async () => {
        world().clock.setWall("2026-03-03T00:00:00Z");
        await world().survey({ sv: 1, c: "early" });
      });
      const found = comments.filter((c) => c !== "early");
      assert.deepEqual(found, numbers(150));
    });

    it("goes on with its cursor after a restart", async () => {
      await post(world(), 101);
      const { cursor } = await world().read("/surveys/export");
      await world().restart();
      assert.deepEqual(commentsOf(await world().read("/surveys/export", { cursor })), ["100"]);
    });
  });
});

describe("an export of a response that was stored without answers", () => {
  const world = eachWorld({
    prepare(db) {
      const add = "INSERT INTO survey (site, version, day, payload) VALUES (?, 1, 1, ?)";
      db.prepare(add).run(findSite(db, "blog")?.key, '{"sv":1,"c":"from before"}');
    },
  });

  it("has none, rather than leaving them out", async () => {
    const { responses } = await world().read("/surveys/export");
    assert.deepEqual(responses, [{ day: "1970-01-02", sv: 1, a: {}, c: "from before" }]);
  });
});
