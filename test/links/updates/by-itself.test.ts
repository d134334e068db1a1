import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { eachBox } from "./box.ts";

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
    assert.equal(await box().taken(), "arm 12");
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
      assert.deepEqual([box().view.restartsAt, box().updater.taken], [null, []]);
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
    assert.deepEqual([box().updater.waiting, box().updater.taken], [[], ["prepare 12"]]);
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

describe("A box that updates itself, of a tried model", () => {
  const box = eachBox((each) => {
    each.mode = "auto";
    each.board = { ...each.board, isTried: true };
    each.updater.tell({ canTry: undefined });
  });

  it("needs nobody's word for its first update", async () => {
    await box().check();
    assert.equal(await box().taken(), "prepare 12");
  });

  it("leaves it to its owner once the board could not try one", async () => {
    box().updater.tell({ canTry: false });
    await box().check();
    box().clock.jump(3_600_000);
    assert.deepEqual([box().view.ready?.state, box().updater.taken], ["offered", []]);
    await box().now();
    assert.equal(await box().taken(), "prepare 12");
  });
});
