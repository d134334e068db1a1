import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../../appliance/base/system/version.ts";
import {
  factsNow,
  noteFacts,
  type OwnAnswer,
  readFacts,
  thisMachine,
} from "../../../appliance/box/updater/facts.ts";
import { PublicDoor } from "../../../appliance/control/public-door.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { FakePublicAddress } from "../../helpers/public-address.ts";
import { World } from "../../helpers/world.ts";
import { WELL } from "./healthy.ts";

describe("what is seen of a box", () => {
  const folder = eachFolder();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder(), path)), { recursive: true });
    writeFileSync(join(folder(), path), text);
  };
  const answers: Record<number, OwnAnswer> = {};
  let hasTls = true;
  let shown = "";
  let failed = "";
  const machine = () => ({
    root: folder(),
    ask: (_: string, [verb]: readonly string[], [unit]: readonly string[] = []) =>
      unit === "tallydeck-provision.service"
        ? "Result=success\nExecMainStatus=1\n"
        : verb === "show"
          ? shown
          : failed,
    get: async (port: number) => {
      const answer = answers[port];
      if (answer === undefined) throw new Error("refused");
      return answer;
    },
    shakeHands: async (port: number) => {
      if (!hasTls) throw new Error(`${port} is refused`);
    },
    interfaces: () => ({
      lo: [{ address: "127.0.0.1", internal: true }],
      eth0: [
        { address: "169.254.7.7", internal: false },
        { address: "fe80::1", internal: false },
        { address: "192.0.2.7", internal: false },
      ],
      wlan0: [{ address: "fe80::2", internal: false }],
    }),
  });

  /** As the kernel shows a Pi with a deck behind a hub. */
  function plug(): void {
    for (const [hub, controller] of [
      ["usb1", "xhci"],
      ["usb2", "xhci"],
      ["usb3", "dwc2"],
    ]) {
      mkdirSync(join(folder(), `sys/devices/${controller}/${hub}`), { recursive: true });
      mkdirSync(join(folder(), "sys/bus/usb/devices"), { recursive: true });
      symlinkSync(
        `../../../devices/${controller}/${hub}`,
        join(folder(), `sys/bus/usb/devices/${hub}`),
      );
    }
    for (const [device, id] of [
      ["1-1", "2109:3431"],
      ["1-1.2", "0fd9:0080"],
    ]) {
      const [vendor, product] = (id ?? "").split(":");
      put(`sys/bus/usb/devices/${device}/idVendor`, `${vendor}\n`);
      put(`sys/bus/usb/devices/${device}/idProduct`, `${product}\n`);
      mkdirSync(join(folder(), `sys/bus/usb/devices/${device}:1.0`));
    }
    put("sys/class/net/lo/carrier", "1\n");
    put("sys/class/net/eth0/carrier", "1\n");
    put("sys/class/net/eth0/device/modalias", "");
    put("sys/class/net/wg0/carrier", "1\n");
    for (const [name, device] of [
      ["usb0", "1-1.2"],
      ["usb1", "1-1"],
    ]) {
      mkdirSync(join(folder(), `sys/class/net/${name}`));
      symlinkSync(
        `../../../bus/usb/devices/${device}/${device}:1.0`,
        join(folder(), `sys/class/net/${name}/device`),
      );
      mkdirSync(join(folder(), `sys/bus/usb/devices/${device}/${device}:1.0`), { recursive: true });
    }
    // The board's own.
    mkdirSync(join(folder(), "sys/bus/usb/devices/1-1/of_node"), { recursive: true });
    put("sys/class/net/wlan0/carrier", "0\n");
    mkdirSync(join(folder(), "sys/class/net/wlan0/phy80211"));
    put("sys/class/net/eth1/carrier", "0\n");
    // The kernel does not tell it of one that is switched off.
    mkdirSync(join(folder(), "sys/class/net/eth2"));
    mkdirSync(join(folder(), "data/system"), { recursive: true });
  }

  it("is what the kernel, systemd and the service tell", async () => {
    plug();
    shown = "ActiveState=failed\nResult=exit-code\nExecMainStatus=2\nNRestarts=3\n";
    failed =
      "tallydeck.service loaded failed failed Tallydeck\nssh.service loaded failed failed x\n";
    answers[80] = { status: 200, version: "0.3.0", body: "ok" };
    answers[3000] = { status: 200, version: undefined, body: JSON.stringify(WELL.control) };
    assert.deepEqual(await readFacts(machine()), {
      service: { state: "failed", result: "exit-code", exitStatus: 2, restarts: 3 },
      collector: "0.3.0",
      control: WELL.control,
      tls: true,
      dataIsWritable: true,
      settingsAreApplied: false,
      failed: ["tallydeck.service", "ssh.service"],
      interfaces: [
        { name: "eth0", hasAddress: true, isUnplugged: false, hasLink: true },
        { name: "eth1", hasAddress: false, isUnplugged: true, hasLink: false },
        { name: "eth2", hasAddress: false, isUnplugged: false, hasLink: false },
        {
          name: "usb0",
          hasAddress: false,
          isUnplugged: false,
          hasLink: false,
          usb: "0fd9:0080",
        },
        { name: "usb1", hasAddress: false, isUnplugged: false, hasLink: false },
        { name: "wg0", hasAddress: false, isUnplugged: false, hasLink: false },
        { name: "wlan0", hasAddress: false, isUnplugged: false, hasLink: false },
      ],
      usb: { hosts: 2, devices: ["2109:3431", "0fd9:0080"] },
    });
  });

  it("is what a service that runs answers at its ports", async () => {
    plug();
    const door = new PublicDoor({
      clock: new FakeClock(),
      networks: () => [],
      tunnelEnds: () => [],
    });
    const address = new FakePublicAddress();
    const world = new World({ door });
    await world.start();
    door.follow(address, { use: () => false });
    const ports: Record<number, number> = {
      80: world.port,
      3000: world.service.control.port,
      443: world.tlsPort,
    };
    const { get, shakeHands } = thisMachine();
    const asked = {
      ...machine(),
      get: (port: number, path: string) => get(ports[port] ?? 0, path),
      shakeHands: (port: number) => shakeHands(ports[port] ?? 0),
    };
    try {
      const { collector, control, tls } = await readFacts(asked);
      assert.equal(tls, false, "there is no certificate yet");
      address.certificate = newCertificate();
      address.certificateChanged.emit();
      assert.equal((await readFacts(asked)).tls, true);
      assert.equal(collector, version());
      assert.equal(control?.version, version());
      assert.deepEqual(control?.store, { opened: true, wrote: true, isElsewhere: false });
    } finally {
      await world.end();
    }
    const { collector, control, tls } = await readFacts(asked);
    assert.deepEqual([collector, control, tls], [null, null, false]);
  });

  it("is nothing where nothing answers, or something else does", async () => {
    plug();
    for (const body of ["", "[]", '{"version":"0.3.0"}', '{"error":"x"}']) {
      answers[3000] = { status: 200, version: undefined, body };
      assert.equal((await readFacts(machine())).control, null);
    }
    answers[3000] = { status: 401, version: undefined, body: JSON.stringify(WELL.control) };
    delete answers[80];
    hasTls = false;
    const { collector, control, tls } = await readFacts(machine());
    assert.deepEqual([collector, control, tls], [null, null, false]);
    rmSync(join(folder(), "data"), { recursive: true });
    writeFileSync(join(folder(), "data"), "");
    assert.equal((await readFacts(machine())).dataIsWritable, false);
  });

  it("reaches the updater, which has no network, by a program that does", async () => {
    plug();
    const seen = await readFacts(machine());
    const ran: string[] = [];
    const run = (program: string, own: readonly string[]) =>
      void ran.push([program, ...own].join(" "));
    assert.equal(factsNow({ root: folder(), run }), undefined);
    await noteFacts(machine());
    assert.equal(
      factsNow({ root: folder(), run }),
      undefined,
      "what was seen once before is not now",
    );
    assert.deepEqual(ran, Array(2).fill("systemctl start tallydeck-facts.service"));
    assert.deepEqual(
      factsNow({
        root: folder(),
        run: () => put("run/tallydeck-update/facts.json", JSON.stringify(seen)),
      }),
      seen,
    );
    const fails = () => {
      throw new Error("no systemd");
    };
    assert.equal(factsNow({ root: folder(), run: fails }), undefined);
  });
});
