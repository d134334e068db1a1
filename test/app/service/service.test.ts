import assert from "node:assert/strict";
import { Owner } from "../../helpers/owner.ts";
import { World } from "../../helpers/world.ts";

const UNCHANGEABLE = `CREATE TRIGGER IF NOT EXISTS unchangeable BEFORE UPDATE ON document
  BEGIN SELECT RAISE(ABORT, 'push tokens cannot be changed'); END`;

describe("a service one of whose parts fails to stop", () => {
  it("says so, with all the others stopped", async () => {
    const world = new World({ prepare: (db) => void db.exec(UNCHANGEABLE) });
    await world.start();
    const owner = new Owner(world);
    const { token } = await owner.makePushToken();
    // When it was used is stored at the end.
    await owner.ask("DELETE", "/api/push/door", undefined, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { origin } = world;
    await assert.rejects(world.stop());
    await assert.rejects(fetch(origin), "the collector still answers");
    // The data is free again.
    await world.start();
    await world.end();
  });
});
