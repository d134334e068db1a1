import assert from "node:assert/strict";
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "mocha";
import { withSlot } from "../../appliance/updater/boot-config.ts";
import type { Box } from "../../appliance/updater/box.ts";
import { keepData, letGo, settleData } from "../../appliance/updater/data-copy.ts";
import { type Attempt, writeJournal } from "../../appliance/updater/journal.ts";
import { commit } from "../../appliance/updater/outcome.ts";
import { Card, NEXT, OLD } from "./card.ts";
import { WELL } from "./healthy.ts";

const DATA = "data/tallydeck";
const STOP =
  "systemctl stop tallydeck-collector.socket tallydeck-collector-tls.socket tallydeck-control.socket tallydeck.service";
const START = STOP.replace("stop", "start --no-block");

const UNIT = join(
  import.meta.dirname,
  "../../firmware-config/system/etc/systemd/system/tallydeck-data-back.service",
);

describe("data before a release that breaks it", () => {
  let card: Card;
  beforeEach(() => {
    card = new Card();
    putData();
  });

  /** What the release before left. */
  function putData(): void {
    rmSync(join(card.root, "data"), { recursive: true });
    mkdirSync(join(card.root, "data/system"), { recursive: true });
    card.write(`${DATA}/tallydeck.db`, "old");
    card.write(`${DATA}/tallydeck.db-wal`, "old log");
    card.write(`${DATA}/tallydeck.db.made`, "made");
    card.write(`${DATA}/tls/key.pem`, "key");
  }
  afterEach(() => card.remove());

  /** What the service has, without what it keeps aside. */
  function data(): Record<string, string> {
    const files = readdirSync(join(card.root, DATA)).filter((name) =>
      name.startsWith("tallydeck.db"),
    );
    return Object.fromEntries(files.map((name) => [name, card.read(`${DATA}/${name}`)]));
  }
  const OLD_DATA = {
    "tallydeck.db": "old",
    "tallydeck.db-wal": "old log",
    "tallydeck.db.made": "made",
  };
  const isKept = () => existsSync(join(card.root, "data/system/data-before"));

  function attempt(changed: Partial<Attempt> = {}): Attempt {
    return {
      id: "one",
      kind: "update",
      slot: "b",
      to: NEXT,
      from: OLD,
      state: "armed",
      breaksData: true,
      ...changed,
    };
  }
  const note = (changed?: Partial<Attempt>) =>
    writeJournal(card.box(), { ...card.journal(), attempt: attempt(changed) });

  const PREPARED = attempt({ id: "prepared", state: "prepared" });
  const keep = (box = card.box()) => keepData(box, PREPARED, "one");

  /** Up to the restart that is armed. */
  function arm(): void {
    card.putSlot("b", NEXT);
    keep();
    card.write("boot/firmware/tryboot.txt", withSlot(card.config(), "b"));
    note();
  }

  /** The release is tried and writes what the one before cannot read. */
  async function tryNext(): Promise<void> {
    arm();
    card.start("b");
    settleData(card.box());
    assert.equal(data()["tallydeck.db"], "old");
    await card.startUp("b");
    card.write(`${DATA}/tallydeck.db`, "new");
    card.write(`${DATA}/tallydeck.db-wal`, "new log");
    card.write(`${DATA}/tallydeck.db-shm`, "new memory");
  }

  /** The slot before starts, as systemd orders it. */
  async function startOld(box: Box = card.box()): Promise<void> {
    settleData(box);
    await card.startUp("a");
  }

  it("is copied while the service and its ports are stopped, and the copy is on the card", () => {
    const done = recorded(() => keep());
    assert.deepEqual(card.ran, [STOP]);
    assert.deepEqual(data(), OLD_DATA);
    assert.deepEqual(readdirSync(join(card.root, "data/system/data-before")).sort(), [
      "attempt.json",
      "tallydeck.db",
      "tallydeck.db-wal",
    ]);
    const synced = done.filter((step) => step === "fsync").length;
    assert.ok(synced >= 5, done.join("\n"));
    assert.ok(done.lastIndexOf("copyFile") < done.indexOf("fsync", done.lastIndexOf("copyFile")));
  });

  /** Written to the other slot, and asked for by the owner. */
  async function startNext(): Promise<void> {
    card.putSlot("b", NEXT);
    for (const name of ["vmlinuz", "initrd.img", "cmdline.txt"])
      card.write(`boot/firmware/b/${name}`, name);
    note({ id: "prepared", state: "prepared" });
    await card.ask("start", `${NEXT.release}`);
  }

  it("is copied before the restart is armed, once it was seen how the box is", async () => {
    card.facts = WELL;
    await startNext();
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
    await startNext();
    assert.equal(card.ran.at(-1), START);
    assert.ok(!isKept());
    assert.equal(card.told().last?.kind, "refused");
  });

  it("goes back where the trial failed, and what the release wrote is kept aside", async () => {
    await tryNext();
    card.start("a");
    await startOld();
    assert.deepEqual(data(), {
      ...OLD_DATA,
      "tallydeck.db.after-update": "new",
      "tallydeck.db.after-update-wal": "new log",
    });
    assert.ok(!isKept());
    assert.equal(card.told().last?.kind, "failed");
    assert.equal(card.read(`${DATA}/tls/key.pem`), "key");
  });

  it("is looked after at each start that finds a copy, or what was put aside", async () => {
    const isDue = () =>
      [...readFileSync(UNIT, "utf8").matchAll(/^ConditionPathExists=\|\/(.*)$/gm)].some(
        ([, path = ""]) => existsSync(join(card.root, path)),
      );
    assert.ok(!isDue());
    await tryNext();
    assert.ok(isDue());
    card.start("a");
    await startOld();
    assert.ok(!isKept());
    assert.ok(isDue());
  });

  it("goes back once: what is counted after it stays", async () => {
    await tryNext();
    card.start("a");
    await startOld();
    card.write(`${DATA}/tallydeck.db`, "old and more");
    card.start("a");
    await startOld();
    assert.equal(data()["tallydeck.db"], "old and more");
  });

  it("keeps one such set aside, and never a log of another", async () => {
    card.write(`${DATA}/tallydeck.db.after-update`, "older");
    card.write(`${DATA}/tallydeck.db.after-update-wal`, "older log");
    await tryNext();
    rmSync(join(card.root, `${DATA}/tallydeck.db-wal`));
    card.start("a");
    await startOld();
    assert.deepEqual(data(), { ...OLD_DATA, "tallydeck.db.after-update": "new" });
  });

  it("goes back whole wherever the power was cut on the way", async () => {
    for (let cut = 1, isWhole = false; !isWhole; cut += 1) {
      putData();
      card.start("a");
      await tryNext();
      card.start("a");
      isWhole = !cutAt(cut, () => settleData(card.box()));
      // The service has not started: it comes after this, and is not reached.
      card.start("a");
      await startOld();
      assert.deepEqual(
        data(),
        {
          ...OLD_DATA,
          "tallydeck.db.after-update": "new",
          "tallydeck.db.after-update-wal": "new log",
        },
        `cut at ${cut}`,
      );
      assert.ok(!isKept());
      assert.ok(cut < 100);
    }
  });

  it("stays whole wherever the power was cut while it was copied", async () => {
    card.putSlot("b", NEXT);
    for (let cut = 1, isWhole = false; !isWhole; cut += 1) {
      note(PREPARED);
      isWhole = !cutAt(cut, () => keep({ ...card.box(), run: () => {} }));
      card.start("a");
      await startOld();
      assert.deepEqual(data(), OLD_DATA, `cut at ${cut}`);
      assert.ok(!isKept());
      assert.ok(cut < 100);
    }
  });

  it("goes back at a later start where there was no room for it", async () => {
    await tryNext();
    card.start("a");
    assert.throws(() => withFull(() => settleData(card.box())), /ENOSPC/);
    // Nothing of the newer one was touched, and the journal ends the attempt all the same.
    assert.equal(data()["tallydeck.db"], "new");
    await card.startUp("a");
    card.start("a");
    await startOld();
    assert.equal(data()["tallydeck.db"], "old");
  });

  it("goes back though the journal is lost, or says nothing of the attempt that is understood", async () => {
    const journals = ["", "{", JSON.stringify({ highest: 11, attempt: { state: "later" } })];
    for (const journal of journals) {
      putData();
      card.start("a");
      await tryNext();
      card.write("data/system/update.json", journal);
      card.start("a");
      await startOld();
      assert.equal(data()["tallydeck.db"], "old", journal);
      assert.equal(data()["tallydeck.db.after-update"], "new", journal);
      assert.ok(!isKept());
    }
  });

  it("stays on the card while it is not known whether anybody needs it", async () => {
    await tryNext();
    rmSync(join(card.root, "data/system/update.json"));
    card.putSlot("a", { release: 9, version: "0.0.9" });
    await startOld();
    card.start("a");
    await startOld();
    assert.ok(isKept());
    assert.equal(data()["tallydeck.db"], "new");
    await card.startUp("a");
    letGo(card.box(), attempt({ id: "another" }));
    assert.ok(isKept());
  });

  it("is no more once a release after that one was kept", async () => {
    await tryNext();
    await commit(card.box());
    card.putSlot("a", { release: 13, version: "0.4.0" });
    card.write("boot/firmware/config.txt", withSlot(card.config(), "a"));
    card.start("a");
    await startOld();
    assert.ok(!isKept());
    assert.equal(data()["tallydeck.db"], "new");
  });

  it("is replaced by no other while it waits to be put back", async () => {
    await tryNext();
    card.start("a");
    assert.throws(() => withFull(() => settleData(card.box())), /ENOSPC/);
    assert.throws(() => keep(), /waits to be put back: make room/);
    letGo(card.box(), attempt({ id: "another" }));
    card.start("a");
    await startOld();
    assert.equal(data()["tallydeck.db"], "old");
  });

  it("leaves nothing of the failed release once the next one is kept", async () => {
    await tryNext();
    card.start("a");
    await startOld();
    card.start("a");
    await startOld();
    assert.equal(data()["tallydeck.db.after-update"], "new");
    await tryNext();
    await commit(card.box());
    assert.equal(data()["tallydeck.db.after-update"], "new");
    card.start("b");
    settleData(card.box());
    assert.deepEqual(Object.keys(data()).sort(), [
      "tallydeck.db",
      "tallydeck.db-shm",
      "tallydeck.db-wal",
      "tallydeck.db.made",
    ]);
    assert.ok(!existsSync(join(card.root, "data/system/data-aside")));
  });

  it("goes back though the release never came to start", async () => {
    arm();
    card.start("a");
    await startOld();
    assert.equal(data()["tallydeck.db"], "old");
    assert.ok(!isKept());
    assert.equal(card.told().last?.kind, "interrupted");
  });

  it("is removed at the next start once the release is kept", async () => {
    await tryNext();
    await commit(card.box());
    assert.ok(isKept());
    card.start("b");
    settleData(card.box());
    assert.ok(!isKept());
    assert.equal(data()["tallydeck.db"], "new");
  });

  it("is removed, too, when the power went between the commit and its note", async () => {
    await tryNext();
    card.write("boot/firmware/config.txt", withSlot(card.config(), "b"));
    card.start("b");
    settleData(card.box());
    assert.ok(!isKept());
    assert.equal(data()["tallydeck.db"], "new");
  });

  it("is left alone while the other slot is only visited", async () => {
    await tryNext();
    card.start("b");
    settleData(card.box());
    assert.ok(isKept());
    assert.equal(data()["tallydeck.db"], "new");
  });

  it("is the service's again when the restart is called off", () => {
    keep();
    letGo(card.box(), PREPARED);
    assert.deepEqual(card.ran, [STOP, START]);
    assert.ok(!isKept());
    assert.deepEqual(data(), OLD_DATA);
  });

  it("stays in use, with a sentence, when it cannot be copied", () => {
    const start = () => withFull(() => keep());
    assert.throws(start, /could not be copied before the update: ENOSPC/);
    assert.deepEqual(card.ran, [STOP, START]);
    assert.ok(!isKept());
  });

  it("leads root nowhere else, whatever the service put in its folder", async () => {
    const own = join(card.root, "data/system/own");
    card.write("data/system/own", "root's");
    const inData = (name: string) => join(card.root, DATA, name);
    await tryNext();
    symlinkSync(own, inData("tallydeck.db.back"));
    mkdirSync(inData("tallydeck.db-wal.back/folder"), { recursive: true });
    mkdirSync(inData("tallydeck.db.after-update/folder"), { recursive: true });
    card.start("a");
    await startOld();
    assert.equal(card.read("data/system/own"), "root's");
    assert.deepEqual(data(), {
      ...OLD_DATA,
      "tallydeck.db.after-update": "new",
      "tallydeck.db.after-update-wal": "new log",
    });
    rmSync(inData("tallydeck.db"));
    symlinkSync(own, inData("tallydeck.db"));
    assert.throws(() => keep(), /tallydeck\.db is no file/);
    assert.ok(!isKept());
  });

  it("is not copied either where it would not find room on the way back", () => {
    card.write(`${DATA}/tallydeck.db`, Buffer.alloc(10_000_000));
    withRoom(11_000_000 + 64 * 1_048_576, () => assert.throws(() => keep(), /make 10 MB free/));
  });

  it("is not even stopped for a copy that has no room", () => {
    withRoom(40_960, () =>
      assert.throws(() => keep(), /no room to copy it first: make 68 MB free/),
    );
    assert.deepEqual(card.ran, []);
  });
});

