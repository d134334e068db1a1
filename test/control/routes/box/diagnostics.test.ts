import assert from "node:assert/strict";
import { hostname } from "node:os";
import { createLog, RecentProblems } from "../../../../appliance/base/log.ts";
import { Owner } from "../../../helpers/owner.ts";
import { ADMIN, eachWorld } from "../../../helpers/world.ts";

describe("diagnostics", () => {
  const problems = new RecentProblems(() => Date.UTC(2026, 2, 4));
  const log = createLog(() => {}, problems);
  const world = eachWorld({ env: { VIRTUAL_DECK: "mini" }, log, problems });

  it("tell versions, devices, storage and errors", async () => {
    log.error("Nothing can be stored; counts wait in memory");
    const found = await new Owner(world()).get("/api/diagnostics");
    assert.match(found.tallydeck, /^\d+\.\d+\.\d+$/);
    assert.equal(found.node, process.versions.node);
    assert.deepEqual(found.decks[0], {
      model: "mini",
      connected: true,
      virtual: true,
      evidence: "SRC",
      widgets: ["address", "clock", "empty", "empty", "empty", "empty"],
    });
    assert.deepEqual(found.deckProblems, []);
    assert.equal(found.publicAddress, "off");
    assert.deepEqual(found.warnings, []);
    assert.ok(found.storage.freeBytes > 0);
    assert.deepEqual(found.errors.at(-1), {
      time: "2026-03-04T00:00:00.000Z",
      level: "error",
      message: "Nothing can be stored; counts wait in memory",
    });
  });

  it("hold no token, no hash, no address and nothing of a visitor", async () => {
    const owner = new Owner(world());
    const { token } = await owner.makePushToken("push-name");
    await owner.ask("POST", "/api/push-channels/channel-name", { text: "pushed-text" });
    await owner.ask("POST", "/api/sites", { id: "site-name", host: "host.example" });
    await world().beacon({ p: "/visited", r: "referrer.example" });
    log.warn(`${token} from 192.168.1.44 and fd00::1:2:3, ${"ab".repeat(32)}`);
    const text = JSON.stringify(await owner.get("/api/diagnostics"));
    for (const secret of [
      token,
      ADMIN,
      "push-name",
      "pushed-text",
      "site-name",
      "host.example",
      "visited",
      "referrer",
      "192.168.1.44",
      "fd00",
      "abab",
      hostname(),
      world().dataDir,
    ])
      assert.ok(!text.includes(secret), secret);
  });
});
