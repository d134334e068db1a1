import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { eachFolder } from "../../../helpers/folder.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

describe("the machine's own settings in the Web UI's API", () => {
  const folder = eachFolder();
  const world = eachWorld(() => {
    mkdirSync(join(folder(), "asked"));
    return { env: { MACHINE_DIR: folder() } };
  });
  const asked = () => join(folder(), "asked/change.json");
  const put = (body: unknown) => new Owner(world()).ask("PUT", "/api/machine", body);

  it("are root's word, and a change is a request to it", async () => {
    const owner = new Owner(world());
    assert.deepEqual(await owner.get("/api/machine"), { settings: null, pending: false });
    const settings = { hostname: "attic", timezone: "UTC", keys: [], before: {} };
    writeFileSync(join(folder(), "state.json"), JSON.stringify(settings));
    assert.deepEqual(await owner.get("/api/machine"), { settings, pending: false });
    const wish = { hostname: "cellar", addKey: "ssh-ed25519 AAAA me" };
    assert.deepEqual((await put(wish)).json, { settings, pending: true });
    assert.deepEqual(JSON.parse(readFileSync(asked(), "utf8")), wish);
    assert.equal(statSync(asked()).mode & 0o777, 0o640);
  });

  it("take no name and no zone that no machine could have", async () => {
    for (const body of [
      { hostname: "a b" },
      { hostname: "localhost" },
      { hostname: "x".repeat(64) },
      { timezone: "Atlantis" },
      { addKey: "x".repeat(5_000) },
      { removeKey: 7 },
      { password: "x" },
    ])
      assertError(await put(body), 400, "invalid_field");
    rmSync(join(folder(), "asked"), { recursive: true });
    assertError(await put({ hostname: "cellar" }), 503, "machine_failed");
  });
});

describe("the settings of a machine that is not ours", () => {
  const world = eachWorld();

  it("are not to be changed here", async () => {
    const answer = await new Owner(world()).ask("PUT", "/api/machine", { hostname: "cellar" });
    assertError(answer, 409, "not_a_box");
  });
});
