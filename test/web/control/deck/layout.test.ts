import assert from "node:assert/strict";
import { placeName } from "../../../../appliance/base/text/place-name.ts";
import type { PlaceView } from "../../../../appliance/control/wire.ts";
import { MODELS, modelById } from "../../../../appliance/deck/usb/models.ts";
import { bandsOf, idOf, neighbour, placesOf } from "../../../../web/control/deck/layout.ts";

function placesOn(id: string): PlaceView[] {
  const model = modelById(id);
  if (model === undefined) throw new Error(`there is no model ${id}`);
  const { slots, inputs } = model;
  return placesOf({
    slots: slots.map((slot) => ({ ...slot, widget: { type: "empty" } })),
    inputs: inputs.map((input) => ({ ...input, widget: { type: "empty" } })),
  });
}

function rowsOf(id: string): string[] {
  return bandsOf(placesOn(id)).map(({ cells }) => cells.map(({ place }) => idOf(place)).join(" "));
}

describe("a deck on the page", () => {
  it("has its keys in rows", () => {
    assert.deepEqual(rowsOf("mk2"), ["k0 k1 k2 k3 k4", "k5 k6 k7 k8 k9", "k10 k11 k12 k13 k14"]);
  });

  it("has a touch strip below them, and dials below that", () => {
    assert.deepEqual(rowsOf("plus"), ["k0 k1 k2 k3", "k4 k5 k6 k7", "z0 z1 z2 z3", "d0 d1 d2 d3"]);
  });

  it("has touch points and dials where they are, and buttons alone", () => {
    assert.equal(rowsOf("neo").at(-1), "t0 z0 t1");
    assert.match(rowsOf("studio").at(0) ?? "", /^d0 k0 .* k15 d1$/);
    assert.deepEqual(rowsOf("pedal"), ["b0 b1 b2"]);
  });

  it("has its keys one below another, though there are dials beside some", () => {
    const [upper, lower] = bandsOf(placesOn("studio"));
    assert.deepEqual([upper?.share, lower?.share], [1, 16 / 18]);
  });

  it("has side zones beside them", () => {
    assert.deepEqual(rowsOf("mirabox-293s").at(0), "k0 k1 k2 k3 k4 z0");
  });

  it("has a strip as wide as its keys, a small panel no wider than it is", () => {
    const shares = bandsOf(placesOn("akp05e")).map(({ share }) => share);
    assert.deepEqual(shares, [1, 1, 1, 1]);
    const [panel] = bandsOf(placesOn("neo")).slice(-1);
    const weights = panel?.cells.map(({ weight }) => weight);
    assert.deepEqual(weights, [68, 248, 68]);
  });

  it("shows every slot and input of every model once", () => {
    for (const { id } of MODELS) {
      const shown = rowsOf(id).join(" ").split(" ").sort();
      assert.deepEqual(shown, placesOn(id).map(idOf).sort(), id);
    }
  });

  it("names what lies on it as people count it", () => {
    const names = ["plus", "neo", "pedal"].map((id) =>
      placesOn(id).map((place) => placeName(idOf(place))),
    );
    const found = names.map((each) => each.at(-1));
    assert.deepEqual(found, ["Dial 4", "Touch point 2", "Button 3"]);
    assert.deepEqual([names[0]?.[0], names[0]?.[11]], ["Key 1", "Zone 4"]);
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
    ["plus", "z1", "ArrowDown", "d1"],
    ["neo", "k4", "ArrowDown", "t0"],
    ["neo", "t0", "ArrowRight", "z0"],
    ["pedal", "b0", "ArrowRight", "b1"],
  ] as const) {
    it(`${key} goes from ${from} to ${to} on the ${model}`, () => {
      assert.equal(neighbour(placesOn(model), from, key), to);
    });
  }

  it("leads to every slot and input of every model", () => {
    const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
    for (const { id } of MODELS) {
      const places = placesOn(id);
      const reached = new Set(places.slice(0, 1).map(idOf));
      for (const from of reached) for (const key of keys) reached.add(neighbour(places, from, key));
      assert.equal(reached.size, places.length, id);
    }
  });
});
