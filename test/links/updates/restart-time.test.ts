import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { eachBox, refused } from "./box.ts";

describe("An update", () => {
  const box = eachBox();
  beforeEach(() => box().check());

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
    assert.equal(await box().taken(), "arm 12");
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

  it("can be called off while it counts down, and be asked for again", async () => {
    await box().now();
    await box().prepared();
    await box().updates.act({ action: "cancel" });
    box().clock.jump(DAY_MS / 2);
    assert.deepEqual([box().updater.waiting, box().view.restartsAt], [[], null]);
    await box().now();
    await box().see(({ restartsAt }) => restartsAt !== null);
    box().clock.advance(60_000);
    assert.equal(await box().taken(), "arm 12");
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
    assert.equal(await box().taken(), "arm 12");
    assert.deepEqual(box().updater.taken, ["prepare 12", "arm 12"]);
  });

  it("counts down anew when the service starts anew", async () => {
    await box().now();
    await box().prepared();
    box().clock.advance(50_000);
    await box().restart();
    const { restartsAt } = await box().see((view) => view.restartsAt !== null);
    assert.ok((restartsAt ?? 0) > box().clock.now() + 50_000);
  });
});
