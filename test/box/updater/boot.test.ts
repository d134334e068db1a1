import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { configWithSlot, slotOfConfig } from "../../../appliance/box/updater/boot-partition.ts";
import { type Attempt, writeJournal } from "../../../appliance/box/updater/journal.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { answerRequests } from "../../../appliance/box/updater/requests.ts";
import { failTrial } from "../../../appliance/box/updater/trial.ts";
import { Card, NEXT, OLD } from "./card.ts";
import { attempt } from "./data-card.ts";

describe("a start of the box", () => {
  let card: Card;
  beforeEach(() => {
    card = new Card();
  });
  afterEach(() => card.remove());

  const hasTryboot = () => existsSync(join(card.root, "boot/firmware/tryboot.txt"));

  /** As the updater leaves the card before it restarts the box. */
  async function arm(more: Partial<Attempt> = {}): Promise<void> {
    await card.bootSlot("a");
    card.putSlot("b", NEXT);
    card.write("boot/firmware/tryboot.txt", configWithSlot(card.config(), "b"));
    const armed = attempt({ breaksData: false, ...more });
    writeJournal(card.box(), { ...card.journal(), attempt: armed });
  }

  it("tells what runs, and that it was kept", async () => {
    const told = await card.bootSlot("a");
    assert.deepEqual(told, {
      running: { ...OLD, slot: "a" },
      mode: "normal",
      offers: [],
      failed: [],
    });
    assert.equal(card.journal().highest, OLD.release);
  });

  it("in the slot that was armed is a trial, which is noted at once", async () => {
    await arm();
    const told = await card.bootSlot("b");
    assert.equal(told.mode, "trial");
    assert.deepEqual(told.other, OLD);
    assert.equal(told.canTry, true);
    assert.equal(card.journal().attempt?.state, "started");
    assert.equal(slotOfConfig(card.config()), "a");
  });

  it("after a trial was kept is a start like others", async () => {
    await arm();
    await card.bootSlot("b");
    await keep(card.box());
    assert.equal(slotOfConfig(card.config()), "b");
    assert.equal(hasTryboot(), false);
    assert.equal(card.state().last?.kind, "updated");
    const told = await card.bootSlot("b");
    assert.equal(told.mode, "normal");
    assert.deepEqual(told.other, OLD);
    assert.equal(told.last?.release, NEXT.release);
    assert.equal(card.journal().highest, NEXT.release);
    await assert.rejects(keep(card.box()), /no trial/);
  });

  it("after a trial that gave up says why, and holds it against the release", async () => {
    await arm();
    await card.bootSlot("b");
    failTrial(card.box(), "No address on eth0.");
    assert.deepEqual(card.ran.at(-1), "systemctl reboot");
    const told = await card.bootSlot("a");
    assert.equal(told.mode, "normal");
    assert.equal(told.last?.kind, "failed");
    assert.equal(told.last?.reason, "No address on eth0.");
    assert.deepEqual(told.failed, [NEXT.release]);
    assert.equal(told.other, undefined);
    assert.equal(hasTryboot(), false);
  });

  it("after a trial that ended without a word says what is known", async () => {
    await arm();
    await card.bootSlot("b");
    const told = await card.bootSlot("a");
    assert.equal(told.last?.kind, "failed");
    assert.match(told.last?.reason ?? "", /^0\.3\.0 started, and then stopped/);
  });

  it("that should have been a trial and is none can be tried again, once", async () => {
    await arm();
    const told = await card.bootSlot("a");
    assert.equal(told.last?.kind, "interrupted");
    assert.deepEqual(told.prepared, NEXT);
    assert.deepEqual(told.failed, []);
    assert.equal(hasTryboot(), false);
    await arm({ interruptions: 1 });
    const again = await card.bootSlot("a");
    assert.equal(again.last?.kind, "failed");
    assert.deepEqual(again.failed, [NEXT.release]);
    assert.equal(again.prepared, undefined);
  });

  it("with the jumper is a visit, of which nothing is kept unless the owner says so", async () => {
    await card.bootSlot("a");
    card.putSlot("b", NEXT);
    const before = card.journal();
    const told = await card.bootSlot("b");
    assert.equal(told.mode, "visit");
    assert.match(told.problem ?? "", /jumper/);
    assert.deepEqual(card.journal(), before);
    await assert.rejects(keep(card.box()), /no trial/);
    card.write("run/tallydeck-update/asked/keep", "");
    await answerRequests(card.box());
    assert.equal(card.state().mode, "normal");
    assert.equal(card.state().problem, undefined);
    assert.equal(slotOfConfig(card.config()), "b");
    assert.equal(card.journal().highest, NEXT.release);
    assert.match(card.config(), /^# Anna's\r\n/);
  });

  it("in the trial's slot a second time is no trial: something else asked for it", async () => {
    await arm();
    await card.bootSlot("b");
    const told = await card.bootSlot("b");
    assert.equal(told.mode, "visit");
    assert.equal(slotOfConfig(card.config()), "a");
  });

  it("keeps no trial whose tryboot.txt is gone or names another slot", async () => {
    await arm();
    await card.bootSlot("b");
    card.write("boot/firmware/tryboot.txt", card.config());
    await assert.rejects(keep(card.box()), /tryboot\.txt/);
    rmSync(join(card.root, "boot/firmware/tryboot.txt"));
    await assert.rejects(keep(card.box()), /tryboot\.txt/);
    assert.equal(slotOfConfig(card.config()), "a");
  });

  it("with a journal of a release that keeps it otherwise goes on with what it understands", async () => {
    const odd = [null, "text", -1, 1e300, [], {}, [null], { a: null }, { state: "waiting" }];
    const names = "highest failed attempt last canTry formats images rotten checkedAt later".split(
      " ",
    );
    for (const value of odd)
      for (const name of names) {
        card.write("data/system/update.json", JSON.stringify({ failed: [7], [name]: value }));
        const said = `${name} is ${JSON.stringify(value)}`;
        const told = await card.bootSlot("a");
        assert.equal(told.mode, "normal", said);
        if (name !== "failed") assert.deepEqual(told.failed, [7], said);
        await card.request("rollback");
        assert.match(card.state().problem ?? "", /no other release/, said);
      }
    assert.ok("later" in card.journal());
  });

  it("comes to its end whatever the service has put where releases wait", async () => {
    mkdirSync(join(card.root, "data/tallydeck-updates"));
    symlinkSync("bundle", join(card.root, "data/tallydeck-updates/bundle"));
    assert.deepEqual((await card.bootSlot("a")).offers, []);
    assert.match((await card.request("prepare", "12")).problem ?? "", /not on this box/);
  });

  it("with a journal that cannot be read begins it anew", async () => {
    card.write("data/system/update.json", "{");
    const told = await card.bootSlot("a");
    assert.equal(told.mode, "normal");
    assert.equal(card.journal().highest, OLD.release);
  });
});
