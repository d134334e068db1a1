import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { settleCopy } from "../../../appliance/box/updater/data-copy.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { DATA, DataCard, OLD_DATA } from "./data-card.ts";
import { cutAt, withFull } from "./disk-faults.ts";

const UNIT = join(
  import.meta.dirname,
  "../../../firmware-config/system/etc/systemd/system/tallydeck-data-back.service",
);

describe("data before a release that breaks it", () => {
  let card: DataCard;
  beforeEach(() => {
    card = new DataCard();
  });
  afterEach(() => card.remove());

  it("goes back where the trial failed, and what the release wrote is kept aside", async () => {
    await card.tryNext();
    await card.fallBack();
    assert.deepEqual(card.data(), {
      ...OLD_DATA,
      "tallydeck.db.after-update": "new",
      "tallydeck.db.after-update-wal": "new log",
    });
    assert.ok(!card.isKept());
    assert.equal(card.state().last?.kind, "failed");
    assert.equal(card.read(`${DATA}/tls/key.pem`), "key");
  });

  it("is looked after at each start that finds a copy, or what was put aside", async () => {
    const isDue = () =>
      [...readFileSync(UNIT, "utf8").matchAll(/^ConditionPathExists=\|\/(.*)$/gm)].some(
        ([, path = ""]) => existsSync(join(card.root, path)),
      );
    assert.ok(!isDue());
    await card.tryNext();
    assert.ok(isDue());
    await card.fallBack();
    assert.ok(!card.isKept());
    assert.ok(isDue());
  });

  it("goes back once: what is counted after it stays", async () => {
    await card.tryNext();
    await card.fallBack();
    card.write(`${DATA}/tallydeck.db`, "old and more");
    await card.fallBack();
    assert.equal(card.data()["tallydeck.db"], "old and more");
  });

  it("keeps one such set aside, and never a log of another", async () => {
    card.write(`${DATA}/tallydeck.db.after-update`, "older");
    card.write(`${DATA}/tallydeck.db.after-update-wal`, "older log");
    await card.tryNext();
    rmSync(join(card.root, `${DATA}/tallydeck.db-wal`));
    await card.fallBack();
    assert.deepEqual(card.data(), { ...OLD_DATA, "tallydeck.db.after-update": "new" });
  });

  it("goes back whole wherever the power was cut on the way", async () => {
    for (let cut = 1, isWhole = false; !isWhole; cut += 1) {
      card.putData();
      card.start("a");
      await card.tryNext();
      card.start("a");
      isWhole = !cutAt(cut, () => settleCopy(card.box()));
      // The service has not started: it comes after this, and is not reached.
      await card.fallBack();
      assert.deepEqual(
        card.data(),
        {
          ...OLD_DATA,
          "tallydeck.db.after-update": "new",
          "tallydeck.db.after-update-wal": "new log",
        },
        `cut at ${cut}`,
      );
      assert.ok(!card.isKept());
      assert.ok(cut < 100);
    }
  });

  it("goes back at a later start where there was no room for it", async () => {
    await card.tryNext();
    card.start("a");
    assert.throws(() => withFull(() => settleCopy(card.box())), /ENOSPC/);
    // Nothing of the newer one was touched, and the journal ends the attempt all the same.
    assert.equal(card.data()["tallydeck.db"], "new");
    await card.bootSlot("a");
    await card.fallBack();
    assert.equal(card.data()["tallydeck.db"], "old");
  });

  it("goes back though the journal is lost, or says nothing of the attempt that is understood", async () => {
    const journals = ["", "{", JSON.stringify({ highest: 11, attempt: { state: "later" } })];
    for (const journal of journals) {
      card.putData();
      card.start("a");
      await card.tryNext();
      card.write("data/system/update.json", journal);
      await card.fallBack();
      assert.equal(card.data()["tallydeck.db"], "old", journal);
      assert.equal(card.data()["tallydeck.db.after-update"], "new", journal);
      assert.ok(!card.isKept());
    }
  });

  it("leaves nothing of the failed release once the next one is kept", async () => {
    await card.tryNext();
    await card.fallBack();
    await card.fallBack();
    assert.equal(card.data()["tallydeck.db.after-update"], "new");
    await card.tryNext();
    await keep(card.box());
    assert.equal(card.data()["tallydeck.db.after-update"], "new");
    card.start("b");
    settleCopy(card.box());
    assert.deepEqual(Object.keys(card.data()).sort(), [
      "tallydeck.db",
      "tallydeck.db-shm",
      "tallydeck.db-wal",
      "tallydeck.db.made",
    ]);
    assert.ok(!existsSync(join(card.root, "data/system/data-aside")));
  });

  it("goes back though the release never came to start", async () => {
    card.arm();
    await card.fallBack();
    assert.equal(card.data()["tallydeck.db"], "old");
    assert.ok(!card.isKept());
    assert.equal(card.state().last?.kind, "interrupted");
  });

  it("leads root nowhere else, whatever the service put in its folder", async () => {
    const own = join(card.root, "data/system/own");
    card.write("data/system/own", "root's");
    const inData = (name: string) => join(card.root, DATA, name);
    await card.tryNext();
    symlinkSync(own, inData("tallydeck.db.back"));
    mkdirSync(inData("tallydeck.db-wal.back/folder"), { recursive: true });
    mkdirSync(inData("tallydeck.db.after-update/folder"), { recursive: true });
    await card.fallBack();
    assert.equal(card.read("data/system/own"), "root's");
    assert.deepEqual(card.data(), {
      ...OLD_DATA,
      "tallydeck.db.after-update": "new",
      "tallydeck.db.after-update-wal": "new log",
    });
    rmSync(inData("tallydeck.db"));
    symlinkSync(own, inData("tallydeck.db"));
    assert.throws(() => card.keepData(), /tallydeck\.db is no file/);
    assert.ok(!card.isKept());
  });
});
