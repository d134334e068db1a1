import assert from "node:assert/strict";
import { PublicDoor } from "../../../appliance/control/public-door.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Owner } from "../../helpers/owner.ts";
import { FakePublicAddress } from "../../helpers/public-address.ts";
import { World } from "../../helpers/world.ts";

describe("a phone outside of the own network", () => {
  const clock = new FakeClock();
  let address: FakePublicAddress;
  let world: World;
  beforeEach(async () => {
    address = new FakePublicAddress();
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    address.certificate = newCertificate();
    const door = new PublicDoor({ clock, networks: () => ["192.0.2.7/24"] });
    // Requests name their origin, as a trusted proxy may.
    const env = { TRUSTED_PROXIES: "127.0.0.1" };
    world = new World({ clock, door, publicAddress: address, env });
    await world.start();
  });
  afterEach(() => world.end());

  const link = async () => {
    const { url } = (await new Owner(world).ask("POST", "/api/public/phone")).json;
    return new URL(url).pathname;
  };
  const open = (path: string, from = "8.8.8.8") =>
    world.askByTls(path, { headers: { "x-forwarded-for": from } });

  it("proves once, by the owner's link, that the box is reached", async () => {
    const path = await link();
    assert.match((await open(path)).text, /reached from outside/);
    const { view } = await new Owner(world).get("/api/public");
    assert.equal(typeof view.reachedAt, "number");
    assert.equal((await open(path)).status, 404);
  });

  it("proves nothing from home, late, or by a made-up link", async () => {
    const path = await link();
    assert.match((await open(path, "192.168.1.5")).text, /Turn Wi-Fi off/);
    clock.advance(600_000);
    assert.equal((await open(path)).status, 404);
    assert.equal((await open("/help/reached/made-up")).status, 404);
    assert.equal((await new Owner(world).get("/api/public")).view.reachedAt, null);
  });
});
