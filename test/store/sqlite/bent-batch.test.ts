import assert from "node:assert/strict";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
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
