import assert from "node:assert/strict";
import { onOneEngine } from "../../../helpers/engines.ts";
import { ADMIN, eachWorld } from "../../../helpers/world.ts";

const asAdmin = { authorization: `Bearer ${ADMIN}` };

onOneEngine(() => {
  describe("the views of now", () => {
    const world = eachWorld({ env: { SITES: "blog,docs" } });

    it("are those of the last five minutes, of a site alone", async () => {
      await world().beacon({ p: "/" });
      world().clock.advance(4 * 60_000);
      await world().beacon({ p: "/" });
      await world().beacon({ p: "/" }, { s: "docs" });
      assert.deepEqual([await live(), await live({ site: "docs" })], [2, 1]);
      world().clock.advance(60_000);
      assert.equal(await live(), 1);
      world().clock.advance(5 * 60_000);
      assert.equal(await live(), 0);
    });

    it("are views alone: no event, no ping and no bot", async () => {
      await world().beacon({ ev: "signup" });
      await world().beacon({ p: "/" }, { headers: { "user-agent": "Googlebot/2.1" } });
      await world().ask("/a?s=blog");
      assert.equal(await live(), 0);
    });

    it("are told where the range ends today, and nowhere else", async () => {
      await world().beacon({ p: "/" });
      assert.equal(await live({ from: "2026-02-01" }), 1);
      assert.equal(await live({ from: "first", series: 1, daily: 1 }), 1);
      assert.equal(await live({ day: "2026-03-03" }), undefined);
      assert.equal(await live({ from: "2026-03-01", to: "2026-03-05" }), undefined);
    });

    it("make another answer when they become fewer, though nothing was counted", async () => {
      await world().beacon({ p: "/" });
      const ask = (headers = {}) =>
        world().ask("/stats?site=blog", { headers: { ...asAdmin, ...headers } });
      const { etag } = (await ask()).headers;
      world().clock.advance(5 * 60_000);
      const { status, json } = await ask({ "if-none-match": String(etag) });
      assert.deepEqual([status, json.live, json.error], [200, 0, undefined]);
    });

    it("are never stored: a start knows of none", async () => {
      await world().beacon({ p: "/" });
      await world().restart();
      const { pv, live } = await world().stats();
      assert.deepEqual([pv, live], [{ _: 1 }, 0]);
    });

    const live = async (query = {}) => (await world().stats(query)).live;
  });
});
