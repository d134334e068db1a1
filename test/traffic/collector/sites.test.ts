import assert from "node:assert/strict";
import { onOneEngine } from "../../helpers/engines.ts";
import { ADMIN, sharedWorld } from "../../helpers/world.ts";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

onOneEngine(() => {
  describe("/sites", () => {
    const world = sharedWorld({
      env: { SITES: "shop:t.Example.org:8480,blog", STATS_TOKEN_BLOG: "blogs-token" },
    });

    it("lists each site's id and host, null where it has none", async () => {
      const { status, json } = await world().ask("/sites", { headers: bearer(ADMIN) });
      assert.equal(status, 200);
      assert.deepEqual(json, [
        { id: "blog", host: null },
        { id: "shop", host: "t.example.org:8480" },
      ]);
    });

    it("takes the admin token in the address, too", async () => {
      assert.equal((await world().ask(`/sites?token=${ADMIN}`)).status, 200);
    });

    for (const [who, token] of [
      ["a site's token", "blogs-token"],
      ["a wrong token", "wrong"],
      ["an empty token", ""],
    ] as const)
      it(`answers 401 to ${who}`, async () => {
        const { status, json } = await world().ask("/sites?site=blog", { headers: bearer(token) });
        assert.deepEqual([status, json.code], [401, "unauthorized"]);
      });

    it("answers 401 without a token", async () => {
      assert.equal((await world().ask("/sites")).status, 401);
    });

    it("is kept by no cache", async () => {
      const { headers } = await world().ask("/sites", { headers: bearer(ADMIN) });
      assert.equal(headers["cache-control"], "no-store");
      assert.match(String(headers["content-type"]), /^application\/json/);
    });
  });

  describe("/sites where there is none", () => {
    const world = sharedWorld({ env: { SITES: "" } });

    it("is an empty list", async () => {
      const { json } = await world().ask("/sites", { headers: bearer(ADMIN) });
      assert.deepEqual(json, []);
    });
  });
});
