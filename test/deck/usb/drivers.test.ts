import assert from "node:assert/strict";
import { modelById } from "../../../appliance/deck/usb/models.ts";
import { type DeckWorld, startWorld, telling } from "../../helpers/deck-world.ts";
import type { FakeUnit } from "../../helpers/fake-hid.ts";
import { UNITS } from "../../helpers/fake-hid-units.ts";

for (const [model, make] of Object.entries(UNITS)) {
  describe(`The driver of ${model}`, () => {
    let world: DeckWorld;
    let unit: FakeUnit;
    let deck: string;

    beforeEach(async () => {
      world = await startWorld();
      unit = make(world.clock);
      deck = await world.plug(unit);
    });

    afterEach(async () => {
      await world.decks.close();
      assert.deepEqual(unit.complaints, []);
    });

    const slots = modelById(model)?.slots ?? [];

    it("shows every slot's picture upright in its place", async () => {
      for (const [index, { slot }] of slots.entries()) {
        await world.decks.setUp.setSlot(deck, slot, { widget: telling(index) });
      }
      await world.painted(unit);
      assert.deepEqual(await world.wrongSlots(deck, unit), []);
    });

    it("reports each key under its own name", () => {
      const keys = slots.filter(({ kind }) => kind === "key").map(({ slot }) => slot);
      world.events.length = 0;
      for (const key of keys) unit.press(key);
      assert.deepEqual(
        world.events,
        keys.map((key) => `pressed ${key}`),
      );
    });

    it("sets the brightness", async () => {
      await world.decks.setUp.update(deck, { brightness: 35 });
      await world.painted(unit);
      assert.equal(unit.brightness, 35);
    });
  });
}
