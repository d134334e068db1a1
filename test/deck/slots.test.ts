import assert from "node:assert/strict";
import type { Widget } from "../../appliance/deck/face/widget.ts";
import { type DeckWorld, startWorld } from "../helpers/deck-world.ts";
import { FakeCrt, MIRABOX_293V3 } from "../helpers/fake-hid-crt.ts";
import { FakeMini, mk2 } from "../helpers/fake-hid-elgato.ts";
import { difference } from "../helpers/pictures.ts";
import { heldByEach } from "./pictures.ts";

describe("The slots of a deck", () => {
  let world: DeckWorld;

  beforeEach(async () => {
    world = await startWorld();
  });

  afterEach(() => world.decks.close());
  /** A deck whose fourth key shows a channel. */
  const showing = async (channel: string) => {
    const unit = mk2();
    const id = await world.plug(unit);
    await world.bind(id, "k3", channel);
    return { unit, id };
  };

  describe("while nothing changes", () => {
    it("send nothing", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      await world.write(id, "k0", "in place of the address, which turns");
      await world.write(id, "k1", "hello");
      await world.painted(unit);
      const { writes } = unit;
      await world.write(id, "k1", "hello");
      await world.pass(40_000);
      assert.equal(unit.writes, writes);
    });

    it("do not send a picture again that another text makes as well", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      await world.write(id, "k1", "hello");
      await world.painted(unit);
      const { writes } = unit;
      await world.write(id, "k1", "hello ");
      await world.painted(unit);
      assert.equal(unit.writes, writes);
    });
  });

  describe("when a channel gets a value", () => {
    it("paint the slots that show it, and no other", async () => {
      const { unit, id } = await showing("build");
      await world.bind(id, "k9", "build");
      await world.painted(unit);
      unit.received.length = 0;
      world.channels.set("build", { text: "green" });
      await world.painted(unit);
      assert.deepEqual(unit.received, ["k3", "k9"]);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("hold the picture that shows, and none that was there before", async () => {
      const { unit, id } = await showing("build");
      const { data } = world.decks.picture(id, "k3").pixels;
      const bytes = data.length;
      const held = await heldByEach(100, async (n) => {
        world.channels.set("build", { text: `${n}` });
        await world.painted(unit);
      });
      assert.ok(held < bytes, `${held} bytes for each, of a picture of ${bytes}`);
      assert.equal(data.length, 0);
    });

    it("drop a picture that waits for the one that replaces it", async () => {
      const { unit, id } = await showing("build");
      await world.painted(unit);
      unit.received.length = 0;
      const release = unit.stall();
      for (const text of ["first", "second", "third"]) {
        world.channels.set("build", { text });
        await world.settle();
      }
      release();
      await world.painted(unit);
      assert.deepEqual(unit.received, ["k3", "k3"]);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("commit a CRT deck once for a whole page", async () => {
      const unit = new FakeCrt(MIRABOX_293V3);
      const id = await world.plug(unit);
      for (const { slot } of world.deck(id).slots) await world.bind(id, slot, "all");
      await world.painted(unit);
      [unit.commits, unit.received.length] = [0, 0];
      world.channels.set("all", { text: "now" });
      await world.painted(unit);
      assert.deepEqual([unit.received.length, unit.commits], [15, 1]);
    });

    it("count the keys and zones that show it on connected decks", async () => {
      const { unit, id } = await showing("build");
      await world.bind(id, "k9", "build");
      assert.equal(world.decks.bound("build"), 2);
      world.host.unplug(unit);
      assert.equal(world.decks.bound("build"), 0);
    });

    it("show it on a deck that comes later", async () => {
      const { unit, id } = await showing("build");
      world.host.unplug(unit);
      world.channels.set("build", { text: "green" });
      world.host.plug(unit);
      await world.until("it is back", () => world.ids().length === 1);
      await world.painted(unit);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("dim it when it expires", async () => {
      const { unit, id } = await showing("build");
      world.channels.set("build", { text: "green", ttl: 2 });
      await world.painted(unit);
      const [live, { revision }] = [world.shot(id, "k3"), world.decks.picture(id, "k3")];
      await world.pass(2_100);
      const expired = world.decks.picture(id, "k3");
      assert.ok(expired.revision > revision);
      assert.ok(difference(expired.pixels, live) > 1);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });
  });

  describe("with something to say", () => {
    it("put a notice on an empty slot, and take it away again", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      const before = world.shot(id, "k2");
      world.notify([{ type: "setup-code", code: "123456" }]);
      await world.painted(unit);
      assert.ok(difference(world.decks.picture(id, "k2").pixels, before) > 1);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
      world.notify([]);
      await world.painted(unit);
      assert.equal(difference(world.decks.picture(id, "k2").pixels, before), 0);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("leave the address readable when no slot is empty", async () => {
      const id = await world.plug(new FakeMini());
      for (const slot of ["k1", "k2", "k3", "k4", "k5"]) await world.write(id, slot, "mine");
      const address = world.decks.picture(id, "k0");
      const mine = world.decks.picture(id, "k1");
      world.notify([{ type: "setup-code", code: "123456" }]);
      assert.equal(world.decks.picture(id, "k0").revision, address.revision);
      assert.ok(world.decks.picture(id, "k1").revision > mine.revision);
    });

    it("keep what can wait from slots that show something", async () => {
      const words = { top: "Update", main: "0.3.0", bottom: "ready", sentence: "" };
      const hint = { type: "update", weight: "hint", ...words } as const;
      const id = await world.plug(new FakeMini());
      const revisions = () =>
        world.deck(id).slots.map(({ slot }) => world.decks.picture(id, slot).revision);
      const empty = revisions();
      world.notify([hint]);
      assert.notDeepEqual(revisions(), empty);
      for (const slot of ["k1", "k2", "k3", "k4", "k5"]) await world.write(id, slot, "mine");
      world.notify([]);
      const full = revisions();
      world.notify([hint]);
      assert.deepEqual(revisions(), full);
      world.notify([{ ...hint, weight: "warning" }]);
      assert.notDeepEqual(revisions(), full);
    });
  });

  describe("that show numbers", () => {
    const views = { type: "stat", site: "blog", metric: "pv", period: "day" } as const;

    it("show them as they change", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      world.count("blog", "pv", "day", 7);
      await world.decks.setUp.setSlot(id, "k4", { widget: views });
      await world.painted(unit);
      const seven = world.shot(id, "k4");
      await world.pass(1_000);
      world.count("blog", "pv", "day", 8_000);
      await world.painted(unit);
      assert.ok(difference(world.decks.picture(id, "k4").pixels, seven) > 1);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("keep the last one while none can be read, and go on", async () => {
      const id = await world.plug(mk2());
      world.count("blog", "pv", "day", 7);
      await world.decks.setUp.setSlot(id, "k4", { widget: views });
      await world.pass(1_000);
      const { revision } = world.decks.picture(id, "k4");
      world.isUnreadable = true;
      world.count("blog", "pv", "day", 8);
      await world.pass(1_000);
      assert.equal(world.decks.picture(id, "k4").revision, revision);
      world.isUnreadable = false;
      world.count("blog", "pv", "day", 9);
      await world.pass(1_000);
      assert.equal(world.decks.picture(id, "k4").revision, revision + 1);
    });

    it("look at most once a second, and miss no last change", async () => {
      const id = await world.plug(mk2());
      await world.decks.setUp.setSlot(id, "k4", { widget: views });
      await world.pass(3_000);
      const { revision } = world.decks.picture(id, "k4");
      for (let value = 1; value <= 900; value += 100) {
        world.count("blog", "pv", "day", value);
        await world.settle();
      }
      assert.equal(world.decks.picture(id, "k4").revision, revision + 1);
      await world.pass(1_100);
      assert.equal(world.decks.picture(id, "k4").revision, revision + 2);
    });
  });

  describe("that show time", () => {
    it("turn a clock with the minute", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      const noon = world.decks.picture(id, "k1");
      await world.pass(59_900, 1_000);
      assert.equal(world.decks.picture(id, "k1").revision, noon.revision);
      await world.pass(200);
      assert.equal(world.decks.picture(id, "k1").revision, noon.revision + 1);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("count the minutes that a channel is late, and tell when it is down", async () => {
      const { unit, id } = await showing("backup");
      world.channels.set("backup", { text: "ok", period: 600, grace: 600 });
      await world.painted(unit);
      await world.pass(600_000);
      await world.painted(unit);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
      const paintings = () => unit.received.filter((slot) => slot === "k3").length;
      const before = paintings();
      await world.pass(300_000);
      await world.painted(unit);
      assert.ok(paintings() > before);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
      await world.pass(300_000);
      assert.equal(world.channels.get("backup")?.state, "down");
      await world.painted(unit);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("set a clock soon after the machine's is set", async () => {
      const id = await world.plug(mk2());
      const { revision } = world.decks.picture(id, "k1");
      world.time.setWall(Date.UTC(2027, 0, 1, 9, 30, 20));
      await world.pass(5_100);
      assert.equal(world.decks.picture(id, "k1").revision, revision + 1);
    });

    it("show no time before the clock is sure", async () => {
      const unsure = await startWorld({ sure: false });
      const id = await unsure.plug(mk2());
      const { revision } = unsure.decks.picture(id, "k1");
      unsure.time.becomeSure();
      assert.equal(unsure.decks.picture(id, "k1").revision, revision + 1);
      await unsure.decks.close();
    });
  });
});

describe("The keys of a virtual deck", () => {
  const ID = "virtual-mk2";
  let world: DeckWorld;
  beforeEach(async () => {
    world = await startWorld({ virtualDecks: ["mk2"] });
  });
  afterEach(() => world.decks.close());

  const shown = () => world.decks.png(ID, "k2");

  it("let a rule go only once the number has come back, also after another page was shown", async () => {
    const rules = [{ above: 30, background: "#b91c1c" }];
    const widget: Widget = { type: "push", channel: "attic", rules, hysteresis: 1 };
    await world.decks.setUp.setSlot(ID, "k2", { widget });
    await world.decks.setUp.addPage(ID, "Other");
    const of = (text: string) => {
      world.channels.set("attic", { text });
      return shown();
    };
    const near = of("29.5");
    of("31");
    world.decks.showPage(ID, "next");
    world.decks.showPage(ID, "previous");
    assert.notDeepEqual(of("29.5"), near);
    of("28");
    assert.deepEqual(of("29.5"), near);
  });

  it("count down by the second until a value expires", async () => {
    await world.decks.setUp.setSlot(ID, "k2", { widget: { type: "countdown", channel: "attic" } });
    world.channels.set("attic", { text: "x", ttl: 10 });
    const seen = new Set<string>();
    for (let second = 0; second < 12; second++) {
      seen.add(Buffer.from(shown()).toString("latin1"));
      await world.pass(1_000);
    }
    assert.equal(seen.size, 11);
  });
});
