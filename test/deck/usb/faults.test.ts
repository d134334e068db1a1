import assert from "node:assert/strict";
import { encodeJpeg } from "../../../appliance/deck/face/paint.ts";
import type { Pixels } from "../../../appliance/deck/pixels.ts";
import { openCrt } from "../../../appliance/deck/usb/crt-drivers.ts";
import type { DriverContext } from "../../../appliance/deck/usb/driver.ts";
import { createDeckBus } from "../../../appliance/deck/usb/hid.ts";
import type { CrtModel } from "../../../appliance/deck/usb/model.ts";
import { modelById } from "../../../appliance/deck/usb/models.ts";
import { type DeckWorld, startWorld, telling } from "../../helpers/deck-world.ts";
import { type FakeUnit, FakeUsbHost } from "../../helpers/fake-hid.ts";
import { FakeAkp05, FakeCrt, MIRABOX_293V3, MIRABOX_K1_PRO } from "../../helpers/fake-hid-crt.ts";
import { FakeMini, mk2 } from "../../helpers/fake-hid-elgato.ts";
import { UNITS } from "../../helpers/fake-hid-units.ts";
import { draw } from "../../helpers/pictures.ts";
import { seeded } from "../../helpers/seeded.ts";

describe("A deck", () => {
  let world: DeckWorld;

  beforeEach(async () => {
    world = await startWorld();
  });

  afterEach(() => world.decks.close());

  const codes = () => world.decks.problems().map(({ code }) => code);

  async function plugPainted(unit: FakeUnit): Promise<string> {
    const id = await world.plug(unit);
    const [deck] = world.decks.list();
    for (const [index, { slot }] of (deck?.slots ?? []).entries()) {
      await world.decks.setUp.setSlot(id, slot, { widget: telling(index) });
    }
    await world.painted(unit);
    assert.deepEqual(await world.wrongSlots(id, unit), []);
    return id;
  }

  describe("that cannot be opened", () => {
    for (const [open, code] of [
      ["permission", "no_permission"],
      ["busy", "in_use"],
    ] as const) {
      it(`is reported as ${code}, and opened once it can be`, async () => {
        const unit = new FakeMini();
        unit.faults.open = open;
        world.host.plug(unit, { port: "1-1.4" });
        await world.pass(1_000);
        assert.deepEqual(codes(), []);
        await world.pass(3_000);
        const [problem] = world.decks.problems();
        assert.equal(problem?.code, code);
        assert.match(problem?.message ?? "", /^The Elgato Stream Deck Mini on USB port 1-1\.4 /);
        unit.faults.open = undefined;
        await world.pass(31_000);
        assert.deepEqual([codes(), world.ids()], [[], ["mini-bl19h1a00001"]]);
        assert.equal(world.events.filter((event) => event === "problems").length, 2);
      });
    }

    it("is reported as in_use while another program has claimed it", async () => {
      const unit = new FakeMini();
      unit.faults.claimed = true;
      world.host.plug(unit);
      await world.pass(4_000);
      assert.deepEqual(codes(), ["in_use"]);
    });

    it("is reported as not_seen when its hidraw node never comes", async () => {
      const unit = new FakeMini();
      world.host.plug(unit, { nodeAfterMs: 3_600_000 });
      await world.pass(4_000);
      assert.deepEqual(codes(), ["not_seen"]);
    });

    it("is no problem any more when it is pulled out", async () => {
      const unit = new FakeMini();
      unit.faults.open = "permission";
      world.host.plug(unit);
      await world.pass(4_000);
      world.host.unplug(unit);
      assert.deepEqual(codes(), []);
    });
  });

  describe("that goes away while it is being opened", () => {
    const unplugAndRelease = async (unit: FakeUnit, release: () => void) => {
      await world.settle();
      world.host.unplug(unit);
      release();
      await world.pass(1_000);
      assert.deepEqual([world.ids(), world.host.open.size], [[], 0]);
    };

    it("is let go when its node opens too late", async () => {
      const unit = new FakeMini();
      const release = unit.stall("open");
      world.host.plug(unit);
      await unplugAndRelease(unit, release);
    });

    it("is let go when its answer comes too late", async () => {
      const unit = new FakeMini();
      const release = unit.stall();
      world.host.plug(unit);
      await world.settle();
      assert.equal(world.host.open.size, 1);
      await unplugAndRelease(unit, release);
    });

    it("is opened once when a first attempt fails after the second began", async () => {
      const unit = new FakeMini();
      const release = unit.stall();
      world.host.plug(unit);
      await world.settle();
      world.host.fail(unit);
      await world.pass(200);
      release();
      await world.pass(2_000);
      assert.deepEqual([world.ids().length, world.host.open.size], [1, 1]);
      const found = world.events.filter((event) => event.startsWith("deck"));
      assert.deepEqual(found, ["deck mini-bl19h1a00001"]);
    });
  });

  describe("that fails though it stays plugged in", () => {
    it("is opened again and painted whole", async () => {
      const unit = new FakeMini();
      const id = await plugPainted(unit);
      const release = unit.stall();
      await world.decks.setUp.setSlot(id, "k1", { widget: telling(40) });
      await world.settle();
      world.host.fail(unit);
      release();
      await world.pass(1_000);
      assert.deepEqual([world.ids(), world.host.open.size], [[id], 1]);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });
  });

  describe("that fails now and then", () => {
    it("is back at once each time", async () => {
      const unit = new FakeMini();
      await world.plug(unit);
      for (let failure = 0; failure < 8; failure += 1) {
        await world.pass(70_000, 5_000);
        world.host.fail(unit);
        assert.equal(world.ids().length, 0);
        await world.pass(200);
        assert.equal(world.ids().length, 1);
      }
      assert.deepEqual(codes(), []);
    });
  });

  describe("that keeps restarting", () => {
    it("is reported as short of power, until it has been quiet for a minute", async () => {
      const unit = new FakeMini();
      for (let start = 0; start < 4; start += 1) {
        world.host.plug(unit);
        await world.pass(1_000);
        assert.deepEqual(codes(), start < 3 ? [] : ["power"]);
        if (start < 3) world.host.unplug(unit);
      }
      await world.pass(58_000, 1_000);
      assert.deepEqual(codes(), ["power"]);
      await world.pass(2_000);
      assert.deepEqual(codes(), []);
    });

    it("is not so reported when somebody tries a few ports", async () => {
      const unit = new FakeMini();
      for (const port of ["1-1", "1-2", "1-1", "1-3", "1-1"]) {
        world.host.plug(unit, { port });
        await world.pass(500);
        world.host.unplug(unit);
      }
      assert.deepEqual(codes(), []);
    });
  });

  describe("that takes a report only in part", () => {
    for (const [model, make] of Object.entries(UNITS)) {
      it(`is opened again and painted whole: ${model}`, async () => {
        const unit = make(world.clock);
        const id = await plugPainted(unit);
        unit.faults.shortWrite = 100;
        await world.decks.setUp.setSlot(id, "k1", { widget: telling(40) });
        await world.until("it was let go", () => world.ids().length === 0);
        await world.pass(1_000);
        assert.deepEqual(world.ids(), [id]);
        assert.deepEqual(await world.wrongSlots(id, unit), []);
        assert.equal(world.host.open.size, 1);
      });
    }
  });

  describe("that is pulled out in the middle of a picture", () => {
    for (const [model, make] of Object.entries(UNITS)) {
      it(`is painted whole when it is back: ${model}`, async () => {
        const unit = make(world.clock);
        const id = await plugPainted(unit);
        unit.faults.unplugAfterWrites = 2;
        for (const slot of ["k0", "k1", "k2"])
          await world.decks.setUp.setSlot(id, slot, { widget: telling(40) });
        await world.until("it is gone", () => !world.host.isPlugged(unit));
        unit.faults.unplugAfterWrites = undefined;
        await world.pass(1_000);
        world.host.plug(unit);
        await world.pass(1_000);
        assert.deepEqual(await world.wrongSlots(id, unit), []);
        assert.deepEqual([unit.complaints, world.host.open.size], [[], 1]);
      });
    }
  });

  describe("of the CRT family", () => {
    it("gets packets of the size its own descriptor names", async () => {
      const unit = new FakeCrt({ ...MIRABOX_293V3, packetBytes: 512 });
      await plugPainted(unit);
      assert.equal(unit.discarded, 0);
    });

    it("is repainted now and then, in case a byte was lost", async () => {
      const unit = new FakeCrt(MIRABOX_293V3);
      const id = await plugPainted(unit);
      unit.faults.loseByte = true;
      await world.decks.setUp.setSlot(id, "k3", { widget: telling(40) });
      await world.painted(unit);
      assert.deepEqual(await world.wrongSlots(id, unit), ["k3"]);
      await world.pass(10 * 60_000, 1_000);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("is initialised and repainted after the host slept", async () => {
      const unit = new FakeCrt(MIRABOX_293V3);
      const id = await plugPainted(unit);
      unit.powerOff();
      world.clock.sleep(3_600_000);
      await world.pass(6_000);
      assert.deepEqual(unit.commands.slice(0, 4), ["DIS", "LIG", "CLE", "STP"]);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("hears a heartbeat where it needs one", async () => {
      const unit = new FakeCrt(MIRABOX_K1_PRO);
      await world.plug(unit);
      unit.commands.length = 0;
      await world.pass(10_000);
      const found = unit.commands.filter((command) => command === "CONNECT");
      assert.deepEqual(found, Array(5).fill("CONNECT"));
    });

    for (const firmware of [MIRABOX_293V3, MIRABOX_K1_PRO]) {
      it(`of product ${firmware.product.toString(16)} gets a busy picture whole, at less quality`, async () => {
        const { random } = seeded(firmware.product);
        const byte = () => Math.floor(random() * 256);
        const noise = draw(firmware.width, firmware.height, () => [byte(), byte(), byte()]);
        const unit = new FakeCrt(firmware);
        await paintAlone(unit, noise);
        const file = unit.file("k0");
        assert.ok(file && file.length <= firmware.cap && file.length > firmware.cap / 2);
        assert.deepEqual([file.readUInt16BE(file.length - 2), unit.complaints], [0xffd9, []]);
      });
    }

    /** Drives a unit without a deck, so that it can be given any picture. */
    async function paintAlone(unit: FakeCrt, pixels: Pixels): Promise<void> {
      const model = modelById(unit.product === 0x1005 ? "mirabox-293" : "mirabox-k1pro");
      assert.ok(model?.family === "mirabox");
      const host = new FakeUsbHost(world.clock);
      host.plug(unit, { port: "2-1" });
      const place = { id: "", port: "2-1", vendor: 0, product: 0, serial: "" };
      const opened = await createDeckBus(host).open(place, 0xffa0);
      const context: DriverContext<CrtModel> = {
        ...opened,
        model,
        usbSerial: "",
        encodeJpeg,
        onInput: () => {},
      };
      const pictures = [{ slot: "k0", pixels }];
      await openCrt(context).paint(() => pictures.shift());
    }
  });

  describe("of the AKP05 family", () => {
    let unit: FakeAkp05;
    let id: string;

    beforeEach(async () => {
      unit = new FakeAkp05(world.clock);
      id = await plugPainted(unit);
      world.events.length = 0;
    });

    it("reports the keys and the windows of its strip", () => {
      unit.press("k9");
      unit.touch(2);
      assert.deepEqual(world.events, ["pressed k9", "pressed z2"]);
    });

    it("still listens and shows after minutes without a picture", async () => {
      await world.pass(300_000, 500);
      unit.press("k0");
      await world.decks.setUp.setSlot(id, "k3", { widget: telling(40) });
      await world.painted(unit);
      assert.ok(world.events.includes("pressed k0"));
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("gets its brightness with every sign of life", async () => {
      await world.decks.setUp.update(id, { brightness: 15 });
      await world.painted(unit);
      unit.commands.length = 0;
      unit.brightness = undefined;
      await world.pass(10_100);
      assert.deepEqual([unit.commands, unit.brightness], [["DIS", "LIG", "CONNECT"], 15]);
    });

    it("is opened again when this host stood still too long for it", async () => {
      world.clock.standStill(20_000);
      await world.pass(10_100);
      unit.press("k4");
      assert.ok(world.events.includes("pressed k4"));
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("is opened again when a short hitch came at the wrong moment", async () => {
      await world.pass(9_000);
      world.clock.standStill(7_000);
      await world.pass(1_500);
      unit.press("k4");
      assert.ok(world.events.includes("pressed k4"));
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("is let go in silence", async () => {
      const { writes } = unit;
      await world.decks.close();
      assert.equal(unit.writes, writes);
    });
  });

  describe("that fails over and over", () => {
    it("is tried again with growing pauses, and works once it works", async () => {
      const unit = mk2();
      unit.faults.open = "busy";
      let attempts = 0;
      const { openHid } = world.host;
      Object.assign(world.host, {
        openHid: (path: string) => {
          attempts += 1;
          return openHid(path);
        },
      });
      world.host.plug(unit);
      await world.pass(60_000, 500);
      assert.ok(attempts >= 8 && attempts <= 11, `${attempts} attempts in a minute`);
      unit.faults.open = undefined;
      await world.pass(31_000, 500);
      assert.equal(world.ids().length, 1);
    });
  });
});
