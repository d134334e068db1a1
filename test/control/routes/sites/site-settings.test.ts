import assert from "node:assert/strict";
import { NO_DIGEST } from "../../../../appliance/base/text/digest.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

onOneEngine(() => {
  describe("what is set of sites, at a glance", () => {
    const world = eachWorld({ env: { SITES: "blog,shop" } });
    const owner = new Owner(world);
    const set = (what: string, body: object) => owner.ask("PUT", `/api/sites/blog/${what}`, body);
    const settings = async () => (await owner.get("/api/site-settings")).sites;
    const shop = { id: "shop", alarms: false, digest: null, goals: 0 };

    it("is nothing at first", async () => {
      assert.deepEqual(await settings(), [{ ...shop, id: "blog" }, shop]);
    });

    it("is whether alarms are on, when the digest goes out, and how many goals there are", async () => {
      await set("alarms", { silence: false, rush: true, webhook: null });
      await set("digest", { ...NO_DIGEST, enabled: true, every: "day", channel: "blog" });
      await set("goals", { goals: [{ name: "Signup", kind: "event", value: "signup" }] });
      const digest = { every: "day", weekday: 1 };
      assert.deepEqual(await settings(), [{ id: "blog", alarms: true, digest, goals: 1 }, shop]);
      await set("digest", { ...NO_DIGEST, enabled: false, channel: "blog" });
      assert.equal((await settings())[0].digest, null);
    });
  });
});
