import assert from "node:assert/strict";
import { factsFrom, type HealthFacts, whyNotWell } from "../../../appliance/box/updater/health.ts";
import { NEXT } from "./card.ts";
import { saying, WELL, withoutDeck } from "./healthy.ts";

describe("the health of a box that tries a release", () => {
  const why = (now: HealthFacts, before = WELL) =>
    whyNotWell(now, { before, version: NEXT.version });
  const service = (changed: Partial<HealthFacts["service"]>): HealthFacts => ({
    ...WELL,
    service: { ...WELL.service, ...changed },
    collector: null,
    control: null,
  });
  const network = (...interfaces: HealthFacts["interfaces"]): HealthFacts => ({
    ...WELL,
    interfaces,
  });

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

  const BAD: Readonly<Record<string, readonly [HealthFacts, string]>> = {
    "a service that refuses its settings": [
      service({ state: "failed", result: "exit-code", exitStatus: 2 }),
      "The service refuses its settings.",
    ],
    "a service that hung": [
      service({ state: "activating", result: "watchdog" }),
      "The service hung, and was stopped.",
    ],
    "a service that crashes": [
      service({ state: "activating", result: "signal" }),
      "The service stops by itself.",
    ],
    "a service without end": [service({ state: "activating" }), "The service does not come up."],
    "a service that systemd waited for in vain": [
      service({ state: "activating", result: "timeout" }),
      "The service does not come up.",
    ],
    "a service that was stopped": [service({ state: "inactive" }), "The service does not run."],
    "a service with too much in memory": [
      service({ state: "failed", result: "oom-kill" }),
      "The service took too much memory, and was stopped.",
    ],
    "no answer at all": [
      { ...WELL, collector: null, control: null },
      "The service runs, and answers on neither of its ports.",
    ],
    "a dead port 80": [{ ...WELL, collector: null }, "The collector (port 80) does not answer."],
    "a public address whose certificate nobody sees": [
      { ...WELL, tls: false },
      "The collector does not answer by TLS (port 443).",
    ],
    "a dead Web UI": [{ ...WELL, control: null }, "The Web UI (port 3000) does not answer."],
    "another version": [
      { ...WELL, collector: "0.2.0" },
      `The collector (port 80) answers as version 0.2.0, not ${NEXT.version}.`,
    ],
    "settings that were let be": [
      { ...WELL, settingsAreApplied: false },
      "The settings on the card could not be applied.",
    ],
    "data that is refused": [
      { ...WELL, control: saying({ store: { opened: false, wrote: false } }) },
      "The data cannot be used by this release.",
    ],
    "a database that is full": [
      { ...WELL, control: saying({ store: { opened: true, wrote: false } }) },
      "The database takes nothing.",
    ],
    "a database elsewhere that is away": [
      { ...WELL, control: saying({ store: { opened: true, wrote: false, isElsewhere: true } }) },
      "The database elsewhere (DATABASE_URL) takes nothing.",
    ],
    "data that is read-only": [
      { ...WELL, dataIsWritable: false },
      "The data partition cannot be written to.",
    ],
    "a failed unit": [{ ...WELL, failed: ["nftables.service"] }, "Unit nftables.service failed."],
    "no address": [
      network({ name: "eth0", hasAddress: false, isUnplugged: false }),
      "No address on eth0.",
    ],
    "an interface that is gone": [network(), "No address on eth0."],
    "a deck that does not open": [
      withoutDeck(),
      "The deck “Desk” is plugged in, and does not work.",
    ],
    "a deck whose controller is gone": [
      withoutDeck({ hosts: 1, devices: [] }),
      "The deck “Desk” is gone, and a USB controller with it.",
    ],
  };
  for (const [what, [now, sentence]] of Object.entries(BAD))
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
    const before: HealthFacts = { ...WELL, interfaces: [...WELL.interfaces, eth1] };
    const now = (
      changed: Partial<HealthFacts["usb"]>,
      ...others: HealthFacts["interfaces"]
    ): HealthFacts => ({
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
    const fixed: HealthFacts = { ...WELL, interfaces: [...WELL.interfaces, onBoard] };
    assert.deepEqual(why(now({ devices: ["0fd9:0080"] }), fixed), gone);
  });

  it("is no worse for what was not well before either", () => {
    const before: HealthFacts = {
      ...WELL,
      failed: ["avahi-daemon.service"],
      control: saying({ store: { opened: true, wrote: false }, decks: [] }),
    };
    const now: HealthFacts = { ...before, usb: WELL.usb };
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
    const before: HealthFacts = { ...WELL, control: saying({ decks: two }) };
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
