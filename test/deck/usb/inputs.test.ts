import assert from "node:assert/strict";
import { modelById } from "../../../appliance/deck/usb/models.ts";
import { type DeckWorld, startWorld } from "../../helpers/deck-world.ts";
import type { FakeUnit } from "../../helpers/fake-hid.ts";
import { FakeAkp05 } from "../../helpers/fake-hid-crt.ts";
import { FakePedal, neo, plus, plusXl, studio } from "../../helpers/fake-hid-elgato.ts";
import { seeded } from "../../helpers/seeded.ts";

describe("A deck with dials, buttons or touch points", () => {
  let world: DeckWorld;

  beforeEach(async () => {
    world = await startWorld();
  });

  afterEach(() => world.decks.close());

  /** Plugs it in, and forgets what that told. */
  async function plug<U extends FakeUnit>(unit: U): Promise<U> {
    await world.plug(unit);
    world.events.length = 0;
    return unit;
  }

  for (const [model, make] of Object.entries({
    plus,
    "plus-xl": plusXl,
    neo,
    studio,
    pedal: () => new FakePedal(),
    akp05e: () => new FakeAkp05(world.clock),
  })) {
    it(`tells of each under its own name, and of the keys beside them: ${model}`, async () => {
      const unit = await plug(make());
      const { slots = [], inputs = [] } = modelById(model) ?? {};
      const keys = slots.filter(({ kind }) => kind === "key").map(({ slot }) => slot);
      const places = [...keys, ...inputs.map(({ input }) => input)];
      for (const place of places) unit.press(place);
      assert.deepEqual(
        world.events,
        places.map((place) => `pressed ${place}`),
      );
      assert.deepEqual(
        world.releases,
        places.map((place) => `released ${place}`),
      );
      assert.deepEqual(unit.complaints, []);
    });
  }

  for (const [model, make] of Object.entries({
    plus,
    akp05e: () => new FakeAkp05(world.clock),
  })) {
    it(`tells how far each dial was turned: ${model}`, async () => {
      const unit = await plug(make());
      unit.turn("d0", 3);
      unit.turn("d3", -2);
      await world.settle();
      assert.deepEqual(world.events, ["turned d0 3", "turned d3 -2"]);
    });

    it(`tells once of steps that come in a burst, and nothing of a turn there and back: ${model}`, async () => {
      const unit = await plug(make());
      for (const steps of [1, 2, 1, -1]) unit.turn("d1", steps);
      for (const steps of [4, -4]) unit.turn("d2", steps);
      await world.settle();
      unit.turn("d1", 1);
      await world.settle();
      assert.deepEqual(world.events, ["turned d1 3", "turned d1 1"]);
    });

    it(`tells of a turn before the press that follows it: ${model}`, async () => {
      const unit = await plug(make());
      unit.turn("d1", 1);
      unit.press("d1");
      unit.turn("d1", 1);
      unit.swipe("left");
      await world.settle();
      assert.deepEqual(world.events, ["turned d1 1", "pressed d1", "turned d1 1", "swiped left"]);
    });

    it(`tells which way a finger went over its strip: ${model}`, async () => {
      const unit = await plug(make());
      unit.swipe("left");
      unit.swipe("right");
      assert.deepEqual(world.events, ["swiped left", "swiped right"]);
    });
  }

  it("tells apart dials that are turned and pressed in one report", async () => {
    const unit = await plug(plus());
    unit.turnAll({ d0: -128, d1: 127, d3: 1 });
    await world.settle();
    unit.down("d0");
    unit.down("d2");
    unit.up("d0");
    unit.up("d2");
    assert.deepEqual(world.events, [
      "turned d0 -128",
      "turned d1 127",
      "turned d3 1",
      "pressed d0",
      "pressed d2",
    ]);
    assert.deepEqual(world.releases, ["released d0", "released d2"]);
  });

  it("takes a finger that goes up or down the strip for no swipe", async () => {
    const unit = await plug(plus());
    unit.slide([400, 90], [405, 5]);
    unit.slide([400, 50], [400, 50]);
    assert.deepEqual(world.events, []);
  });

  it("is held where the firmware tells when it is let go", async () => {
    const pedal = await plug(new FakePedal());
    pedal.down("b1");
    await world.pass(5_100);
    pedal.up("b1");
    assert.deepEqual([world.events, world.releases], [["pressed b1", "held b1"], ["released b1"]]);
  });

  it("is not held where it does not", async () => {
    const unit = await plug(new FakeAkp05(world.clock));
    unit.down("d1");
    await world.pass(10_000);
    assert.deepEqual([world.events, world.releases], [["pressed d1"], ["released d1"]]);
  });

  it("lets nobody take it for let go when it is pulled out", async () => {
    const unit = await plug(plus());
    unit.down("d2");
    unit.press("k0");
    world.host.unplug(unit);
    assert.deepEqual(world.releases, ["released k0", "lost d2"]);
  });

  it("is listed with what it has, though it may show nothing", async () => {
    const id = await world.plug(new FakePedal("A00E1A00001X"));
    const { slots, inputs, connected } = world.deck(id);
    assert.deepEqual([id, slots, connected], ["pedal-a00e1a00001x", [], true]);
    assert.deepEqual(inputs[2], {
      input: "b2",
      kind: "button",
      column: 2,
      row: 0,
      canPress: true,
      hasRelease: true,
      widget: { type: "empty" },
    });
    world.notify([{ type: "setup-code", code: "123456" }]);
    await world.decks.setUp.update(id, { name: "Under the desk", brightness: 10 });
    assert.deepEqual(world.saved.get(id)?.pages, [{ name: "Page 1", slots: {} }]);
  });

  for (const [model, make] of Object.entries({
    plus,
    neo,
    pedal: () => new FakePedal(),
    akp05e: () => new FakeAkp05(world.clock),
  })) {
    it(`makes nothing up from noise, and still listens after it: ${model}`, async () => {
      const unit = await plug(make());
      const { random } = seeded(unit.product);
      const byte = () => Math.floor(random() * 256);
      for (let count = 0; count < 2_000; count += 1) {
        const report = Buffer.from(Array.from({ length: Math.floor(random() * 24) }, byte));
        if (report.length > 1 && random() < 0.8) report.set([0x01, byte() & 3]);
        if (report.length > 10 && random() < 0.3) report.set([0x41, 0x43, 0x4b]);
        unit.send(report);
      }
      await world.settle();
      const { slots = [], inputs = [] } = modelById(model) ?? {};
      const known = new Set([
        ...slots.map(({ slot }) => slot),
        ...inputs.map(({ input }) => input),
        "left",
        "right",
      ]);
      const told = world.events.map((event) => event.split(" ")[1] ?? "");
      const found = told.filter((place) => !known.has(place));
      assert.deepEqual(found, []);
      assert.ok(world.events.every((event) => !event.includes("NaN")));
      const place = inputs.at(-1)?.input ?? "";
      unit.press(place);
      world.events.length = 0;
      unit.press(place);
      assert.deepEqual(world.events, [`pressed ${place}`]);
    });
  }
});
