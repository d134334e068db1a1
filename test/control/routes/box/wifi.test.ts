import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolders } from "../../../../appliance/base/system/root-requests.ts";
import type { WifiState } from "../../../../appliance/box/ipc/wifi-state.ts";
import { IDLE_WIFI } from "../../../helpers/box-parts.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

const WISH = { name: "Haus 🏠", password: "right password", country: "CH", hidden: false };

describe("the Wi-Fi in the Web UI", () => {
  const folder = eachFolder();
  const root = () => rootFolders(folder()).wifi;
  let state: Partial<WifiState>;
  beforeEach(() => {
    state = {};
  });
  const world = eachWorld(() => {
    mkdirSync(join(root(), "asked"), { recursive: true });
    writeFileSync(join(root(), "state.json"), JSON.stringify({ ...IDLE_WIFI, ...state }));
    return { env: { ROOT_DIR: folder() } };
  });
  const join_ = (wish: unknown) => new Owner(world()).ask("POST", "/api/wifi", wish);
  const asked = () => readdirSync(join(root(), "asked"));

  it("is asked for by a file that root watches, without its password in any answer", async () => {
    const answer = await join_(WISH);
    assert.deepEqual(answer.json, { possible: true, joining: null, trouble: null });
    assert.deepEqual(asked(), ["join.json"]);
    const file = join(root(), "asked/join.json");
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), WISH);
    assert.equal(statSync(file).mode & 0o777, 0o640);
  });

  for (const [what, wish] of [
    ["without a name", { ...WISH, name: "" }],
    ["whose name is too long", { ...WISH, name: "🏠".repeat(9) }],
    ["whose password is too short", { ...WISH, password: "short" }],
    ["whose country is none", { ...WISH, country: "Switzerland" }],
    ["that lacks a field", { name: "Home" }],
  ] as const)
    it(`is not asked for ${what}`, async () => {
      assertError(await join_(wish), 400, "invalid_field");
      assert.deepEqual(asked(), []);
    });
});

describe("a machine whose Wi-Fi is none of ours", () => {
  const world = eachWorld();

  it("says so", async () => {
    const owner = new Owner(world());
    assert.equal((await owner.get("/api/wifi")).possible, false);
    assertError(await owner.ask("POST", "/api/wifi", WISH), 409, "no_radio");
  });
});
