import assert from "node:assert/strict";
import { findDevices, linesOf } from "../../../appliance/app/commands/devices.ts";
import { createDeckBus } from "../../../appliance/deck/usb/hid.ts";
import { MODELS } from "../../../appliance/deck/usb/models.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { FakeUsbHost } from "../../helpers/fake-hid.ts";
import { UNITS } from "../../helpers/fake-hid-units.ts";
import { eachFolder } from "../../helpers/folder.ts";

describe("tallydeck devices", () => {
  const unitOf = (model: string, clock: FakeClock) =>
    UNITS[model]?.(clock) ?? assert.fail(`there is no fake ${model}`);

  it("lists decks that are plugged in, and whether they can be used", async () => {
    const clock = new FakeClock();
    const host = new FakeUsbHost(clock);
    const [good, closed] = [unitOf("mk2", clock), unitOf("mirabox-293", clock)];
    closed.faults.open = "permission";
    host.plug(good, { port: "1-1" });
    host.plug(closed, { port: "1-2.4" });
    const [first = "", second = ""] = linesOf(await findDevices(createDeckBus(host)));
    assert.match(first, /^Elgato Stream Deck MK\.2 \(mk2\) on USB port 1-1.*: can be used/);
    assert.match(second, /^Mirabox 293V3 \(mirabox-293\) on USB port 1-2\.4.*: cannot be used/);
    assert.equal(host.open.size, 0);
    assert.deepEqual([good.writes, host.listeners], [0, 0]);
  });

  it("says when there is none", async () => {
    const host = new FakeUsbHost(new FakeClock());
    assert.match(String(linesOf(await findDevices(createDeckBus(host)))), /^No supported deck/);
  });

  it("says when this machine has no USB", async () => {
    const host = new FakeUsbHost(new FakeClock(), { hasUsb: false });
    await assert.rejects(findDevices(createDeckBus(host)), /USB cannot be read/);
  });

  it("tells programs the same", async () => {
    const { out } = await tallydeck(["devices", "--models", "--json"]);
    const [first] = JSON.parse(out);
    assert.deepEqual(Object.keys(first), ["id", "name", "places", "evidence", "note"]);
    assert.equal(JSON.parse(out).length, MODELS.length);
  });

  it("lists every model by its id with --models", async () => {
    const { code, out } = await tallydeck(["devices", "--models"]);
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
      MODELS.map(({ id }) => id),
    );
    for (const id of [
      "mini",
      "mk2",
      "xl",
      "plus",
      "neo",
      "mirabox-293",
      "mirabox-293s",
      "mirabox-k1pro",
      "akp05e",
    ])
      assert.match(out, new RegExp(`^${id} `, "m"));
  });
});

describe("tallydeck diagnose", () => {
  const folder = eachFolder();

  it("tells what is known without a service and without data", async () => {
    const { code, out } = await tallydeck(["diagnose", "--data-dir", folder()]);
    assert.equal(code, 0);
    const found = JSON.parse(out);
    assert.equal(found.node, process.versions.node);
    assert.equal(found.service, "stopped");
    assert.deepEqual(found.storage, { database: "none yet" });
  });

  it("tells the state of the data, and no site's name", async () => {
    await tallydeck(["sites", "add", "secret-site", "--data-dir", folder()]);
    const { out } = await tallydeck(["diagnose", "--data-dir", folder()]);
    const { storage } = JSON.parse(out);
    assert.deepEqual([storage.database, storage.sites, storage.decks], ["intact", 1, []]);
    assert.ok(!out.includes("secret-site") && !out.includes(folder()));
  });
});
