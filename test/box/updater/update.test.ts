import assert from "node:assert/strict";
import fs, { existsSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { configWithSlot, slotOfConfig } from "../../../appliance/box/updater/boot-partition.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { prepare } from "../../../appliance/box/updater/prepare.ts";
import { answerRequests } from "../../../appliance/box/updater/requests.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { Card, made, NEXT, OLD, SERVICES, THIRD } from "./card.ts";

const signer = new Minisign();
after(() => signer.remove());

describe("an update", () => {
  let card: Card;
  beforeEach(async () => {
    card = new Card(signer.file);
    await card.powerOn();
  });
  afterEach(() => card.remove());

  it("is written to the slot that does not run, and read back", async () => {
    card.putBundle(made(signer, NEXT));
    const told = await card.request("prepare", "12");
    assert.equal(told.problem, undefined);
    assert.deepEqual(told.prepared, NEXT);
    const found = told.offers.map(({ release, source }) => [release, source]);
    assert.deepEqual(found, [[12, "service"]]);
    assert.ok(card.isWhole("a", OLD) && card.isWhole("b", NEXT));
    assert.equal(slotOfConfig(card.config()), "a");
    assert.equal(card.hasTryboot(), false);
  });

  it("restarts into it once it is armed, and the owner's config.txt comes along", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    card.write("boot/firmware/config.txt", `${card.config()}dtoverlay=disable-bt\r\n`);
    const told = await card.request("arm", "12");
    assert.equal(told.work?.step, "restart");
    assert.deepEqual(card.ran.slice(-2), [
      "systemctl start tallydeck-arm.service",
      "systemctl reboot",
    ]);
    const trial = await card.powerOn();
    assert.equal(trial.mode, "trial");
    await keep(card.box());
    assert.ok(card.config().endsWith("dtoverlay=disable-bt\r\n"));
    assert.deepEqual(card.state().running, { ...NEXT, slot: "b" });
  });

  it("is followed by a second one into the first slot, and the owner may go back from there", async () => {
    await card.update(signer, NEXT);
    await card.powerOn();
    await card.update(signer, THIRD);
    assert.ok(card.isWhole("a", THIRD) && card.isWhole("b", NEXT));
    const told = await card.powerOn();
    assert.deepEqual(told.other, NEXT);
    await card.request("rollback");
    assert.equal((await card.powerOn()).mode, "trial");
    await keep(card.box());
    assert.equal(card.state().last?.kind, "back");
    const back = await card.powerOn({ wasCut: true });
    assert.deepEqual(back.running, { ...NEXT, slot: "b" });
    assert.deepEqual(back.other, THIRD);
    assert.equal(card.journal().highest, THIRD.release);
  });

  it("is told as it goes on", async () => {
    card.putBundle(made(signer, NEXT));
    const seen: string[] = [];
    const box = card.box();
    await prepare(
      {
        ...box,
        now: () => {
          const { work } = card.state();
          if (work) seen.push(`${work.step} ${work.done === work.of}`);
          return box.now();
        },
      },
      12,
    );
    for (const step of ["verify true", "write false", "write true", "read-back false"])
      assert.ok(seen.includes(step), seen.join());
  });

  it("on a board that cannot try one changes nothing but what is told", async () => {
    card.putBundle(made(signer, NEXT));
    card.canTry = false;
    await card.request("prepare", "12");
    const told = await card.request("arm", "12");
    assert.equal(told.last?.kind, "refused");
    assert.equal(told.last?.reason, "This board cannot try an update.");
    assert.equal(told.canTry, false);
    assert.ok(!card.ran.includes("systemctl reboot"));
    assert.equal((await card.powerOn()).mode, "normal");
    assert.equal(card.hasTryboot(), false);
  });

  it("on a board that is armed although it says it is not starts what ran before", async () => {
    card.putBundle(made(signer, NEXT));
    card.canTry = "unsaid";
    await card.request("prepare", "12");
    assert.equal((await card.request("arm", "12")).last?.kind, "refused");
    assert.equal(slotOfConfig(card.read("boot/firmware/tryboot.txt")), "a");
    assert.equal((await card.powerOn()).running.slot, "a");
  });

  it("that failed is tried again when its owner asks", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    await card.request("arm", "12");
    await card.powerOn();
    assert.equal((await card.powerOn()).last?.kind, "failed");
    await card.update(signer, NEXT);
    assert.equal(card.state().last?.kind, "updated");
    assert.deepEqual(card.state().failed, []);
  });

  it("to a release before the one that failed leaves that known as failed", async () => {
    card.putBundle(made(signer, THIRD));
    await card.request("prepare", "13");
    await card.request("arm", "13");
    await card.powerOn();
    assert.deepEqual((await card.powerOn()).failed, [THIRD.release]);
    await card.update(signer, NEXT);
    assert.deepEqual(card.state().failed, [THIRD.release]);
    assert.deepEqual((await card.powerOn()).failed, [THIRD.release]);
  });

  it("that was interrupted needs no second writing", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    await card.request("arm", "12");
    const told = await card.powerOn({ wasCut: true });
    assert.equal(told.last?.kind, "interrupted");
    rmSync(join(card.root, SERVICES), { recursive: true });
    await card.request("arm", "12");
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("whose writer was killed is said to have broken off, and can be asked for again", async () => {
    card.putBundle(made(signer, NEXT));
    const files = ["run/tallydeck-update/state.json", "data/system/update.json"];
    let left: string[] = [];
    const fromCard = () => {
      left = files.map((file) => card.read(file));
      throw new Error("killed");
    };
    await assert.rejects(prepare({ ...card.box(), fromCard }, 12), /killed/);
    for (const [index, file] of files.entries()) card.write(file, left[index] ?? "");
    assert.equal(card.state().work?.step, "write");
    await answerRequests(card.box());
    assert.equal(card.state().work, undefined);
    assert.match(card.state().problem ?? "", /broke off/);
    assert.equal(card.journal().attempt, undefined);
    assert.deepEqual((await card.request("prepare", "12")).prepared, NEXT);
    assert.equal(card.state().problem, undefined);
  });

  it("is not touched any more once it is armed, though the restart fails at first", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    const run = card.run.bind(card);
    card.run = (command) => {
      run(command);
      if (command === "systemctl reboot") throw new Error("exit 1");
    };
    await card.request("arm", "12");
    card.run = run;
    await card.request("prepare", "12");
    await card.request("discard", "12");
    assert.equal(card.ran.at(-1), "systemctl reboot");
    assert.ok(card.hasTryboot() && card.isWhole("b", NEXT));
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("is interrupted when tryboot.txt is gone once it is armed", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    await card.request("arm", "12");
    rmSync(join(card.root, "boot/firmware/tryboot.txt"));
    const told = await card.powerOn();
    assert.deepEqual([told.mode, told.last?.kind], ["normal", "interrupted"]);
    assert.deepEqual(told.prepared, NEXT);
  });

  it("that somebody else starts is visited, and not kept", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    card.write("boot/firmware/tryboot.txt", configWithSlot(card.config(), "b"));
    card.run("systemctl start tallydeck-arm.service");
    assert.equal((await card.powerOn()).mode, "visit");
    await assert.rejects(keep(card.box()), /no trial/);
    assert.deepEqual((await card.powerOn()).prepared, NEXT);
    assert.equal(card.hasTryboot(), false);
  });

  it("is written though the kernel finds that a power cut left a file without a place", async () => {
    card.putSlot("b", { ...NEXT, release: 13 });
    card.putBundle(made(signer, NEXT));
    const { rmSync: remove } = fs;
    let isReadOnly = false;
    fs.rmSync = (path, options) => {
      if (isReadOnly && String(path).includes("/b/"))
        // The error of Node 24 for EROFS there.
        throw Object.assign(new Error("Unknown error: Read-only file system"), { code: "" });
      isReadOnly ||= String(path).endsWith("/b/initrd.img");
      remove(path, options);
    };
    const { run } = card;
    card.run = (command) => {
      isReadOnly &&= !command.includes("remount,rw");
      run.call(card, command);
    };
    syncBuiltinESMExports();
    const told = await card.request("prepare", "12").finally(() => {
      fs.rmSync = remove;
      syncBuiltinESMExports();
    });
    assert.deepEqual([told.problem, told.prepared], [undefined, NEXT]);
    assert.ok(card.isWhole("b", NEXT));
  });

  it("is taken by the owner's key, and by no other then", async () => {
    const owners = new Minisign();
    const [, key = ""] = owners.file.split("\n");
    card.write("run/tallydeck/tallydeck.env", `UPDATES=auto\nUPDATE_KEY=${key}\n`);
    card.putBundle(made(signer, NEXT));
    assert.match((await card.request("prepare", "12")).problem ?? "", /signed with the key/);
    card.putBundle(made(owners, NEXT));
    assert.deepEqual((await card.request("prepare", "12")).prepared, NEXT);
    owners.remove();
  });

  it("is no more when it is discarded", async () => {
    card.putBundle(made(signer, NEXT));
    await card.request("prepare", "12");
    const told = await card.request("discard", "12");
    assert.equal(told.prepared, undefined);
    assert.equal(told.other, undefined);
    assert.match((await card.request("arm", "12")).problem ?? "", /install it again/);
  });

  it("is no less to be had after an ask that cannot be removed", async () => {
    card.write("run/tallydeck-update/asked/prepare/in/the/way", "");
    card.putBundle(made(signer, NEXT));
    await answerRequests(card.box());
    assert.ok(!existsSync(join(card.root, "run/tallydeck-update/asked/prepare")));
    assert.deepEqual((await card.request("prepare", "12")).prepared, NEXT);
  });
});
