import assert from "node:assert/strict";
import { changeByHand } from "../../../helpers/by-hand.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { sharedWorld } from "../../../helpers/world.ts";

onOneEngine(() => {
  describe("the alarms of a site in the control API", () => {
    const world = sharedWorld();
    const owner = new Owner(world);
    const PATH = "/api/sites/blog/alarms";
    const put = (webhook: unknown, path = PATH) =>
      owner.ask("PUT", path, { silence: true, rush: false, webhook });

    it("stay as they are set, also over a restart", async () => {
      const set = { silence: true, rush: false, webhook: null };
      assert.deepEqual((await put(null)).json, set);
      await world().restart();
      assert.deepEqual(await owner.get(PATH), set);
    });

    it("tell only addresses that are allowed", async () => {
      const refused = await put("https://ntfy.example/blog");
      assertError(refused, 400, "invalid_field");
      assert.match(refused.json.error, /https:\/\/ntfy\.example, which is not allowed yet/);
      await owner.ask("POST", "/api/origins", { origin: "https://ntfy.example" });
      assert.equal((await put("https://ntfy.example/blog")).status, 200);
    });

    for (const [what, webhook] of [
      ["no address", "blog"],
      ["another protocol", "ftp://ntfy.example/"],
      ["a user", "https://me@ntfy.example/"],
      ["a number", 5],
      ["2,049 characters", `https://ntfy.example/${"a".repeat(2_028)}`],
    ])
      it(`take no webhook that is ${what}`, async () => {
        assertError(await put(webhook), 400, "invalid_field");
      });

    it("are of no site that is not there", async () => {
      assertError(await put(null, "/api/sites/none/alarms"), 404, "not_found");
      assertError(await owner.ask("GET", "/api/sites/none/alarms"), 404, "not_found");
    });

    it("stay those of other sites where a card has bent one, and can be set anew", async () => {
      const [bent, other] = ["bent", "other"].map((id) => `/api/sites/${id}/alarms`);
      for (const id of ["bent", "other"])
        assert.equal((await owner.ask("POST", "/api/sites", { id })).status, 201);
      for (const path of [bent, other]) assert.equal((await put(null, path)).status, 200);
      const { store } = world().service;
      const key = store.numbers.directory.sites.find(({ id }) => id === "bent")?.key;
      await world().stop();
      await changeByHand(
        world(),
        `UPDATE document SET body = '{"silence":' WHERE kind = 'site_alarms' AND id = '${key}'`,
      );
      await world().start();
      const set = { silence: true, rush: false, webhook: null };
      assert.deepEqual(await owner.get(`${other}`), set);
      assert.deepEqual(await owner.get(`${bent}`), { ...set, silence: false });
      assert.deepEqual((await put(null, bent)).json, set);
    });

    it("need every field", async () => {
      assertError(await owner.ask("PUT", PATH, { silence: true }), 400, "invalid_field");
    });
  });
});
