import assert from "node:assert/strict";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { Owner } from "../../helpers/owner.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("a batch that the card has bent", () => {
  const world = eachWorld();

  it("is told of and given up, and what comes after it counts", async () => {
    await world().beacon({ p: "/lost" });
    await world().stop();
    const db = openForWriting(databaseFile(world().dataDir));
    db.prepare("UPDATE log SET body = substr(body, 1, length(body) - 1)").run();
    db.close();
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
  const world = eachWorld({ env: { SITES: "blog,news" } });

  /** Says another format of the first batch. */
  async function become(format: number): Promise<void> {
    await world().stop();
    const db = openForWriting(databaseFile(world().dataDir));
    const [{ n, body }] = db.prepare("SELECT n, body FROM log ORDER BY n").all() as [
      { n: number; body: Uint8Array },
    ];
    body[0] = format;
    db.prepare("UPDATE log SET body = ? WHERE n = ?").run(body, n);
    db.close();
  }

  it("stays with what came after it, holds up neither answers nor erasing, and counts once it can be read", async () => {
    await world().beacon({ p: "/later" });
    await become(2);
    await world().start({ SITES: "blog" });
    await world().beacon({ p: "/after" });
    await new Owner(world()).ask("DELETE", "/api/sites/news");
    await world().service.store.upkeep();
    assert.deepEqual((await world().stats()).path, { "/after": 1 });
    assert.deepEqual(await world().rows("SELECT count(*) AS n FROM log"), [{ n: 2 }]);
    assert.deepEqual(await world().rows("SELECT * FROM erased_site"), []);
    await become(1);
    await world().start({ SITES: "blog" });
    await world().service.store.upkeep();
    assert.deepEqual((await world().stats()).path, { "/after": 1, "/later": 1 });
    assert.deepEqual(await world().rows("SELECT count(*) AS n FROM log"), [{ n: 0 }]);
  });
});
