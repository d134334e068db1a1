import assert from "node:assert/strict";
import { configWithSlot, slotOfConfig } from "../../../appliance/box/updater/boot-partition.ts";
import { type HealthFacts, whyNotStanding } from "../../../appliance/box/updater/health.ts";
import { writeJournal } from "../../../appliance/box/updater/journal.ts";
import { keepVisited } from "../../../appliance/box/updater/keep.ts";
import { checkStart } from "../../../appliance/box/updater/retreat.ts";
import { Power } from "../../helpers/power.ts";
import { Card, NEXT, OLD, THIRD } from "./card.ts";
import { WELL } from "./healthy.ts";

const SILENT: HealthFacts = { ...WELL, collector: null, control: null };
const DEAD: HealthFacts = {
  ...SILENT,
  service: { state: "activating", result: "exit-code", exitStatus: 1, restarts: 9 },
};
const MINUTE = 60_000;

describe("a kept release that does not come up any more", () => {
  let card: Card;
  /** A box that runs 0.3.0 from slot b, with 0.2.0 in slot a. */
  const newCard = async () => {
    card = new Card();
    await card.bootSlot("a");
    card.putSlot("b", NEXT);
    card.write("boot/firmware/config.txt", configWithSlot(card.config(), "b"));
    writeJournal(card.box(), { ...card.journal(), highest: NEXT.release });
  };
  beforeEach(newCard);
  afterEach(() => card.remove());

  /** A start after which the power goes, or the machine hangs. */
  const start = async () => {
    const before = reboots();
    // No program has said anything when the box restarts at once.
    await card.powerOn({ wasCut: true }).catch((error: unknown) => {
      if (reboots() === before) throw error;
    });
    return card.running;
  };
  const check = (facts: HealthFacts, minutes: number) =>
    checkStart(card.box(), { look: async () => facts, uptime: () => minutes * MINUTE });
  const reboots = () => card.ran.filter((command) => command === "systemctl reboot").length;

  it("is left for the other one after three starts, once, with the reason", async () => {
    for (const n of [1, 2, 3]) assert.equal(await start(), "b", `start ${n}`);
    assert.equal(reboots(), 0);
    // The fourth start restarts at once.
    await start();
    assert.equal(reboots(), 1);
    const { running, last, failed, mode, other } = await card.powerOn();
    assert.deepEqual([running, mode, failed], [{ ...OLD, slot: "a" }, "normal", [NEXT.release]]);
    assert.deepEqual([last?.kind, last?.version], ["failed", NEXT.version]);
    assert.match(last?.reason ?? "", /^0\.3\.0 was started 3 times in a row and was never well/);
    assert.deepEqual(other, NEXT);
    assert.equal(card.hasTryboot(), false);
    assert.match(card.config(), /^# Anna's\r\n/);
  });

  it("stays where it went, however often that fails", async () => {
    for (let n = 0; n < 4; n += 1) await start();
    for (let n = 0; n < 12; n += 1) {
      assert.equal(await start(), "a");
      await check(DEAD, 11);
    }
    assert.equal(reboots(), 1);
  });

  it("is not left again when its owner comes back to it", async () => {
    for (let n = 0; n < 5; n += 1) await start();
    card.write("boot/firmware/config.txt", configWithSlot(card.config(), "b"));
    for (let n = 0; n < 9; n += 1) assert.equal(await start(), "b");
    assert.equal(reboots(), 1);
  });

  it("may be left again once a release was kept since", async () => {
    for (let n = 0; n < 5; n += 1) await start();
    await card.bootSlot("b");
    await keepVisited(card.box());
    assert.equal(card.journal().retreat, undefined);
    for (let n = 0; n < 4; n += 1) await start();
    assert.equal(reboots(), 2);
    assert.equal(await start(), "a");
  });

  it("is left within a start when its service does not get well", async () => {
    await start();
    for (const minutes of [3, 6, 9.9]) await check(SILENT, minutes);
    assert.equal(slotOfConfig(card.config()), "b");
    await check(DEAD, 10.3);
    assert.equal(reboots(), 1);
    const { running, last } = await card.powerOn();
    assert.equal(running.slot, "a");
    assert.equal(
      last?.reason,
      "0.3.0 had been kept, and was not well any more. The service stops by itself.",
    );
  });

  it("begins to count anew after a start that was well, and after a clean shutdown", async () => {
    for (let n = 0; n < 12; n += 1) {
      assert.equal(await start(), "b");
      if (n % 3 === 2) await check(WELL, 3);
    }
    assert.equal(reboots(), 0);
  });

  it("counts a start once, however often the program runs in it", async () => {
    await start();
    const { boot } = await import("../../../appliance/box/updater/boot.ts");
    for (let n = 0; n < 9; n += 1) await boot(card.box());
    assert.equal(await start(), "b");
    assert.equal(reboots(), 0);
  });

  it("is not left where there is nothing to go to", async () => {
    const lacks = {
      "no kernel": () => card.write("boot/firmware/a/release", ""),
      "a release that was never kept": () => card.putSlot("a", THIRD),
      "one that cannot read the data": () =>
        writeJournal(card.box(), { ...card.journal(), formats: { a: 0 } }),
    };
    for (const [what, lack] of Object.entries(lacks)) {
      lack();
      for (let n = 0; n < 9; n += 1) assert.equal(await start(), "b", what);
      await check(DEAD, 11);
      assert.equal(reboots(), 0, what);
      card.putSlot("a", OLD);
      writeJournal(card.box(), { ...card.journal(), formats: {} });
    }
  });

  it("is neither counted nor left in a visit or a trial", async () => {
    for (let n = 0; n < 9; n += 1) assert.equal((await card.bootSlot("a")).mode, "visit");
    await check(DEAD, 11);
    assert.equal(reboots(), 0);
  });

  it("survives whatever stands in the file of starts", async () => {
    for (const text of ["", "{", "null", '{"release":12,"count":"9"}', "\0".repeat(9_000)]) {
      card.write("data/system/starts", text);
      assert.equal(await start(), "b");
      assert.equal(reboots(), 0);
    }
  });

  for (const [what, at, leaves] of [
    ...[0, 1, 2, 3, 4, 5].map((n) => [`start ${n}`, n, async () => void (await start())] as const),
    ["the look at a start", 1, () => check(DEAD, 11)] as const,
  ])
    it(`costs nothing when the power goes at any step of ${what}`, async () => {
      let moment = 0;
      for (let wasCut = true; wasCut; moment += 1) {
        card.remove();
        await newCard();
        for (let n = 0; n < at; n += 1) await start();
        wasCut = await cut(moment, leaves);
        const when = `cut at step ${moment}`;
        // However it was cut, the box starts whole each time, and ends in the other system for good.
        for (let n = 0; n < 8; n += 1) {
          await start();
          assert.doesNotThrow(() => JSON.parse(card.read("data/system/update.json")), when);
          assert.ok(card.isWhole(card.running, card.running === "a" ? OLD : NEXT), when);
        }
        const { running, last, mode } = card.state();
        assert.deepEqual([running.slot, last?.version, mode], ["a", NEXT.version, "normal"], when);
        assert.deepEqual([card.hasTryboot(), card.journal().retreat?.isOver], [false, true], when);
      }
      assert.ok(moment > 2, `${moment} steps`);
    });

  async function cut(moment: number, work: () => Promise<void>): Promise<boolean> {
    const power = new Power(moment);
    const run = card.run;
    card.run = (command) => power.use(() => run.call(card, command));
    const wasCut = await power.cutsFiles(work);
    card.run = run;
    return wasCut;
  }
});

describe("a box whose release was kept", () => {
  it("stands while its service answers, whatever else is wrong", () => {
    for (const facts of [
      WELL,
      { ...WELL, control: null },
      { ...WELL, dataIsWritable: false, settingsAreApplied: false, failed: ["iwd.service"] },
      { ...WELL, interfaces: [], usb: { hosts: 0, devices: [] } },
    ])
      assert.deepEqual(whyNotStanding(facts), []);
  });

  it("does not where the service is not there, but for settings that it refuses", () => {
    assert.deepEqual(whyNotStanding(DEAD), ["The service stops by itself."]);
    assert.deepEqual(whyNotStanding(SILENT), [
      "The service runs, and answers on neither of its ports.",
    ]);
    const restarting = { ...WELL, service: { ...WELL.service, restarts: 5 } };
    assert.deepEqual(whyNotStanding(restarting), ["The service stops by itself."]);
    const refused = { state: "failed", result: "exit-code", exitStatus: 2, restarts: 0 };
    assert.deepEqual(whyNotStanding({ ...SILENT, service: refused }), []);
  });
});
