import assert from "node:assert/strict";
import { tallydeck } from "../../helpers/command-line.ts";
import { directoryBecomes, hasSite } from "../../helpers/directory.ts";
import { onEachEngine } from "../../helpers/engines.ts";
import { eachWorld } from "../../helpers/world.ts";

onEachEngine(() => {
  describe("a change by another process", () => {
    const world = eachWorld({ env: { SITES: "" } });

    /** Makes the change, and fails when it is not in force a second after. */
    async function change(args: string[], inForce: Parameters<typeof directoryBecomes>[1]) {
      const { code, out, err } = await tallydeck([...args, ...world().dataArgs]);
      assert.equal(code, 0, err);
      const late = AbortSignal.timeout(1_000);
      await Promise.race([
        directoryBecomes(world(), inForce),
        new Promise((_, reject) =>
          late.addEventListener("abort", () => reject(new Error("not in force after a second"))),
        ),
      ]);
      return out.trim();
    }

    it("is in force within a second: a site, its host, its badge, its token", async () => {
      await change(["sites", "add", "blog"], hasSite("blog"));
      await world().beacon({ p: "/" }, { s: "blog" });
      assert.deepEqual((await world().stats()).pv, { _: 1 });

      await change(["sites", "change", "blog", "--host", "b.example", "--badge"], ({ sites }) =>
        sites.some(({ host, badge }) => host === "b.example" && badge),
      );
      assert.deepEqual(await world().read("/sites"), [{ id: "blog", host: "b.example" }]);
      assert.equal((await world().ask("/badge?site=blog")).status, 200);

      const token = await change(["tokens", "make", "blog"], ({ sites }) =>
        sites.some(({ tokenHash }) => tokenHash !== null),
      );
      assert.equal((await world().readRaw("/stats", {}, token)).status, 200);

      await change(["tokens", "revoke", "blog"], ({ sites }) =>
        sites.every(({ tokenHash }) => tokenHash === null),
      );
      assert.equal((await world().readRaw("/stats", {}, token)).status, 401);

      await change(
        ["sites", "erase", "blog", "--confirm", "blog"],
        ({ sites }) => sites.length === 0,
      );
      assert.deepEqual(await world().read("/sites"), []);
    });
  });
});
