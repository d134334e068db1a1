import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "mocha";
import { version } from "../../appliance/base/version.ts";
import { PublicDoor } from "../../appliance/service/public-door.ts";
import {
  type Answered,
  factsNow,
  look,
  noteFacts,
  thisMachine,
} from "../../appliance/updater/facts.ts";
import { type Facts, factsFrom, whyNotWell } from "../../appliance/updater/health.ts";
import { newCertificate } from "../helpers/certificates.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { FakePublicAddress } from "../helpers/public-address.ts";
import { World } from "../helpers/world.ts";
import { NEXT } from "./card.ts";
import { saying, WELL, withoutDeck } from "./healthy.ts";

describe("the health of a box that tries a release", () => {
  const why = (now: Facts, before = WELL) => whyNotWell(now, { before, version: NEXT.version });
  const service = (changed: Partial<Facts["service"]>): Facts => ({
    ...WELL,
    service: { ...WELL.service, ...changed },
    collector: null,
    control: null,
  });
  const network = (...interfaces: Facts["interfaces"]): Facts => ({ ...WELL, interfaces });

  it("is good when all is as it was, by the new version", () => {
    assert.deepEqual(why(WELL), []);
  });

  it("asks for no TLS where there was none, or nobody looked", () => {
    const { tls: _, ...unlooked } = WELL;
    for (const before of [{ ...WELL, tls: false }, unlooked])
      assert.deepEqual(why({ ...WELL, tls: false }, before), []);
    assert.deepEqual(factsFrom(JSON.parse(JSON.stringify(unlooked))), unlooked);
  });

  it("asks for no settings that could not be applied before either", () => {
    const unset = { ...WELL, settingsAreApplied: false };
    assert.deepEqual(why(unset, unset), []);
  });

  const BAD: [string, Facts, string][] = [
    [
      "a service that refuses its settings",
      service({ state: "failed", result: "exit-code", exitStatus: 2 }),
      "The service refuses its settings.",
    ],
    [
      "a service that hung",
      service({ state: "activating", result: "watchdog" }),
      "The service hung, and was stopped.",
    ],
    [
      "a service that crashes",
      service({ state: "activating", result: "signal" }),
      "The service stops by itself.",
    ],
    ["a service without end", service({ state: "activating" }), "The service does not come up."],
    [
      "a service that systemd waited for in vain",
      service({ state: "activating", result: "timeout" }),
      "The service does not come up.",
    ],
    ["a service that was stopped", service({ state: "inactive" }), "The service does not run."],
    [
      "a service with too much in memory",
      service({ state: "failed", result: "oom-kill" }),
      "The service took too much memory, and was stopped.",
    ],
    [
      "no answer at all",
      { ...WELL, collector: null, control: null },
      "The service runs, and answers on neither of its ports.",
    ],
    ["a dead port 80", { ...WELL, collector: null }, "The collector (port 80) does not answer."],
    [
      "a public address whose certificate nobody sees",
      { ...WELL, tls: false },
      "The collector does not answer by TLS (port 443).",
    ],
    ["a dead Web UI", { ...WELL, control: null }, "The Web UI (port 3000) does not answer."],
    [
      "another version",
      { ...WELL, collector: "0.2.0" },
      `The collector (port 80) answers as version 0.2.0, not ${NEXT.version}.`,
    ],
    [
      "settings that were let be",
      { ...WELL, settingsAreApplied: false },
      "The settings on the card could not be applied.",
    ],
    [
      "data that is refused",
      { ...WELL, control: saying({ store: { opened: false, wrote: false } }) },
      "The data cannot be used by this release.",
    ],
    [
      "a database that is full",
      { ...WELL, control: saying({ store: { opened: true, wrote: false } }) },
      "The database takes nothing.",
    ],
    [
      "a database elsewhere that is away",
      { ...WELL, control: saying({ store: { opened: true, wrote: false, isElsewhere: true } }) },
      "The database elsewhere (DATABASE_URL) takes nothing.",
    ],
    [
      "data that is read-only",
      { ...WELL, dataIsWritable: false },
      "The data partition cannot be written to.",
    ],
    ["a failed unit", { ...WELL, failed: ["nftables.service"] }, "Unit nftables.service failed."],
    [
      "no address",
      network({ name: "eth0", hasAddress: false, isUnplugged: false }),
      "No address on eth0.",
    ],
    ["an interface that is gone", network(), "No address on eth0."],
    [
      "a deck that does not open",
      withoutDeck(),
      "The deck “Desk” is plugged in, and does not work.",
    ],
    [
      "a deck whose controller is gone",
      withoutDeck({ hosts: 1, devices: [] }),
      "The deck “Desk” is gone, and a USB controller with it.",
    ],
  ];
  for (const [what, now, sentence] of BAD)
    it(`is bad with ${what}`, () => {
      assert.deepEqual(why(now), [sentence]);
    });

  it("is no worse for what was pulled out meanwhile", () => {
    assert.deepEqual(why(withoutDeck({ devices: ["0bda:8153"] })), []);
    assert.deepEqual(why(network({ name: "eth0", hasAddress: false, isUnplugged: true })), []);
  });

  it("is no worse for a network adapter that was pulled out, and bad with one that lacks its driver", () => {
    const usb = "0bda:8153";
    const eth1 = { name: "eth1", hasAddress: true, isUnplugged: false, usb };
    const before: Facts = { ...WELL, interfaces: [...WELL.interfaces, eth1] };
    const now = (changed: Partial<Facts["usb"]>, ...others: Facts["interfaces"]): Facts => ({
      ...WELL,
      interfaces: [...WELL.interfaces, ...others],
      usb: { ...WELL.usb, ...changed },
    });
    const gone = ["No address on eth1."];
    assert.deepEqual(why(now({ devices: ["0fd9:0080"] }), before), []);
    assert.deepEqual(why(now({ devices: ["0fd9:0080", usb] }), before), gone);
    assert.deepEqual(why(now({ devices: [], hosts: 1 }), before), gone);
    const twin = { ...eth1, name: "eth2" };
    assert.deepEqual(why(now({ devices: [usb, "0fd9:0080"] }, twin), before), []);
    assert.deepEqual(why(now({ devices: [usb, usb] }, twin), before), gone);
    const onBoard = { name: "eth1", hasAddress: true, isUnplugged: false };
    const fixed: Facts = { ...WELL, interfaces: [...WELL.interfaces, onBoard] };
    assert.deepEqual(why(now({ devices: ["0fd9:0080"] }), fixed), gone);
  });

  it("is no worse for what was not well before either", () => {
    const before: Facts = {
      ...WELL,
      failed: ["avahi-daemon.service"],
      control: saying({ store: { opened: true, wrote: false }, decks: [] }),
    };
    const now: Facts = { ...before, usb: WELL.usb };
    assert.deepEqual(why(now, before), []);
    assert.deepEqual(why({ ...now, failed: [...now.failed, "ssh.service"] }, before), [
      "Unit ssh.service failed.",
    ]);
  });

  it("is bad with one of two decks alike that does not open", () => {
    const [deck] = WELL.control?.decks ?? [];
    const two = [deck, { ...deck, id: "mk2-cl2" }].filter(
      (each) => each?.id !== undefined,
    ) as NonNullable<typeof deck>[];
    const before: Facts = { ...WELL, control: saying({ decks: two }) };
    assert.deepEqual(why({ ...WELL, usb: { hosts: 2, devices: ["0fd9:0080"] } }, before), []);
    assert.deepEqual(
      why({ ...WELL, usb: { hosts: 2, devices: ["0fd9:0080", "0fd9:0080"] } }, before),
      ["The deck “Desk” is plugged in, and does not work."],
    );
  });

  it("is told of a service first that is the cause of the rest", () => {
    const now = {
      ...service({ state: "failed", result: "exit-code", exitStatus: 2 }),
      failed: ["tallydeck.service"],
    };
    assert.deepEqual(why(now), ["The service refuses its settings."]);
  });

  it("is compared with nothing where nothing is known of before", () => {
    for (const noted of [undefined, null, 7, {}, { failed: [1] }, { ...WELL, usb: undefined }])
      assert.equal(factsFrom(noted), undefined);
    assert.deepEqual(factsFrom(JSON.parse(JSON.stringify(WELL))), WELL);
    const alone = { before: undefined, version: NEXT.version };
    assert.deepEqual(whyNotWell(withoutDeck(), alone), []);
  });
});

