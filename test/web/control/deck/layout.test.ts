import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Slot } from "../../../../appliance/control/wire.ts";
import { MODELS, modelById } from "../../../../appliance/deck/usb/models.ts";
import { bandsOf, neighbour, slotName } from "../../../../web/control/deck/layout.ts";

function slotsOf(id: string): Slot[] {
  const model = modelById(id);
  if (model === undefined) throw new Error(`there is no model ${id}`);
  return model.slots.map((slot) => ({ ...slot, widget: { type: "empty" } }));
}

function rowsOf(id: string): string[] {
  return bandsOf(slotsOf(id)).map(({ cells }) => cells.map(({ slot }) => slot.slot).join(" "));
}

describe("a deck on the page", () => {
  it("has its keys in rows", () => {
    assert.deepEqual(rowsOf("mk2"), ["k0 k1 k2 k3 k4", "k5 k6 k7 k8 k9", "k10 k11 k12 k13 k14"]);
  });

  it("has a touch strip below them", () => {
    assert.deepEqual(rowsOf("plus"), ["k0 k1 k2 k3", "k4 k5 k6 k7", "z0 z1 z2 z3"]);
  });

  it("has side zones beside them", () => {
    assert.deepEqual(rowsOf("mirabox-293s").at(0), "k0 k1 k2 k3 k4 z0");
  });

  it("has a strip as wide as its keys, a small panel no wider than it is", () => {
    assert.deepEqual(
      bandsOf(slotsOf("akp05e")).map(({ share }) => share),
      [1, 1, 1],
    );
    const [panel] = bandsOf(slotsOf("neo")).slice(-1);
    assert.equal(panel?.share, 248 / (4 * 96));
  });

  it("shows every slot of every model once", () => {
    for (const { id, slots } of MODELS) {
      const shown = rowsOf(id).join(" ").split(" ").filter(Boolean).sort();
      assert.deepEqual(shown, slots.map(({ slot }) => slot).sort(), id);
    }
  });

  it("names slots as people count them", () => {
    assert.equal(slotName({ slot: "k0", kind: "key" }), "Key 1");
    assert.equal(slotName({ slot: "z3", kind: "zone" }), "Zone 4");
  });
});

describe("an arrow key on the deck", () => {
  for (const [model, from, key, to] of [
    ["mk2", "k0", "ArrowRight", "k1"],
    ["mk2", "k1", "ArrowLeft", "k0"],
    ["mk2", "k7", "ArrowUp", "k2"],
    ["mk2", "k7", "ArrowDown", "k12"],
    ["mk2", "k7", "Home", "k5"],
    ["mk2", "k7", "End", "k9"],
    ["mk2", "k4", "ArrowRight", "k4"],
    ["mk2", "k0", "ArrowUp", "k0"],
    ["plus", "k6", "ArrowDown", "z2"],
    ["plus", "z3", "ArrowUp", "k7"],
    ["akp05e", "k9", "ArrowDown", "z3"],
    ["akp05e", "k7", "ArrowDown", "z2"],
    ["akp05e", "z0", "ArrowUp", "k5"],
    ["neo", "k4", "ArrowDown", "z0"],
  ] as const) {
    it(`${key} goes from ${from} to ${to} on the ${model}`, () => {
      assert.equal(neighbour(slotsOf(model), from, key), to);
    });
  }

  it("leads to every slot of every model", () => {
    const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
    for (const { id } of MODELS) {
      const slots = slotsOf(id);
      const reached = new Set(slots.slice(0, 1).map(({ slot }) => slot));
      for (const from of reached) for (const key of keys) reached.add(neighbour(slots, from, key));
      assert.equal(reached.size, slots.length, id);
    }
  });
});
