import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { thisNetwork } from "../../appliance/box/box-notices.ts";
import { assertError, Owner } from "../helpers/owner.ts";
import { ADMIN, eachWorld } from "../helpers/world.ts";

/** The board looks every five seconds. */
const A_LOOK_MS = 5_000;

describe("the name by which the network finds the box", () => {
  const world = eachWorld({ env: { BIND: "0.0.0.0" } });
  const named = (name: string | undefined) => {
    world().network.name = () => name && `${name}.local`;
    world().clock.advance(A_LOOK_MS);
  };
  const urlOf = (name: string) => `http://${name}.local:${world().service.control.port}/`;
  const opened = (host: string) => world().askControl("/", { headers: { host } });

  it("is on the screen as it is in force, under the address", () => {
    named("attic-2");
    assert.match(world().screen.at(-1) ?? "", new RegExp(`\\nand at ${urlOf("attic-2")}$`, "m"));
    named("attic");
    assert.match(world().screen.at(-1) ?? "", new RegExp(`\\nand at ${urlOf("attic")}$`, "m"));
  });

  it("is nowhere on the screen where nobody tells it", () => {
    assert.doesNotMatch(world().screen.at(-1) ?? "", /\.local/);
  });

  it("opens the Web UI while it is in force, as the box's own does always", async () => {
    const { port } = world().service.control;
    assertError(await opened(`attic-2.local:${port}`), 403, "forbidden_host");
    named("attic-2");
    assert.equal((await opened(`attic-2.local:${port}`)).status, 200);
    const own = hostname().toLowerCase().split(".")[0];
    assert.equal((await opened(`${own}.local:${port}`)).status, 200);
    named("attic");
    assertError(await opened(`attic-2.local:${port}`), 403, "forbidden_host");
  });

  it("is told to the Web UI, beside the number", async () => {
    named("attic-2");
    const owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    const { json } = await owner.ask("GET", "/api/box");
    const number = `http://192.0.2.7:${world().service.control.port}/`;
    assert.deepEqual(json.addresses, { number, name: urlOf("attic-2") });
  });
});

describe("the file that holds the name in force", () => {
  for (const [text, name] of [
    ["attic-2\n", "attic-2.local"],
    ["Attic\n", "attic.local"],
    ["", undefined],
    ["attic.example.org\n", undefined],
    ["<b>attic</b>\n", undefined],
    ["a".repeat(64), undefined],
  ] as const)
    it(`says ${name ?? "nothing"} with ${JSON.stringify(text.slice(0, 20))}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "tallydeck-name-"));
      writeFileSync(join(folder, "name"), text);
      assert.equal(thisNetwork(join(folder, "name")).name(), name);
      rmSync(folder, { recursive: true });
    });

  it("says nothing when it is not there, or nobody names one", () => {
    assert.equal(thisNetwork("/nowhere/name").name(), undefined);
    assert.equal(thisNetwork("").name(), undefined);
  });
});
