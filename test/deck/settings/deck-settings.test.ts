import assert from "node:assert/strict";
import {
  type DeckImport,
  type DeckSettings,
  slotsOf,
} from "../../../appliance/deck/settings/deck-settings.ts";
import { allSlots, onePage } from "../../../appliance/deck/settings/pages.ts";
import { type DeckWorld, startWorld, telling } from "../../helpers/deck-world.ts";
import { FakeMini } from "../../helpers/fake-hid-elgato.ts";

describe("Decks", () => {
  let world: DeckWorld;

  beforeEach(async () => {
    world = await startWorld();
  });

  afterEach(() => world.decks.close());

  describe("that take settings over", () => {
    it("apply them to known decks and keep those of others for later", async () => {
      const id = await world.plug(new FakeMini("BL1"));
      await world.write(id, "k3", "stays");
      const saved: DeckSettings[] = [];
      const saves = world.saves;
      const pages = [{ slots: slotsOf({ k2: telling(2) }) }];
      const common = { model: "mini", brightness: 20, pages };
      const imported: DeckImport[] = [
        { ...common, id, serial: "BL1", name: "Here" },
        { ...common, id: "mini-bl2", serial: "BL2", name: "Later" },
      ];
      await world.decks.setUp.merge(imported, async (merged) => {
        saved.push(...merged);
        return async () => "";
      });
      assert.equal(world.saves, saves, "each is stored once, by who was handed them");
      assert.deepEqual(
        saved.map((settings) => [settings.id, allSlots(settings).length]),
        [
          [id, 4],
          ["mini-bl2", 1],
        ],
      );
      assert.deepEqual([world.deck(id).name, world.deck(id).brightness], ["Here", 20]);
      assert.deepEqual(world.deck(id).slots[2]?.widget, telling(2));
      assert.deepEqual(world.deck(id).slots[3]?.widget, { type: "text", text: "stays" });
      const other = new FakeMini("BL2");
      world.host.plug(other, { port: "1-2" });
      await world.until("both are there", () => world.ids().length === 2);
      assert.equal(world.deck("mini-bl2").name, "Later");
    });
  });

  describe("that are handed settings of which one is wrong", () => {
    it("take none of them over", async () => {
      const common = { model: "mini", serial: "", name: "Fine" };
      const imported: DeckImport[] = [
        { ...common, id: "mini-a", brightness: 50 },
        { ...common, id: "mini-b", brightness: 500 },
      ];
      const save = () => assert.fail("nothing is to be stored");
      await assert.rejects(world.decks.setUp.merge(imported, save), { code: "invalid_field" });
      assert.deepEqual(world.decks.list(), []);
    });
  });

  describe("whose settings cannot be stored", () => {
    it("show what they showed", async () => {
      const id = await world.plug(new FakeMini());
      await world.write(id, "k2", "before");
      const before = world.deck(id);
      const { revision } = world.decks.picture(id, "k2");
      world.isFull = true;
      const full = /full/;
      await assert.rejects(world.write(id, "k2", "after"), full);
      await assert.rejects(world.decks.setUp.update(id, { name: "Other", brightness: 5 }), full);
      const settings = { ...(world.saved.get(id) as DeckSettings), name: "Imported" };
      await assert.rejects(
        world.decks.setUp.merge([settings], () => Promise.reject(new Error("full"))),
        full,
      );
      assert.deepEqual(world.deck(id), before);
      assert.equal(world.decks.picture(id, "k2").revision, revision);
      world.isFull = false;
      await world.write(id, "k2", "after");
      assert.deepEqual(world.deck(id).slots[2]?.widget, { type: "text", text: "after" });
    });
  });

  describe("that are changed at the same time", () => {
    it("store and show every change", async () => {
      const id = await world.plug(new FakeMini());
      await Promise.all([
        world.write(id, "k2", "two"),
        world.decks.setUp.update(id, { name: "Desk" }),
        world.write(id, "k3", "three"),
        world.decks.setUp.update(id, { brightness: 5 }),
      ]);
      const { name, brightness, pages } = world.saved.get(id) as DeckSettings;
      const { k2, k3 } = pages[0]?.slots ?? {};
      assert.deepEqual(
        [name, brightness, k2?.widget, k3?.widget],
        ["Desk", 5, { type: "text", text: "two" }, { type: "text", text: "three" }],
      );
      assert.deepEqual(world.deck(id).slots[3]?.widget, k3?.widget);
    });
  });

  describe("when others have changed what is stored", () => {
    it("show that, and begin anew where nothing is stored", async () => {
      const here = await world.plug(new FakeMini("BL1"));
      const other = await world.plug(new FakeMini("BL2"), "1-2");
      const unit = new FakeMini("BL3");
      const gone = await world.plug(unit, "1-3");
      world.host.unplug(unit);
      for (const id of [here, other]) await world.write(id, "k3", "of today");
      const layout = onePage(slotsOf({ k2: telling(2) }));
      const restored = { ...(world.saved.get(here) as DeckSettings), ...layout };
      const known = { ...restored, id: "mini-bl4", serial: "BL4", name: "Known" };
      world.stored = [restored, known];
      const saves = world.saves;
      await world.decks.setUp.changes.reload();
      assert.equal(world.saves, saves, "what is stored is not stored again");
      const types = (id: string) => world.deck(id).slots.map(({ widget }) => widget.type);
      assert.deepEqual(types(here), ["empty", "empty", "text", "empty", "empty", "empty"]);
      assert.deepEqual(types(other), ["address", "clock", "empty", "empty", "empty", "empty"]);
      const ids = world.decks.list().map(({ id }) => id);
      assert.deepEqual(ids, [here, other, "mini-bl4"]);
      assert.ok(world.events.includes(`deck ${gone}`));
    });
  });
});
