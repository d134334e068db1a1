import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { configWithSlot } from "../../../appliance/box/updater/boot-partition.ts";
import { dropCopy, settleCopy } from "../../../appliance/box/updater/data-copy.ts";
import type { Attempt } from "../../../appliance/box/updater/journal.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { NEXT, OLD } from "./card.ts";
import { attempt, DATA, DataCard, OLD_DATA, PREPARED } from "./data-card.ts";
import { cutAt, recorded, withFull } from "./disk-faults.ts";
import { WELL } from "./healthy.ts";

const STOP =
  "systemctl stop tallydeck-collector.socket tallydeck-collector-tls.socket tallydeck-control.socket tallydeck.service";
const START = STOP.replace("stop", "start --no-block");

describe("data before a release that breaks it", () => {
  let card: DataCard;
  beforeEach(() => {
    card = new DataCard();
  });
  afterEach(() => card.remove());

  it("is copied while the service and its ports are stopped, and the copy is on the card", () => {
    const done = recorded(() => card.keepData());
    assert.deepEqual(card.ran, [STOP]);
    assert.deepEqual(card.data(), OLD_DATA);
    assert.deepEqual(readdirSync(join(card.root, "data/system/data-before")).sort(), [
      "attempt.json",
      "tallydeck.db",
      "tallydeck.db-wal",
    ]);
    const synced = done.filter((step) => step === "fsync").length;
    assert.ok(synced >= 5, done.join("\n"));
    assert.ok(done.lastIndexOf("write") < done.indexOf("fsync", done.lastIndexOf("write")));
  });

  it("is copied before the restart is armed, once it was seen how the box is", async () => {
    card.facts = WELL;
    await card.startNext();
    assert.deepEqual(
      card.ran.filter((command) => command.startsWith("systemctl")),
      [
        "systemctl start tallydeck-facts.service",
        STOP,
        "systemctl start tallydeck-arm.service",
        "systemctl reboot",
      ],
    );
    const { id, before } = card.journal().attempt ?? {};
    const copied = JSON.parse(card.read("data/system/data-before/attempt.json")) as Attempt;
    assert.deepEqual([copied.id, copied.from, copied.to], [id, OLD, NEXT]);
    assert.deepEqual(before, WELL);
  });

  it("is the service's again when the board cannot try it", async () => {
    card.canTry = false;
    await card.startNext();
    assert.equal(card.ran.at(-1), START);
    assert.ok(!card.isKept());
    assert.equal(card.state().last?.kind, "refused");
  });

  it("stays whole wherever the power was cut while it was copied", async () => {
    card.putSlot("b", NEXT);
    for (let cut = 1, isWhole = false; !isWhole; cut += 1) {
      card.note(PREPARED);
      isWhole = !cutAt(cut, () => card.keepData({ ...card.box(), run: () => {} }));
      await card.fallBack();
      assert.deepEqual(card.data(), OLD_DATA, `cut at ${cut}`);
      assert.ok(!card.isKept());
      assert.ok(cut < 100);
    }
  });

  it("stays on the card while it is not known whether anybody needs it", async () => {
    await card.tryNext();
    rmSync(join(card.root, "data/system/update.json"));
    card.putSlot("a", { release: 9, version: "0.0.9" });
    await card.startOld();
    await card.fallBack();
    assert.ok(card.isKept());
    assert.equal(card.data()["tallydeck.db"], "new");
    await card.bootSlot("a");
    dropCopy(card.box(), attempt({ id: "another" }));
    assert.ok(card.isKept());
  });

  it("is no more once a release after that one was kept", async () => {
    await card.tryNext();
    await keep(card.box());
    card.putSlot("a", { release: 13, version: "0.4.0" });
    card.write("boot/firmware/config.txt", configWithSlot(card.config(), "a"));
    await card.fallBack();
    assert.ok(!card.isKept());
    assert.equal(card.data()["tallydeck.db"], "new");
  });

  it("is replaced by no other while it waits to be put back", async () => {
    await card.tryNext();
    card.start("a");
    assert.throws(() => withFull(() => settleCopy(card.box())), /ENOSPC/);
    assert.throws(() => card.keepData(), /waits to be put back: make room/);
    dropCopy(card.box(), attempt({ id: "another" }));
    await card.fallBack();
    assert.equal(card.data()["tallydeck.db"], "old");
  });

  it("is removed at the next start once the release is kept", async () => {
    await card.tryNext();
    await keep(card.box());
    assert.ok(card.isKept());
    card.start("b");
    settleCopy(card.box());
    assert.ok(!card.isKept());
    assert.equal(card.data()["tallydeck.db"], "new");
  });

  it("is removed, too, when the power went between the commit and its note", async () => {
    await card.tryNext();
    card.write("boot/firmware/config.txt", configWithSlot(card.config(), "b"));
    card.start("b");
    settleCopy(card.box());
    assert.ok(!card.isKept());
    assert.equal(card.data()["tallydeck.db"], "new");
  });

  it("is left alone while the other slot is only visited", async () => {
    await card.tryNext();
    card.start("b");
    settleCopy(card.box());
    assert.ok(card.isKept());
    assert.equal(card.data()["tallydeck.db"], "new");
  });

  it("is the service's again when the restart is called off", () => {
    card.keepData();
    dropCopy(card.box(), PREPARED);
    assert.deepEqual(card.ran, [STOP, START]);
    assert.ok(!card.isKept());
    assert.deepEqual(card.data(), OLD_DATA);
  });

  it("stays in use, with a sentence, when it cannot be copied", () => {
    const start = () => withFull(() => card.keepData());
    assert.throws(start, /could not be copied before the update: ENOSPC/);
    assert.deepEqual(card.ran, [STOP, START]);
    assert.ok(!card.isKept());
  });

  it("is not copied either where it would not find room on the way back", () => {
    card.write(`${DATA}/tallydeck.db`, Buffer.alloc(10_000_000));
    card.room.data = 11_000_000 + 64 * 1_048_576;
    assert.throws(() => card.keepData(), /make 10 MB free/);
  });

  it("is not even stopped for a copy that has no room", () => {
    card.room.data = 40_960;
    assert.throws(() => card.keepData(), /no room to copy it first: make 68 MB free/);
    assert.deepEqual(card.ran, []);
  });
});
