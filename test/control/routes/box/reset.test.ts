import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolders } from "../../../../appliance/base/system/root-requests.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { until } from "../../../helpers/until.ts";
import { eachWorld } from "../../../helpers/world.ts";

describe("a reset in the Web UI's API", () => {
  const folder = eachFolder();
  const root = () => rootFolders(folder()).reset;
  const world = eachWorld(() => {
    mkdirSync(join(root(), "asked"), { recursive: true });
    return { env: { ROOT_DIR: folder() } };
  });
  const asked = () => readdirSync(join(root(), "asked"));
  const owner = () => new Owner(world());

  it("begins by the name of the machine, is on the screen, and is called off", async () => {
    world().network.name = () => "attic.local";
    const before = await owner().get("/api/reset");
    assert.deepEqual(before, { possible: true, name: "attic", seconds: null });
    assertError(await owner().ask("POST", "/api/reset", { name: "tallydeck" }), 409, "other_name");
    for (const name of [undefined, 7, null])
      assertError(await owner().ask("POST", "/api/reset", { name }), 400, "invalid_field");
    const begun = await owner().ask("POST", "/api/reset", { name: "attic" });
    assert.equal(begun.json.seconds, 10);
    assert.match(world().screen.at(-1) ?? "", /erases all its data in 10 seconds.*press any key/s);
    world().clock.advance(1_000);
    assert.match(world().screen.at(-1) ?? "", /in 9 seconds/);
    assert.equal((await owner().ask("DELETE", "/api/reset")).json.seconds, null);
    assert.doesNotMatch(world().screen.at(-1) ?? "", /erases/);
    await until(() => asked().includes("call-off"));
  });

  it("is too late to call off once root was asked", async () => {
    const { name } = await owner().get("/api/reset");
    await owner().ask("POST", "/api/reset", { name });
    world().clock.advance(10_000);
    await until(() => asked().includes("begin"));
    assertError(await owner().ask("DELETE", "/api/reset"), 409, "too_late");
    assert.match(world().screen.at(-1) ?? "", /restarts and erases all its data/);
  });

  it("is wished for on the card, and any touch of a deck stops it and does nothing else", async () => {
    writeFileSync(join(root(), "wanted"), "");
    await world().restart({ VIRTUAL_DECK: "mk2" });
    assert.equal((await owner().get("/api/reset")).seconds, 10);
    const pressed: unknown[] = [];
    world().service.decks.fingers.pressed.on((at) => pressed.push(at));
    world().service.decks.fingers.key({ deck: "virtual-mk2", slot: "k3" }, true);
    assert.deepEqual([(await owner().get("/api/reset")).seconds, pressed], [null, []]);
    world().service.decks.fingers.key({ deck: "virtual-mk2", slot: "k3" }, true);
    assert.equal(pressed.length, 1);
  });

  it("tells what became of the data until somebody has set the box up", async () => {
    writeFileSync(join(root(), "done"), "discarded");
    await world().restart({ STATS_TOKEN: "", BIND: "0.0.0.0" });
    assert.match(
      world().screen.at(-1) ?? "",
      /Setup code \d{6}\n.*All data from before is deleted/,
    );
  });
});

describe("a reset where Tallydeck is one program among others", () => {
  const world = eachWorld();

  it("is not to be had", async () => {
    const owner = new Owner(world());
    const { possible, name } = await owner.get("/api/reset");
    assert.equal(possible, false);
    assertError(await owner.ask("POST", "/api/reset", { name }), 409, "not_a_box");
  });
});
