import assert from "node:assert/strict";
import { type DeckWorld, startWorld, telling } from "../helpers/deck-world.ts";
import { FakeCrt, MIRABOX_293S, MIRABOX_293V3 } from "../helpers/fake-hid-crt.ts";
import { FakeMini, mk2, plus } from "../helpers/fake-hid-elgato.ts";
import { decode, difference } from "../helpers/pictures.ts";

describe("Decks", () => {
  let world: DeckWorld;

  beforeEach(async () => {
    world = await startWorld();
  });

  afterEach(() => world.decks.close());

  describe("when one is plugged in", () => {
    it("list it with its slots", async () => {
      const id = await world.plug(new FakeMini("BL1"));
      const { slots, pages, fixed, ...deck } = world.deck(id);
      assert.deepEqual(deck, {
        id: "mini-bl1",
        model: "mini",
        name: "Elgato Stream Deck Mini",
        serial: "BL1",
        connected: true,
        virtual: false,
        brightness: 70,
        evidence: "SRC",
        inputs: [],
        hasStrip: false,
        sleep: { afterMinutes: null, night: null },
        homeAfterSeconds: null,
        page: 0,
        asleep: false,
      });
      assert.deepEqual([pages.map(({ name }) => name), fixed], [["Page 1"], {}]);
      assert.deepEqual(slots[4], {
        slot: "k4",
        kind: "key",
        column: 1,
        row: 1,
        canPress: true,
        hasRelease: true,
        width: 80,
        height: 80,
        widget: { type: "empty" },
      });
    });

    it("say where the Web UI is and what time it is", async () => {
      const id = await world.plug(new FakeMini());
      const widgets = world.deck(id).slots.map(({ widget }) => widget.type);
      assert.deepEqual(widgets, ["address", "clock", "empty", "empty", "empty", "empty"]);
    });

    it("find one that was there before they started", async () => {
      const other = await startWorld();
      const mini = new FakeMini();
      world.host.plug(mini);
      await other.decks.close();
      await world.until("it is connected", () => world.ids().length === 1);
    });

    it("wait for a hidraw node that comes late", async () => {
      const mini = new FakeMini();
      world.host.plug(mini, { nodeAfterMs: 650 });
      await world.pass(2_000);
      assert.deepEqual(world.ids(), ["mini-bl19h1a00001"]);
      assert.deepEqual(world.decks.problems(), []);
    });

    it("let what is no deck alone", async () => {
      const mouse = new FakeMini();
      Object.defineProperty(mouse, "vendor", { value: 0x046d });
      world.host.plug(mouse);
      await world.pass(1_000);
      assert.deepEqual([world.decks.list(), world.host.open.size], [[], 0]);
    });
  });

  describe("when one is pulled out and comes back", () => {
    it("keep its settings and paint it whole", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      for (const [index, { slot }] of world.deck(id).slots.entries()) {
        await world.decks.setUp.setSlot(id, slot, { widget: telling(index) });
      }
      await world.decks.setUp.update(id, { name: "Desk", brightness: 40 });
      world.host.unplug(unit);
      assert.equal(world.deck(id).connected, false);
      world.host.plug(unit, { port: "1-2" });
      await world.until("it is back", () => world.deck(id).connected);
      await world.painted(unit);
      assert.deepEqual([world.deck(id).name, unit.brightness], ["Desk", 40]);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("notice it though nobody says that it left", async () => {
      const unit = mk2();
      await world.plug(unit);
      world.host.unplug(unit, { quietly: true });
      assert.deepEqual(world.ids(), []);
      world.host.plug(unit);
      await world.until("it is back", () => world.ids().length === 1);
      assert.equal(world.host.open.size, 1);
    });

    it("know it again after a restart", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      await world.write(id, "k5", "mine");
      const later = await startWorld({ stored: [...world.saved.values()] });
      const [deck] = later.decks.list();
      assert.deepEqual([deck?.id, deck?.connected], [id, false]);
      assert.deepEqual(deck?.slots[5]?.widget, { type: "text", text: "mine" });
      await later.decks.close();
    });
  });

  describe("of which there are several", () => {
    it("are called by the serial number of USB where their memory has none", async () => {
      for (const none of ["", "\0".repeat(12), "0".repeat(12), "\xff".repeat(12), " ".repeat(9)]) {
        const unit = new FakeMini("BL7");
        Object.defineProperty(unit, "serial", { value: none });
        const leave = world.host.plug(unit, { port: "1-3" });
        await world.until("it is there", () => world.ids().includes("mini-bl7"));
        assert.equal(world.deck("mini-bl7").serial, "BL7");
        world.host.unplug(unit);
        await world.until("it is gone", () => !world.deck("mini-bl7").connected);
        leave();
      }
      const found = world.decks.list().map(({ id }) => id);
      assert.deepEqual(found, ["mini-bl7"]);
    });

    it("tell two units of one serial number apart by their ports", async () => {
      const [left, right] = [new FakeCrt(MIRABOX_293S), new FakeCrt(MIRABOX_293S)];
      const ids = [await world.plug(left, "1-1.2"), await world.plug(right, "1-1.3")];
      assert.deepEqual(ids, ["mirabox-293s-usb-1-1-2", "mirabox-293s-usb-1-1-3"]);
      await world.write("mirabox-293s-usb-1-1-2", "k0", "left");
      await world.write("mirabox-293s-usb-1-1-3", "k0", "right");
      await world.painted(left);
      await world.painted(right);
      assert.deepEqual(await world.wrongSlots("mirabox-293s-usb-1-1-2", left), []);
      assert.deepEqual(await world.wrongSlots("mirabox-293s-usb-1-1-3", right), []);
    });

    it("keep apart two units that should not have one serial number, but have", async () => {
      await world.plug(mk2("SAME"), "1-1");
      await world.plug(mk2("SAME"), "1-2");
      assert.deepEqual(world.ids(), ["mk2-same", "mk2-usb-1-2"]);
      const names = world.decks.list().map(({ name }) => name);
      assert.deepEqual(names, ["Elgato Stream Deck MK.2", "Elgato Stream Deck MK.2 2"]);
    });

    it("do not let one that hangs hold up another", async () => {
      const [slow, quick] = [mk2("SLOW"), mk2("QUICK")];
      const slowId = await world.plug(slow, "1-1");
      const quickId = await world.plug(quick, "1-2");
      const release = slow.stall();
      await world.write(slowId, "k0", "waits");
      await world.write(quickId, "k0", "shows");
      await world.painted(quick);
      assert.deepEqual(await world.wrongSlots(quickId, quick), []);
      release();
    });
  });

  describe("of which a key is pressed", () => {
    it("say so", async () => {
      const unit = mk2();
      await world.plug(unit);
      world.events.length = 0;
      unit.press("k7");
      assert.deepEqual(world.events, ["pressed k7"]);
    });

    it("say when it was held for five seconds", async () => {
      const unit = mk2();
      await world.plug(unit);
      world.events.length = 0;
      unit.down("k7");
      await world.pass(4_900);
      assert.deepEqual(world.events, ["pressed k7"]);
      await world.pass(200);
      assert.deepEqual(world.events, ["pressed k7", "held k7"]);
    });

    it("forget a hold when the key goes up or the deck goes away", async () => {
      const unit = mk2();
      await world.plug(unit);
      unit.down("k7");
      await world.pass(3_000);
      unit.up("k7");
      unit.down("k8");
      world.host.unplug(unit);
      await world.pass(6_000);
      const left = world.events.filter((event) => event.startsWith("held"));
      assert.deepEqual(left, []);
    });

    it("never take a press for a hold on a deck that does not report key-up", async () => {
      const unit = new FakeCrt(MIRABOX_293S);
      await world.plug(unit);
      unit.down("k7");
      await world.pass(10_000);
      assert.ok(!world.events.includes("held k7"));
    });

    it("take a touch of the strip for a press of its zone", async () => {
      const unit = plus();
      await world.plug(unit);
      world.events.length = 0;
      unit.touch(10, 50);
      unit.touch(799, 50);
      assert.deepEqual(world.events, ["pressed z0", "pressed z3"]);
    });
  });

  describe("that are virtual", () => {
    let virtual: DeckWorld;

    beforeEach(async () => {
      virtual = await startWorld({ virtualDecks: ["mini", "plus", "mini"], hasUsb: false });
    });

    afterEach(() => virtual.decks.close());

    it("are connected from the start, each with its own id", () => {
      assert.deepEqual(virtual.ids(), ["virtual-mini", "virtual-plus", "virtual-mini-2"]);
    });

    it("have a picture at their slot's size", async () => {
      await virtual.decks.setUp.setSlot("virtual-plus", "z1", { widget: telling(3) });
      const png = await decode(virtual.decks.png("virtual-plus", "z1"));
      assert.ok(png);
      assert.deepEqual([png.width, png.height], [200, 100]);
      assert.equal(difference(png, virtual.decks.picture("virtual-plus", "z1").pixels), 0);
    });

    it("can be pressed", () => {
      virtual.decks.press("virtual-mini", "k5");
      assert.ok(virtual.events.includes("pressed k5"));
    });

    it("can be held, turned and swiped over", async () => {
      virtual.events.length = 0;
      virtual.decks.press("virtual-plus", "d3", { turn: -2 });
      virtual.decks.swipe("virtual-plus", "left");
      virtual.decks.press("virtual-plus", "d3", { hold: true });
      assert.deepEqual(virtual.releases, []);
      await virtual.pass(1_100);
      assert.deepEqual(virtual.events, ["turned d3 -2", "swiped left", "pressed d3"]);
      assert.deepEqual(virtual.releases, ["released d3"]);
    });

    it("are turned and swiped over only where there is something to", () => {
      const { decks } = virtual;
      assert.throws(() => decks.press("virtual-plus", "k0", { turn: 1 }), {
        code: "invalid_field",
      });
      assert.throws(() => decks.swipe("virtual-mini", "left"), { code: "not_found" });
    });

    it("count for a channel", async () => {
      await virtual.bind("virtual-plus", "z0", "build");
      assert.equal(virtual.decks.bound("build"), 1);
    });

    it("keep what was set when they are asked for again", async () => {
      await virtual.decks.setUp.update("virtual-mini-2", { name: "Second" });
      const again = await startWorld({
        virtualDecks: ["mini", "mini"],
        stored: [...virtual.saved.values()],
      });
      const names = again.decks.list().map(({ name }) => name);
      assert.deepEqual(names, ["Elgato Stream Deck Mini", "Second"]);
      await again.decks.close();
    });

    it("work where there is no USB, which is said", () => {
      const codes = virtual.decks.problems().map(({ code }) => code);
      assert.deepEqual(codes, ["no_usb"]);
    });
  });

  describe("that are asked for what is not there", () => {
    it("say which deck or slot is missing", async () => {
      const id = await world.plug(new FakeMini());
      const missing = { name: "Refusal", code: "not_found" };
      await assert.rejects(world.write("nowhere", "k0", "x"), missing);
      await assert.rejects(world.write(id, "k6", "x"), missing);
      await assert.rejects(world.decks.setUp.update("nowhere", { name: "x" }), missing);
      assert.throws(() => world.decks.png(id, "z0"), missing);
      assert.throws(() => world.decks.press(id, "k9"), missing);
    });

    it("change nothing when one field is wrong", async () => {
      const id = await world.plug(new FakeMini());
      const invalid = { code: "invalid_field" };
      const before = world.deck(id);
      for (const brightness of [-1, 101, 0.5, Number.NaN]) {
        await assert.rejects(world.decks.setUp.update(id, { name: "Desk", brightness }), invalid);
      }
      for (const name of ["", "   ", "x".repeat(41)]) {
        await assert.rejects(world.decks.setUp.update(id, { name, brightness: 5 }), invalid);
      }
      assert.deepEqual(world.deck(id), before);
    });

    it("are pressed from the Web UI as by a finger, real decks, too", async () => {
      const id = await world.plug(new FakeMini());
      world.decks.press(id, "k0");
      assert.equal(world.events.at(-1), "pressed k0");
    });

    it("show over a key what came of a press, on the page it was made on", async () => {
      const id = await world.plug(new FakeMini());
      await world.write(id, "k0", "Door");
      await world.decks.setUp.addPage(id);
      const shown = () => Buffer.from(world.decks.png(id, "k0"));
      const [before, at] = [shown(), { deck: id, slot: "k0", page: 0 }];
      world.decks.showFeedback(at, { state: "done" });
      assert.notDeepEqual(shown(), before);
      world.decks.showPage(id, "next");
      const other = shown();
      world.decks.showFeedback({ ...at, page: 1 }, undefined);
      assert.deepEqual(shown(), other);
      world.decks.showPage(id, "next");
      assert.notDeepEqual(shown(), before);
      world.decks.showFeedback(at, undefined);
      assert.deepEqual(shown(), before);
    });

    it("tell a short press from a long one where the long one means something", async () => {
      const id = await world.plug(new FakeMini());
      const made: string[] = [];
      world.decks.gestures.on(({ slot, kind, page }) => made.push(`${kind} ${slot} ${page}`));
      await world.decks.setUp.setSlot(id, "k1", { hold: { do: "sleep" } });
      world.decks.press(id, "k0");
      world.decks.press(id, "k1");
      world.decks.press(id, "k1", { hold: true });
      await world.pass(500);
      assert.deepEqual(made, ["press k0 0", "press k1 0", "hold k1 0"]);
    });

    it("make nothing of the press that wakes them", async () => {
      const id = await world.plug(new FakeMini());
      const made: string[] = [];
      world.decks.gestures.on(({ kind }) => made.push(kind));
      world.decks.setAsleep(id, true);
      world.decks.press(id, "k0");
      assert.deepEqual(made, []);
      world.decks.press(id, "k0");
      assert.deepEqual(made, ["press"]);
    });
  });

  describe("that stop", () => {
    it("do not fail when what watches USB does", async () => {
      const other = await startWorld({ failsToStop: true });
      await other.decks.close();
      assert.match(other.log.join(), /A deck could not be let go: .*busy/);
    });

    it("leave the panel dark and nothing behind", async () => {
      const unit = mk2();
      await world.plug(unit);
      await world.decks.close();
      assert.equal(await unit.shown("k0"), undefined);
      const { waiting } = world.clock;
      assert.deepEqual([world.host.open.size, world.host.listeners, waiting.size], [0, 0, 0]);
    });

    it("leave on the panel what is to be seen while the box is away, and nothing else", async () => {
      const words = { top: "Updating", main: "back in 2 min", bottom: "", sentence: "" };
      for (const unit of [mk2(), new FakeCrt(MIRABOX_293V3)]) {
        const other = await startWorld();
        const id = await other.plug(unit);
        other.notify([{ type: "update", weight: "away", ...words }]);
        await other.painted(unit);
        const { pixels } = other.decks.picture(id, "k2");
        await other.decks.close();
        const left = await unit.shown("k2");
        assert.ok(left && difference(left, pixels) < 2);
        assert.equal(await unit.shown("k0"), undefined);
        assert.equal(await unit.shown("k3"), undefined);
      }
    });

    it("do not finish a page first", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      for (const { slot } of world.deck(id).slots) await world.bind(id, slot, "all");
      await world.painted(unit);
      unit.received.length = 0;
      const release = unit.stall();
      world.channels.set("all", { text: "a page" });
      await world.settle();
      const stopped = world.decks.close();
      release();
      await stopped;
      assert.equal(unit.received.length, 1);
    });

    it("do not wait for one that never answers its farewell", async () => {
      const unit = mk2();
      await world.plug(unit);
      unit.stall();
      let stopped = false;
      void world.decks.close().then(() => {
        stopped = true;
      });
      await world.pass(2_100);
      assert.ok(stopped);
    });

    it("do not wait for one that hangs", async () => {
      const unit = mk2();
      const id = await world.plug(unit);
      unit.stall();
      await world.write(id, "k0", "never");
      let stopped = false;
      void world.decks.close().then(() => {
        stopped = true;
      });
      await world.pass(2_100);
      assert.ok(stopped);
    });
  });
});
