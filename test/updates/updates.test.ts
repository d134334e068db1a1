import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { DAY_MS } from "../../appliance/base/calendar.ts";
import { isRefusal, type RefusalCode } from "../../appliance/base/refusal.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { until } from "../helpers/until.ts";
import { eachBox } from "./box.ts";

const TO = { release: 12, version: "0.3.0" };

function refused(code: RefusalCode, saying: RegExp) {
  return (error: unknown) => isRefusal(error, code) && saying.test(error.message);
}

describe("A box that looks for releases", () => {
  const box = eachBox();

  it("tells of one that is newer, and fetches nothing before its owner says so", async () => {
    const { ready, checkedAt, source } = await box().check();
    const { bytes, ...told } = ready ?? assert.fail();
    assert.deepEqual(told, {
      ...TO,
      notes: "Counts faster.",
      source: "network",
      state: "offered",
      failedBefore: false,
      isSkipped: false,
    });
    assert.ok(bytes > 300_000);
    assert.equal(checkedAt, box().clock.now() / 1_000);
    assert.equal(source, "releases.test");
    assert.deepEqual(box().host.asked, ["manifest.json", "manifest.json.minisig"]);
  });

  it("still knows it after a restart", async () => {
    await box().check();
    await box().restart();
    assert.equal(box().view.ready?.release, 12);
  });

  it("looks within a day, then about once a week, and not at the same time as others", async () => {
    const { clock, host } = box();
    await box().wait(() => typeof box().record()?.nextCheckAt === "number");
    const looked = async () => {
      const [before, { opened }] = [box().record()?.checkedAt ?? 0, host];
      clock.jump((box().record()?.nextCheckAt ?? 0) - clock.now() - 60_000);
      assert.equal(host.opened, opened);
      await box().wait(() => host.opened > opened);
      await until(() => (box().record()?.checkedAt ?? 0) > before);
      return box().view.checkedAt ?? 0;
    };
    const first = await looked();
    assert.ok(first * 1_000 < Date.parse("2026-11-24T12:15:00Z"), String(first));
    box().random = 0.1;
    const second = await looked();
    box().random = 0.9;
    const third = await looked();
    const days = [second - first, third - second].map((seconds) => (seconds * 1_000) / DAY_MS);
    assert.ok(
      days.every((each) => each > 6.5 && each < 7.6),
      String(days),
    );
  });

  it("says nothing of a release that it has already, or had", async () => {
    for (const release of [10, 11]) {
      box().release({ release });
      assert.deepEqual([(await box().check()).ready, box().view.problem], [null, null]);
    }
    box().release({ release: 12 });
    box().updater.tell({ other: TO });
    assert.deepEqual([(await box().check()).ready, box().view.problem], [null, null]);
  });

  for (const [what, said, sentence] of [
    ["another board", { boards: ["raspberrypi,3-model-b"] }, /not made for this board/],
    ["later releases", { from: 12 }, /Install one in between first/],
    ["another product", { product: "other" }, /not of Tallydeck/],
  ] as const)
    it(`says why one for ${what} is not for it`, async () => {
      box().release(said);
      const { ready, problem } = await box().check();
      assert.equal(ready, null);
      assert.match(problem ?? "", sentence);
    });

  it("believes nothing that is not signed by whom it knows", async () => {
    box().host.files.set("manifest.json", Buffer.from('{"release":99}'));
    const { ready, problem } = await box().check();
    assert.equal(ready, null);
    assert.match(problem ?? "", /signature does not fit/);
  });

  for (const [what, fault, sentence] of [
    ["is down", { status: 500 }, /answered 500/],
    ["has none", { status: 404 }, /has no manifest\.json/],
    ["sends a flood", { body: Buffer.alloc(2_000_000) }, /too large/],
    ["breaks off", { cutAfter: 10 }, /connection broke/],
    ["leads to http", { location: "http://files.test/x" }, /does not follow/],
    ["leads in circles", { location: "https://files.test/o/manifest.json" }, /does not follow/],
  ] as const)
    it(`tells who asked that the host ${what}, and keeps what it knows`, async () => {
      await box().check();
      box().host.faults = [{ file: "manifest.json", times: 99, ...fault }];
      const { ready, problem } = await box().check();
      assert.equal(ready?.release, 12);
      assert.match(problem ?? "", sentence);
    });

  it("waits half a minute for an answer", async () => {
    box().host.faults = [{ file: "manifest.json", stallAfter: 5 }];
    const checked = box().check();
    await until(() => box().host.asked.length === 1);
    box().clock.advance(30_000);
    assert.match((await checked).problem ?? "", /no answer in time/);
  });

  it("keeps to itself that a host was away for once when nobody asked", async () => {
    box().host.faults = [{ file: "manifest.json", status: 500, times: 99 }];
    box().clock.advance(1_000);
    box().clock.jump(DAY_MS);
    await until(() => box().host.asked.length === 1);
    await box().restart();
    assert.equal(box().view.problem, null);
  });
});

