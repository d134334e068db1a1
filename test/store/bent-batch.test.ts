import assert from "node:assert/strict";
import { changeByHand } from "../helpers/by-hand.ts";
import { engineOfSuite, onEachEngine } from "../helpers/engines.ts";
import { Owner } from "../helpers/owner.ts";
import { eachWorld } from "../helpers/world.ts";

onEachEngine(() => {
  describe("a batch that the card has bent", () => {
    const world = eachWorld();

    it("is told of and given up, and what comes after it counts", async () => {
      await world().beacon({ p: "/lost" });
      await world().stop();
      await changeByHand(world(), "UPDATE log SET body = substr(body, 1, length(body) - 1)");
      await world().start();
      await world().beacon({ p: "/kept" });
      await world().service.store.upkeep();
      assert.deepEqual((await world().stats()).path, { "/kept": 1 });
      assert.equal(
        world().said.filter((line) => line.includes("could not be read and is lost")).length,
        1,
      );
      assert.deepEqual(await world().rows("SELECT count(*) AS n FROM log"), [{ n: 0 }]);
    });
  });

  describe("a batch of a later format", () => {
    const isFile = engineOfSuite() === "SQLite";
    const world = eachWorld({ env: { SITES: "blog,news" } });

    /** Says another format of what has one. */
    async function become(before: number, format: number): Promise<void> {
      await world().stop();
      await changeByHand(world(), {
        sqlite: `UPDATE log SET body = CAST(unhex('0${format}') || substr(body, 2) AS BLOB) WHERE hex(substr(body, 1, 1)) = '0${before}'`,
        postgres: `UPDATE log SET body = set_byte(body, 0, ${format}) WHERE get_byte(body, 0) = ${before}`,
      });
    }

    it("stays with what came after it, holds up neither answers nor erasing, and counts once it can be read", async () => {
      await world().beacon({ p: "/later" });
      await become(1, 2);
      await world().start({ SITES: "blog" });
      await world().beacon({ p: "/after" });
      await new Owner(world()).ask("DELETE", "/api/sites/news");
      await world().service.store.upkeep();
      assert.deepEqual((await world().stats()).path, { "/after": 1 });
      // Each start of a fleet is another node, and batches of other nodes need not wait.
      const left = isFile ? 2 : 1;
      assert.deepEqual(await world().rows("SELECT count(*) AS n FROM log"), [{ n: left }]);
      // A fleet remembers it for a day.
      if (isFile) assert.deepEqual(await world().rows("SELECT * FROM erased_site"), []);
      await become(2, 1);
      await world().start({ SITES: "blog" });
      await world().service.store.upkeep();
      assert.deepEqual((await world().stats()).path, { "/after": 1, "/later": 1 });
      assert.deepEqual(await world().rows("SELECT count(*) AS n FROM log"), [{ n: 0 }]);
    });
  });
});
