import assert from "node:assert/strict";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { decode } from "../../../helpers/pictures.ts";
import { sharedWorld } from "../../../helpers/world.ts";

describe("icons", () => {
  const world = sharedWorld({ env: { VIRTUAL_DECK: "mk2" } });
  const owner = new Owner(world);
  const K3 = "/api/decks/virtual-mk2/slots/k3";
  const picture = async () => {
    const { body } = await owner.ask("GET", `${K3}/image.png`);
    return Buffer.from((await decode(body))?.data ?? []);
  };
  const push = (body: object) => owner.ask("POST", "/api/push-channels/door", body);

  it("are listed with their paths and their license, once for each browser", async () => {
    const reply = await owner.ask("GET", "/api/icons");
    const { icons, paths, license } = reply.json;
    assert.ok(icons.length > 1_500 && icons.includes("house"));
    assert.equal(paths.length, icons.length);
    assert.ok(paths.every((path: string) => /^M[-\d .,a-zA-Z]+$/.test(path)));
    assert.match(license, /ISC License/);
    const headers = { "if-none-match": String(reply.headers.etag) };
    const again = await world().askControl("/api/icons", { headers });
    assert.equal(again.status, 304);
  });

  it("stand beside a pushed text, and go with it", async () => {
    await owner.ask("PUT", K3, { widget: { type: "push", channel: "door" } });
    await push({ text: "Open" });
    const plain = await picture();
    await push({ text: "Open", icon: "door-open" });
    assert.notDeepEqual(await picture(), plain);
    const { channels } = await owner.get("/api/push-channels");
    assert.equal(channels[0].icon, "door-open");
    await push({ text: "Open" });
    assert.deepEqual(await picture(), plain);
  });

  it("that nobody knows are refused with the nearest name", async () => {
    const pushed = await push({ text: "x", icon: "hosue" });
    assertError(pushed, 400, "invalid_field");
    assert.match(pushed.json.error, /icon.*Did you mean house\?.*Web UI/);
    const set = await owner.ask("PUT", K3, { widget: { type: "icon", icon: "belll" } });
    assertError(set, 400, "invalid_field");
    assert.match(set.json.error, /widget\.icon.*Did you mean bell\?/);
  });

  it("fill a key with a label", async () => {
    const empty = await picture();
    const widget = { type: "icon", icon: "bell", label: "Bell" };
    assert.equal((await owner.ask("PUT", K3, { widget })).status, 200);
    assert.notDeepEqual(await picture(), empty);
  });
});