describe("A box without the time", () => {
  const box = eachBox((each) => {
    Object.assign(each, { clock: new FakeClock(0, { sure: false }) });
  });

  it("looks for nothing by itself, and knows no night", async () => {
    for (let day = 0; day < 30; day += 1) box().clock.jump(DAY_MS);
    assert.equal(box().host.opened, 0);
    await box().check();
    await assert.rejects(box().tonight(), refused("not_now", /does not know the time/));
    box().clock.becomeSure("2026-11-23T12:00:00Z");
    box().clock.advance(1_000);
    box().clock.jump(8 * DAY_MS);
    await until(() => box().host.asked.length === 4);
  });
});

describe("A box that is to ask nobody", () => {
  const box = eachBox((each) => {
    each.mode = "off";
  });

  it("asks nobody, and says so", async () => {
    for (let day = 0; day < 30; day += 1) box().clock.jump(DAY_MS);
    await assert.rejects(box().check(), refused("no_release_source", /UPDATES=off/));
    assert.deepEqual([box().host.asked, box().view.source], [[], null]);
  });
});

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
    assert.equal(await box().taken(), "start 12");

    box().updater.restarted("updated", TO);
    await box().reboot();
    const view = await box().see(({ ready: left }) => left === null);
    assert.deepEqual(view.running, { ...TO, slot: "b" });
    assert.deepEqual(
      [view.last?.kind, view.last?.isSeen, view.restartsAt],
      ["updated", false, null],
    );
    assert.deepEqual(box().updates.warnings(), []);
    assert.deepEqual(box().updater.asked, ["prepare 12", "start 12"]);
  });

  it("tonight is written at once, and started at a random minute after four", async () => {
    await box().tonight();
    assert.equal(await box().taken(), "prepare 12");
    box().updater.finish();
    // In winter Zurich is an hour ahead.
    assert.equal(box().view.restartsAt, Date.parse("2026-11-24T03:30:00Z"));
    await box().restart();
    box().clock.jump(Date.parse("2026-11-24T03:29:00Z") - box().clock.now());
    assert.deepEqual(box().updater.waiting, []);
    box().clock.advance(60_000);
    assert.equal(await box().taken(), "start 12");
  });

  it("is for the next night where the box was off at four", async () => {
    await box().tonight();
    await box().prepared();
    box().clock.jump(0);
    await box().updates.close();
    box().clock.setWall("2026-11-24T08:00:00Z");
    await box().reboot();
    await box().see(({ restartsAt }) => restartsAt === Date.parse("2026-11-25T03:30:00Z"));
    assert.deepEqual(box().updater.waiting, []);
  });

  it("is for the next night where a clock that was wrong had another year", async () => {
    box().clock.setWall("2027-11-23T12:00:00Z");
    await box().tonight();
    await box().prepared();
    assert.equal(box().view.restartsAt, Date.parse("2027-11-24T03:30:00Z"));
    box().clock.setWall("2026-11-23T12:00:00Z");
    await box().see(({ restartsAt }) => restartsAt === Date.parse("2026-11-24T03:30:00Z"));
    assert.deepEqual(box().updater.waiting, []);
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
    assert.equal(await box().taken(), "start 12");
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

    // Its owner may want it all the same.
    await box().now();
    assert.equal(await box().taken(), "prepare 12");
  });

  it("can be called off while it counts down, and be asked for again", async () => {
    await box().now();
    await box().prepared();
    await box().updates.act({ action: "cancel" });
    box().clock.jump(DAY_MS / 2);
    assert.deepEqual([box().updater.waiting, box().view.restartsAt], [[], null]);
    await box().now();
    await box().see(({ restartsAt }) => restartsAt !== null);
    box().clock.advance(60_000);
    assert.equal(await box().taken(), "start 12");
    await assert.rejects(
      box().updates.act({ action: "cancel" }),
      refused("not_now", /restarts already/),
    );
  });

  it("may be put off to the night, and back again", async () => {
    await box().now();
    await box().prepared();
    await box().tonight();
    box().clock.jump(3_600_000);
    assert.deepEqual(box().updater.waiting, []);
    await box().now();
    await box().see(({ restartsAt }) => restartsAt !== null);
    box().clock.advance(60_000);
    assert.equal(await box().taken(), "start 12");
    assert.deepEqual(box().updater.asked, ["prepare 12", "start 12"]);
  });

  it("counts down anew when the service starts anew", async () => {
    await box().now();
    await box().prepared();
    box().clock.advance(50_000);
    await box().restart();
    const { restartsAt } = await box().see((view) => view.restartsAt !== null);
    assert.ok((restartsAt ?? 0) > box().clock.now() + 50_000);
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
    assert.equal(box().view.mode, "visit");
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
    assert.equal(await box().taken(), "back");
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

describe("A box that updates itself", () => {
  const box = eachBox((each) => {
    each.mode = "auto";
  });

  it("does so at night", async () => {
    await box().check();
    assert.equal(await box().taken(), "prepare 12");
    box().updater.finish();
    assert.equal(box().view.restartsAt, Date.parse("2026-11-24T03:30:00Z"));
    box().clock.jump(Date.parse("2026-11-24T03:30:00Z") - box().clock.now());
    assert.equal(await box().taken(), "start 12");
  });

  it("takes what a stick brought, too", async () => {
    const offer = { release: 13, version: "0.4.0", bytes: 7, notes: "", source: "stick" as const };
    box().updater.tell({ offers: [offer] });
    assert.equal(await box().taken(), "prepare 13");
  });

  it("does so no more once it is to ask, but for what its owner wants", async () => {
    await box().check();
    await box().prepared();
    assert.notEqual(box().view.restartsAt, null);
    box().mode = "ask";
    await box().reboot();
    await box().see(({ restartsAt }) => restartsAt === null);
    assert.deepEqual([box().view.ready?.state, box().updater.waiting], ["prepared", []]);

    await box().tonight();
    await box().reboot();
    await box().see(({ restartsAt }) => restartsAt === Date.parse("2026-11-24T03:30:00Z"));
  });

  for (const [what, prepare] of [
    ["failed before", () => box().updater.tell({ failed: [12] })],
    ["the owner does not want", () => box().updates.act({ action: "skip", release: 12 })],
    ["would be the first on such a board", () => box().updater.tell({ canTry: undefined })],
  ] as const)
    it(`leaves alone what ${what}`, async () => {
      await prepare();
      await box().check();
      box().clock.jump(3_600_000);
      assert.deepEqual([box().view.restartsAt, box().updater.asked], [null, []]);
      assert.equal(box().view.ready?.state, "offered");
    });

  it("waits for a day when there was no room", async () => {
    box().room = 0;
    await box().check();
    const { problem } = await box().see((view) => view.problem !== null);
    assert.match(problem ?? "", /not enough free space/);
    box().room = 1e9;
    box().clock.jump(DAY_MS - 60_000);
    // Refused where one is on its way.
    assert.equal((await box().check()).ready?.state, "offered");
    box().clock.jump(60_000);
    assert.equal(await box().taken(), "prepare 12");
  });

  it("waits for a day when it was refused", async () => {
    box().updater.refuses = "The card did not give back what was written to it.";
    await box().check();
    await box().taken();
    box().clock.advance(11_000);
    await box().see(({ ready }) => ready?.state === "downloaded");
    box().clock.jump(DAY_MS - 60_000);
    await box().check();
    assert.deepEqual([box().updater.waiting, box().updater.asked], [[], ["prepare 12"]]);
    box().clock.jump(60_000);
    assert.equal(await box().taken(), "prepare 12");
  });

  it("leaves alone for a day what was called off", async () => {
    await box().check();
    await box().taken();
    await box().updates.act({ action: "cancel" });
    box().updater.tell({ work: undefined });
    box().clock.jump(DAY_MS - 60_000);
    assert.equal(box().view.restartsAt, null);
    box().clock.jump(60_000);
    await box().see(({ restartsAt }) => restartsAt !== null);
  });
});
