import assert from "node:assert/strict";
import { assertError, Owner } from "../../helpers/owner.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("allowed origins in the control API", () => {
  const world = eachWorld();
  const owner = Owner.each(world);
  const PATH = "/api/origins";
  const listed = async () => (await owner.get(PATH)).origins;
  const remove = (origin: string) =>
    owner.ask("DELETE", `${PATH}?origin=${encodeURIComponent(origin)}`);

  it("are none until the owner allows one, which stays over a restart", async () => {
    assert.deepEqual(await listed(), []);
    const reply = await owner.ask("POST", PATH, { origin: "HTTP://HA.local:8123/" });
    assert.deepEqual([reply.status, reply.json], [201, { origin: "http://ha.local:8123" }]);
    await world().restart();
    assert.deepEqual(await listed(), ["http://ha.local:8123"]);
  });

  it("are removed", async () => {
    await owner.ask("POST", PATH, { origin: "http://ha.local" });
    assert.equal((await remove("http://ha.local")).status, 204);
    assert.deepEqual(await listed(), []);
    assertError(await remove("http://ha.local"), 404, "not_found");
  });

  it("stay with the box when a backup of another is restored", async () => {
    await owner.ask("POST", PATH, { origin: "http://a.local" });
    const backup = (await owner.ask("GET", "/api/backup")).body;
    await remove("http://a.local");
    await owner.ask("POST", PATH, { origin: "http://b.local" });
    assert.equal((await owner.ask("POST", "/api/restore", backup)).status, 204);
    await world().restart();
    assert.deepEqual(await listed(), ["http://b.local"]);
  });

  for (const body of [{}, { origin: 5 }, { origin: "ha.local" }, { origin: "http://a/b" }])
    it(`are not ${JSON.stringify(body)}`, async () => {
      const reply = await owner.ask("POST", PATH, body);
      assertError(reply, 400, "invalid_field");
      assert.match(reply.json.error, /^"origin" /);
    });
});
