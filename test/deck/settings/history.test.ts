import assert from "node:assert/strict";
import { History } from "../../../appliance/deck/settings/history.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

/** A number that steps change. */
function world() {
  const clock = new FakeClock();
  const history = new History(clock);
  const box = { value: 0, history, clock };
  const set = (value: number, about?: string) => {
    const before = box.value;
    box.value = value;
    history.add({
      what: `Set to ${value}`,
      about,
      undo: async () => {
        box.value = before;
        return "";
      },
      redo: async () => {
        box.value = value;
      },
    });
  };
  return Object.assign(box, { set });
}

describe("The changes of an owner", () => {
  it("are undone from the last to the first, and done again", async () => {
    const box = world();
    for (const value of [1, 2, 3]) box.set(value);
    assert.deepEqual(box.history.undoable, { canUndo: "Set to 3", canRedo: null });
    assert.equal(await box.history.undo(), "Undone: Set to 3.");
    await box.history.undo();
    assert.equal(box.value, 1);
    assert.deepEqual(box.history.undoable, { canUndo: "Set to 1", canRedo: "Set to 2" });
    assert.equal(await box.history.redo(), "Done again: Set to 2.");
    assert.equal(box.value, 2);
  });

  it("are forgotten beyond the last twenty", async () => {
    const box = world();
    for (let value = 1; value <= 25; value += 1) box.set(value);
    for (let step = 0; step < 20; step += 1) await box.history.undo();
    assert.equal(box.value, 5);
    await assert.rejects(box.history.undo(), { code: "nothing_to_undo" });
  });

  it("cannot be done again once something else was changed", async () => {
    const box = world();
    box.set(1);
    await box.history.undo();
    box.set(2);
    await assert.rejects(box.history.redo(), { code: "nothing_to_redo" });
  });

  it("are one while they are about the same and follow each other quickly", async () => {
    const box = world();
    box.set(1);
    for (const value of [2, 3, 4]) {
      box.set(value, "slider");
      box.clock.advance(1_000);
    }
    await box.history.undo();
    assert.equal(box.value, 1);
    await box.history.redo();
    assert.equal(box.value, 4);
    box.set(5, "slider");
    await box.history.undo();
    assert.equal(box.value, 4, "after a redo a new step begins");
  });

  for (const [why, ms, about] of [
    ["a pause is between", 6_000, "slider"],
    ["they are about something else", 0, "text"],
    ["they are about nothing in particular", 0, undefined],
  ] as const)
    it(`are two when ${why}`, async () => {
      const box = world();
      box.set(1, about === undefined ? undefined : "slider");
      box.clock.advance(ms);
      box.set(2, about);
      await box.history.undo();
      assert.equal(box.value, 1);
    });

  it("stay the last when undoing fails", async () => {
    const { history } = world();
    let isFull = true;
    history.add({
      what: "Tried",
      undo: async () => {
        if (isFull) throw new Error("full");
        return "";
      },
      redo: async () => {},
    });
    await assert.rejects(history.undo(), /full/);
    isFull = false;
    assert.equal(await history.undo(), "Undone: Tried.");
  });
});