describe("what is seen of a box", () => {
  const folder = eachFolder();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder(), path)), { recursive: true });
    writeFileSync(join(folder(), path), text);
  };
  const answers: Record<number, Answered> = {};
  let hasTls = true;
  let shown = "";
  let failed = "";
  const machine = () => ({
    root: folder(),
    ask: (...words: string[]) =>
      words.includes("tallydeck-provision.service")
        ? "Result=success\nExecMainStatus=1\n"
        : words.includes("show")
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
    assert.deepEqual(await look(machine()), {
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
    const address = Object.assign(new FakePublicAddress(), { useLink: () => false });
    const world = new World({ door });
    await world.start();
    door.follow(address);
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
      const { collector, control, tls } = await look(asked);
      assert.equal(tls, false, "there is no certificate yet");
      address.certificate = newCertificate();
      address.certificateChanged.emit();
      assert.equal((await look(asked)).tls, true);
      assert.equal(collector, version());
      assert.equal(control?.version, version());
      assert.deepEqual(control?.store, { opened: true, wrote: true, isElsewhere: false });
    } finally {
      await world.end();
    }
    const { collector, control, tls } = await look(asked);
    assert.deepEqual([collector, control, tls], [null, null, false]);
  });

  it("is nothing where nothing answers, or something else does", async () => {
    plug();
    for (const body of ["", "[]", '{"version":"0.3.0"}', '{"error":"x"}']) {
      answers[3000] = { status: 200, version: undefined, body };
      assert.equal((await look(machine())).control, null);
    }
    answers[3000] = { status: 401, version: undefined, body: JSON.stringify(WELL.control) };
    delete answers[80];
    hasTls = false;
    const { collector, control, tls } = await look(machine());
    assert.deepEqual([collector, control, tls], [null, null, false]);
    rmSync(join(folder(), "data"), { recursive: true });
    writeFileSync(join(folder(), "data"), "");
    assert.equal((await look(machine())).dataIsWritable, false);
  });

  it("reaches the updater, which has no network, by a program that does", async () => {
    plug();
    const seen = await look(machine());
    const ran: string[] = [];
    const run = (...words: string[]) => void ran.push(words.join(" "));
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
