import assert from "node:assert/strict";
import { type DeckWorld, startWorld } from "../helpers/deck-world.ts";
import { FakeMini } from "../helpers/fake-hid-elgato.ts";

const WORD = { type: "wifi", bottom: "", warns: false } as const;

describe("a deck of six keys, while the Wi-Fi is set up", () => {
  let world: DeckWorld;
  let id: string;
  let unit: FakeMini;
  beforeEach(async () => {
    world = await startWorld();
    unit = new FakeMini();
    id = await world.plug(unit);
    for (const { slot } of world.deck(id).slots) await world.write(id, slot, "mine");
  });
  afterEach(() => world.decks.close());

  const shot = (slot: string) => Buffer.from(world.shot(id, slot).data).toString("base64");

  it("shows all of it, and its own keys again afterwards", async () => {
    const mine = world.deck(id).slots.map(({ slot }) => shot(slot));
    world.notify([
      { type: "wifi-code", text: "WIFI:T:WPA;S:Tallydeck-7F3K;P:abqdefghjk;;", words: "" },
      { type: "wifi-code", text: "http://192.0.2.1/", words: "" },
      { ...WORD, top: "Password", main: "not accepted" },
      { ...WORD, top: "Wi-Fi", main: "Tallydeck-\u200b7F3K" },
      { ...WORD, top: "Key", main: "abqde\u200bfghjk" },
      { ...WORD, top: "Scan", main: "1st, then 2nd" },
    ]);
    const shown = world.deck(id).slots.map(({ slot }) => shot(slot));
    assert.equal(new Set(shown).size, 6);
    assert.ok(shown.every((picture, at) => picture !== mine[at]));
    world.notify([]);
    const found = world.deck(id).slots.map(({ slot }) => shot(slot));
    assert.deepEqual(found, mine);
  });

  it("begins on a press of its key alone, and that press does nothing else", async () => {
    let begun = 0;
    const pressed: string[] = [];
    world.decks.noticePressed.on(() => {
      begun += 1;
    });
    world.decks.gestures.on(({ slot }) => pressed.push(slot));
    world.notify([{ type: "wifi-begin" }]);
    for (const slot of ["k0", "k1"]) {
      unit.press(slot);
      await world.settle();
    }
    assert.deepEqual([begun, pressed], [1, ["k1"]]);
    world.notify([]);
    unit.press("k0");
    await world.settle();
    assert.deepEqual([begun, pressed], [1, ["k1", "k0"]]);
  });
});
