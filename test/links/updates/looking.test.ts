import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { until } from "../../helpers/until.ts";
import { eachBox, refused, TO } from "./box.ts";

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
    // Other requests do not wait for it.
    await box().updates.act({ action: "skip", release: 12 });
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