const CHANGES = [
  "copyFileSync",
  "renameSync",
  "rmSync",
  "fsyncSync",
  "writeFileSync",
  "mkdirSync",
] as const;

/** Runs `work` with `around` before each change on the disk. */
function changing<T>(around: (name: string, count: number) => void, work: () => T): T {
  const real = Object.fromEntries(CHANGES.map((name) => [name, fs[name]]));
  let count = 0;
  const wrapped = Object.fromEntries(
    CHANGES.map((name) => [
      name,
      (...args: never[]) => {
        count += 1;
        around(name.replace("Sync", ""), count);
        return (real[name] as (...args: never[]) => unknown)(...args);
      },
    ]),
  );
  Object.assign(fs, wrapped);
  syncBuiltinESMExports();
  try {
    return work();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}

function recorded(work: () => void): string[] {
  const done: string[] = [];
  changing((name) => void done.push(name), work);
  return done;
}

class PowerCut extends Error {}

/** @returns whether the power was cut: from that change on, none takes place */
function cutAt(cut: number, work: () => void): boolean {
  try {
    changing((_name, count) => {
      if (count >= cut) throw new PowerCut();
    }, work);
    return false;
  } catch (error) {
    // Who tidies up after an error does not come to it either.
    if (error instanceof PowerCut || (error as Error).message.includes("copied")) return true;
    throw error;
  }
}

function withRoom(bytes: number, work: () => void): void {
  const { statfsSync } = fs;
  Object.assign(fs, { statfsSync: () => ({ bavail: Math.floor(bytes / 4_096), bsize: 4_096 }) });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, { statfsSync });
    syncBuiltinESMExports();
  }
}

function withFull(work: () => void): void {
  changing((name) => {
    if (name === "copyFile")
      throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
  }, work);
}
