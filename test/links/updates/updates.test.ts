import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { until } from "../../helpers/until.ts";
import { eachBox, refused, TO } from "./box.ts";

describe("An update", () => {
  const box = eachBox();
  beforeEach(() => box().check());

  it("now is fetched, written, and started after a minute in which it can be called off", async () => {
    await box().now();
    assert.equal(await box().taken(), "prepare 12");
    box().updater.tell({ work: { step: "write", to: TO, done: 5, of: 100 } });
    const { ready, progress } = await box().see((view) => view.progress !== null);
    assert.equal(ready?.state, "writing");
    assert.deepEqual(progress, { step: "write", done: 5, of: 100 });

    box().updater.finish();
    const { restartsAt } = await box().see((view) => view.restartsAt !== null);
    assert.equal(restartsAt, box().clock.now() + 60_000);
    box().clock.advance(59_000);
    assert.deepEqual(box().updater.waiting, []);
    assert.equal(await box().taken(), "arm 12");
    assert.deepEqual(box().view.progress, { step: "arm", done: 0, of: 0 });
    assert.deepEqual(box().view.next, TO);

    box().updater.restarted("updated", TO);
    await box().reboot();
    const view = await box().see(({ ready: left }) => left === null);
    assert.deepEqual(view.running, { ...TO, slot: "b" });
    assert.deepEqual(
      [view.last?.kind, view.last?.isSeen, view.restartsAt],
      ["updated", false, null],
    );
    assert.deepEqual(box().updates.warnings(), []);
    assert.deepEqual(box().updater.taken, ["prepare 12", "arm 12"]);
  });

  it("is fetched again though the clock was set back in between", async () => {
    box().host.faults = [{ file: "root.img", status: 500 }];
    await box().now();
    await until(() => box().record()?.wish?.failures === 1);
    box().clock.setWall("2025-01-01T00:00:00Z");
    assert.equal(await box().taken(), "prepare 12");
  });

  it("that failed is told with its reason until the owner has seen it, and not tried by itself", async () => {
    await box().now();
    await box().prepared();
    box().clock.advance(60_000);
    assert.equal(await box().taken(), "arm 12");
    box().updater.restarted("failed", TO, "No address on eth0.");
    await box().reboot();
    const { ready, last, restartsAt } = await box().see((view) => view.last !== null);
    assert.equal(last?.reason, "No address on eth0.");
    assert.deepEqual([ready?.failedBefore, restartsAt], [true, null]);
    assert.deepEqual(box().updates.warnings(), ["update_failed"]);
    box().clock.jump(3 * 3_600_000);
    assert.deepEqual(box().updater.waiting, []);

    await box().updates.act({ action: "seen" });
    await box().restart();
    assert.equal(box().view.last?.isSeen, true);
    assert.deepEqual(box().updates.warnings(), []);

    // Its owner may want it all the same: once, be it that the clock stood still since.
    await box().now();
    await box().prepared();
    box().clock.advance(60_000);
    assert.equal(await box().taken(), "arm 12");
    box().updater.restarted("failed", TO, "No address on eth0.");
    await box().reboot();
    await until(() => box().record()?.wish === null);
    assert.deepEqual(box().updater.waiting, []);
  });

  it("that is called off while it is written is written to its end, and not started", async () => {
    await box().now();
    await box().taken();
    assert.equal((await box().see(({ next }) => next?.release === 12)).isCalledOff, false);
    await box().updates.act({ action: "cancel" });
    const { isCalledOff, progress, next } = box().view;
    assert.deepEqual([isCalledOff, progress?.step, next], [true, "write", TO]);
    box().updater.finish();
    const view = await box().see(({ ready }) => ready?.state === "prepared");
    assert.deepEqual([view.isCalledOff, view.next, view.restartsAt], [false, null, null]);
  });

  it("tonight stays the one that was chosen, whatever comes meanwhile", async () => {
    await box().tonight();
    await box().prepared();
    const offer = { release: 13, version: "0.4.0", bytes: 7, notes: "", source: "stick" as const };
    box().updater.tell({ offers: [offer] });
    const { next, restartsAt } = await box().see(({ ready }) => ready?.release === 13);
    assert.deepEqual(next, TO);
    assert.notEqual(restartsAt, null);
  });

  it("is asked for once more where the machine restarted before it was written", async () => {
    await box().now();
    assert.equal(await box().taken(), "prepare 12");
    box().updater.tell({ work: undefined });
    await box().reboot();
    assert.equal(await box().taken(), "prepare 12");
  });

  it("that the updater refuses ends with its sentence", async () => {
    box().updater.refuses = "The boot partition is full.";
    await box().now();
    await box().taken();
    box().clock.advance(11_000);
    const { problem } = await box().see(({ ready }) => ready?.state === "downloaded");
    assert.equal(problem, "The boot partition is full.");
  });

  it("tells what is wrong until its owner has seen it, one thing after the other", async () => {
    box().host.faults = [{ file: "manifest.json", status: 500 }];
    await box().check();
    box().updater.tell({ problem: "The stick cannot be read.", problemAt: 1_772_600_000 });
    box().clock.advance(1_000);
    assert.match(box().view.problem ?? "", /answered 500/);
    await box().updates.act({ action: "seen" });
    assert.equal(box().view.problem, "The stick cannot be read.");
    await box().updates.act({ action: "seen" });
    await box().restart();
    assert.equal(box().view.problem, null);
    // Where it says how the box stands, it does so as long as that lasts.
    box().updater.tell({ mode: "visit" });
    await box().see(({ problem }) => problem !== null);
  });

  it("that the updater refuses holds up no end of the service, and ends after it", async () => {
    box().updater.refuses = "The boot partition is full.";
    await box().now();
    await box().taken();
    box().clock.advance(11_000);
    await box().restart();
    assert.deepEqual([box().record()?.wish?.release, box().said], [12, []]);
    box().clock.advance(11_000);
    const { problem } = await box().see(({ ready }) => ready?.state === "downloaded");
    assert.equal(problem, "The boot partition is full.");
  });

  it("that is wished anew while the one before comes to its end goes on", async () => {
    box().updater.refuses = "The boot partition is full.";
    await box().now();
    await box().taken();
    box().clock.advance(11_000);
    box().updater.refuses = undefined;
    await box().now();
    await box().prepared();
    await box().see(({ restartsAt }) => restartsAt !== null);
  });

  it("that the updater never begins ends with what to do", async () => {
    await box().now();
    await until(() => box().updater.waiting.length > 0);
    for (let minutes = 0; minutes < 3; minutes += 1) box().clock.advance(60_000);
    // It waits to be taken: that is no silence.
    assert.equal(box().view.problem, null);
    box().updater.take();
    box().updater.tell({ work: undefined });
    box().clock.advance(125_000);
    const { problem } = await box().see((view) => view.problem !== null);
    assert.match(problem ?? "", /Restart the box and try again/);
  });

  it("of a release that is none, or is gone, is not begun", async () => {
    await assert.rejects(box().now(13), refused("no_update", /Look for releases again/));
    box().updater.tell({ running: { ...TO, slot: "b" } });
    await assert.rejects(box().now(), refused("no_update", /Look for releases again/));
  });

  it("is not begun in a trial, nor in a system that is only visited", async () => {
    for (const mode of ["trial", "visit"] as const) {
      box().updater.tell({ mode });
      await assert.rejects(box().now(), refused("not_now", /its own release/));
    }
    box().host.faults = [{ file: "manifest.json", status: 500 }];
    await box().check();
    box().updater.tell({ problem: "The other system runs now." });
    const { mode, problem } = await box().see((view) => view.problem !== null);
    assert.deepEqual([mode, problem], ["visit", "The other system runs now."]);
    await box().updates.act({ action: "keep" });
    assert.equal(await box().taken(), "keep");
  });

  it("that is not wanted is marked so, over a restart", async () => {
    await box().updates.act({ action: "skip", release: 12 });
    await box().restart();
    assert.equal(box().view.ready?.isSkipped, true);
    await box().now();
    assert.equal(box().view.ready?.isSkipped, false);
  });

  it("that is not wanted stays so for a release that remembers more", async () => {
    await box().updates.act({ action: "skip", release: 12 });
    const { seenProblem: _, ...less } = box().record() ?? assert.fail();
    writeFileSync(join(box().data, "record.json"), JSON.stringify(less));
    await box().restart();
    assert.equal(box().view.ready?.isSkipped, true);
  });

  it("that is not wanted is given away where it came on a stick or the card", async () => {
    const offer = { release: 13, version: "0.4.0", bytes: 7, notes: "", source: "stick" as const };
    box().updater.tell({ offers: [offer] });
    await box().updates.act({ action: "skip", release: 13 });
    assert.equal(await box().taken(), "discard 13");
    // Put in again, it is still not wanted.
    assert.equal(box().view.ready?.isSkipped, true);
    box().updater.tell({ offers: [] });
    assert.equal((await box().see(({ ready }) => ready?.release === 12)).ready?.isSkipped, false);
  });

  it("leads back where there is something to go back to", async () => {
    const back = () => box().updates.act({ action: "back" });
    await assert.rejects(back(), refused("no_update", /no other release/));
    await assert.rejects(
      box().updates.act({ action: "keep" }),
      refused("no_update", /its own system already/),
    );
    box().updater.tell({ other: { release: 10, version: "0.1.0" } });
    // It would else be installed there.
    await box().tonight();
    await assert.rejects(back(), refused("not_now", /or cancel it/));
    await box().updates.act({ action: "cancel" });
    await back();
    const { progress, next } = box().view;
    assert.deepEqual([progress?.step, next?.release], ["arm", 10]);
    await assert.rejects(box().now(), refused("not_now", /restarts already/));
    await assert.rejects(
      box().updates.takeIn(Readable.from([]), undefined),
      refused("not_now", /restarts already/),
    );
    assert.equal(await box().taken(), "rollback");
    box().updater.tell({ work: { step: "restart", to: next ?? TO, done: 0, of: 0 } });
    await assert.rejects(box().now(), refused("not_now", /restarts already/));
  });

  it("from a stick or a card is offered and installed like any other", async () => {
    const offer = { release: 13, version: "0.4.0", bytes: 7, notes: "", source: "stick" as const };
    box().updater.tell({ offers: [offer] });
    const { ready } = await box().see((view) => view.ready?.release === 13);
    assert.deepEqual([ready?.source, ready?.state], ["stick", "downloaded"]);
    await box().now(13);
    assert.equal(await box().taken(), "prepare 13");
  });

  it("ends where the stick is pulled before it was read", async () => {
    const offer = { release: 13, version: "0.4.0", bytes: 7, notes: "", source: "stick" as const };
    box().updater.tell({ offers: [offer] });
    await box().tonight(13);
    box().updater.tell({ offers: [], work: undefined });
    await box().updates.act({ action: "cancel" });
    assert.equal(box().view.ready?.release, 12);
  });
});

describe("A board on which no update was ever tried", () => {
  const box = eachBox((each) => each.updater.tell({ canTry: undefined }));

  it("is updated once its owner says that he knows", async () => {
    const { isUntriedBoard, board } = await box().check();
    assert.deepEqual([isUntriedBoard, board], [true, "Raspberry Pi 4 Model B Rev 1.4"]);
    await assert.rejects(box().now(), refused("untried_board", /keep a card reader near/));
    await box().updates.act({ action: "now", release: 12, untried: true });
    assert.equal(await box().taken(), "prepare 12");
    box().updater.tell({ canTry: true });
    assert.equal((await box().see(() => true)).isUntriedBoard, false);
  });
});
