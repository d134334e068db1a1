import assert from "node:assert/strict";
import { createDeckBus, type UsbUnit } from "../../../appliance/deck/usb/hid.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { FakeUsbHost } from "../../helpers/fake-hid.ts";
import {
  FakeCrt,
  MIRABOX_293S,
  MIRABOX_293V3,
  MIRABOX_K1_PRO,
} from "../../helpers/fake-hid-crt.ts";
import { FakeMini } from "../../helpers/fake-hid-elgato.ts";

const CRT_PAGE = 0xffa0;

describe("The deck bus", () => {
  let host: FakeUsbHost;
  let attached: UsbUnit[];
  let detached: UsbUnit[];
  let unwatch: () => void;

  async function watch() {
    const listener = {
      attached: (unit: UsbUnit) => attached.push(unit),
      detached: (unit: UsbUnit) => detached.push(unit),
    };
    unwatch = await createDeckBus(host).watch(listener);
  }

  async function unitOf(unit: FakeCrt | FakeMini): Promise<UsbUnit> {
    host.plug(unit, { port: "1-1.4" });
    await watch();
    const [found] = attached;
    return found ?? assert.fail("nothing was attached");
  }

  beforeEach(() => {
    host = new FakeUsbHost(new FakeClock());
    attached = [];
    detached = [];
    unwatch = () => {};
  });

  it("tells what is plugged in already, with its port and serial number", async () => {
    assert.deepEqual(await unitOf(new FakeMini("BL1")), {
      id: "DeviceId(DeviceId { bus: 1, addr: 1 })",
      port: "1-1.4",
      vendor: 0x0fd9,
      product: 0x0063,
      serial: "BL1",
    });
  });

  it("tells what comes and goes, each once", async () => {
    await watch();
    const mini = new FakeMini();
    host.plug(mini);
    host.unplug(mini);
    host.plug(mini);
    assert.deepEqual([attached.length, detached.length], [2, 1]);
    assert.notEqual(attached[0]?.id, attached[1]?.id);
  });

  it("tells of the leaving of what was there before it listened", async () => {
    const mini = new FakeMini();
    await unitOf(mini);
    host.unplug(mini);
    assert.deepEqual(detached, attached);
  });

  it("leaves no listener behind", async () => {
    await watch();
    unwatch();
    assert.equal(host.listeners, 0);
  });

  it("says that there is no USB instead of ending the process", async () => {
    host = new FakeUsbHost(new FakeClock(), { hasUsb: false });
    await assert.rejects(watch(), /sys\/bus\/usb/);
    assert.equal(host.listeners, 0);
  });

  for (const firmware of [MIRABOX_293V3, MIRABOX_293S, MIRABOX_K1_PRO]) {
    it(`reads packets of ${firmware.packetBytes} bytes in the descriptor of a real unit`, async () => {
      const unit = new FakeCrt(firmware);
      const { outputBytes } = await createDeckBus(host).open(await unitOf(unit), CRT_PAGE);
      assert.equal(outputBytes, firmware.packetBytes);
    });
  }

  it("opens the deck's interface and not the keyboard beside it", async () => {
    const unit = new FakeCrt(MIRABOX_293V3);
    await createDeckBus(host).open(await unitOf(unit), CRT_PAGE);
    assert.deepEqual(unit.complaints, []);
  });

  const refusals = [
    ["no_permission", "permission"],
    ["in_use", "busy"],
  ] as const;
  for (const [code, open] of refusals) {
    it(`calls it ${code} when the system says ${open}`, async () => {
      const mini = new FakeMini();
      mini.faults.open = open;
      const unit = await unitOf(mini);
      await assert.rejects(createDeckBus(host).open(unit, undefined), { code });
    });
  }

  it("calls it in_use when another program took the interface from the kernel", async () => {
    const mini = new FakeMini();
    mini.faults.claimed = true;
    const unit = await unitOf(mini);
    await assert.rejects(createDeckBus(host).open(unit, undefined), { code: "in_use" });
  });

  it("calls it not_seen while there is no hidraw node", async () => {
    const mini = new FakeMini();
    host.plug(mini, { nodeAfterMs: 500 });
    await watch();
    const [unit] = attached;
    assert.ok(unit);
    await assert.rejects(createDeckBus(host).open(unit, undefined), { code: "not_seen" });
  });
});
