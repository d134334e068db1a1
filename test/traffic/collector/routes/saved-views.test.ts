import assert from "node:assert/strict";
import type { SavedView } from "../../../../appliance/base/input/selection.ts";
import { onEachEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { ADMIN, eachWorld } from "../../../helpers/world.ts";

const BLOG: SavedView = {
  name: "Blog, a year",
  query: "period=365d&where=path%3Abegins%3A%2Fblog",
};

/** Filters that are written with 750 characters each. */
const longOf = (filters: number) =>
  Array.from({ length: filters }, (_, n) => `where=path:is:/${n}${"é".repeat(120)}`).join("&");

onEachEngine(() => {
  describe("saved views of a site", () => {
    const world = eachWorld();
    const owner = Owner.each(world);
    const path = "/api/sites/blog/views";

    const put = (...views: object[]) => owner.ask("PUT", path, { views });
    const queryOf = async (query: string) => {
      const reply = await put({ name: "One", query });
      assert.equal(reply.status, 200, reply.text);
      return reply.json.views[0].query;
    };
    const told = async (bearer = ADMIN) =>
      (
        await world().ask("/stats?site=blog&views=1", {
          headers: { authorization: `Bearer ${bearer}` },
        })
      ).json.views;

    it("come with the counts where these are asked for them, and not otherwise", async () => {
      assert.deepEqual(await told(), []);
      await put(BLOG);
      assert.deepEqual(await told(), [BLOG]);
      assert.equal((await world().read("/stats", {})).views, undefined);
    });

    it("are told anew to who has the counts, once they have changed", async () => {
      await world().beacon({ p: "/" });
      const ask = (headers: Record<string, string>) =>
        world().ask("/stats?site=blog&views=1", {
          headers: { authorization: `Bearer ${ADMIN}`, ...headers },
        });
      const { headers } = await ask({});
      const held = { "if-none-match": String(headers.etag) };
      assert.equal((await ask(held)).status, 304);
      await put(BLOG);
      assert.deepEqual((await ask(held)).json.views, [BLOG]);
    });

    it("are kept over a restart", async () => {
      await put(BLOG, { name: " All ", query: "" });
      await world().restart();
      assert.deepEqual(await told(), [BLOG, { name: "All", query: "" }]);
    });

    it("keep what is shown of a site, in one form, and nothing else of an address", async () => {
      assert.equal(
        await queryOf(
          "?site=shop&token=secret&where=ref:is:b&where=country:is:DE&period=7d&open=path&filter=x&metric=pv&by=hour&compare=off&source=2&tab=surveys&evil=<b>",
        ),
        "source=2&tab=surveys&period=7d&compare=off&metric=pv&by=hour&where=country%3Ais%3ADE&where=ref%3Ais%3Ab",
      );
      assert.equal(await queryOf("from=2026-03-04&to=2026-03-01"), "from=2026-03-01&to=2026-03-04");
      assert.equal(await queryOf("period=fortnight&metric=evil&compare=me&by=eon"), "");
    });

    it("keep a value of visitors as text", async () => {
      const query = await queryOf(`?where=${encodeURIComponent("path:is:/<b>\u202e&x=1")}`);
      assert.equal(new URLSearchParams(query).get("where"), "path:is:/<b>\u202e&x=1");
    });

    for (const [views, sentence] of [
      [[{ ...BLOG, name: " " }], '"views.0.name" must be a text of 1 to 40 characters.'],
      [[{ ...BLOG, name: "x".repeat(41) }], '"views.0.name" must be a text of 1 to 40 characters.'],
      [
        [BLOG, { name: "BLOG, A YEAR ", query: "" }],
        '"views.1.name" is the name of another view. Choose one of its own.',
      ],
      [
        [{ name: "Long", query: "x".repeat(2001) }],
        '"views.0.query" must be the part of a dashboard\'s address after its question mark, of at most 2000 characters.',
      ],
      [
        [{ name: "Long once it is written", query: longOf(3) }],
        '"views.0.query" must have at most 2000 characters.',
      ],
      [
        [{ name: "Filter", query: "where=path:ends:x" }],
        '"views.0.query" has a filter that is none. `where=path` must go on with is, not, begins or has, like path:is:….',
      ],
      [[{ name: "More", query: "", site: "x" }], '"views.0.site" is no field that is known.'],
      [
        Array.from({ length: 21 }, (_, n) => ({ name: `View ${n}`, query: "" })),
        '"views" must be a list of at most 20 saved views.',
      ],
    ] as const)
      it(`are refused with a sentence: ${sentence}`, async () => {
        await put(BLOG);
        const reply = await put(...views);
        assertError(reply, 400, "invalid_field");
        assert.equal(reply.json.error, sentence);
        assert.deepEqual(await owner.get(path), { views: [BLOG] });
      });

    it("take twenty of the longest", async () => {
      const query = `${longOf(2)}&source=${"x".repeat(480)}`;
      const views = Array.from({ length: 20 }, (_, n) => ({
        name: `${String(n).padStart(2, "0")}${"\u0001".repeat(38)}`,
        query,
      }));
      assert.equal((await put(...views)).status, 200);
      const found: SavedView[] = await told();
      assert.equal(found.length, 20);
      assert.ok(found.every((one) => one.query.length > 1_900));
    });

    it("are shown by a link to all of a site, and by none to a part", async () => {
      await put(BLOG);
      const share = async (where: string[]) =>
        (await owner.ask("POST", "/api/sites/blog/shares", { name: "A", where })).json.token;
      assert.deepEqual(await told(await share([])), [BLOG]);
      assert.equal(await told(await share(["path:begins:/blog"])), undefined);
    });
  });
});
