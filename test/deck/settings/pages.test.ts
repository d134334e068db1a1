import assert from "node:assert/strict";
import { type DeckWorld, startWorld, telling } from "../../helpers/deck-world.ts";
import { mk2, plus } from "../../helpers/fake-hid-elgato.ts";
import { difference } from "../../helpers/pictures.ts";

describe("The pages of a deck", () => {
  let world: DeckWorld;
  let unit: ReturnType<typeof mk2>;
  let id: string;

  beforeEach(async () => {
    world = await startWorld();
    unit = mk2();
    id = await world.plug(unit);
  });

  afterEach(() => world.decks.close());

  const names = () => world.deck(id).pages.map(({ name }) => name);
  const widgetOf = (slot: string) =>
    world.deck(id).slots.find((each) => each.slot === slot)?.widget ?? assert.fail(slot);
  const shown = () => names()[world.decks.pageOf(id)];
  const text = (words: string) => ({ widget: { type: "text", text: words } as const });

  describe("when another shows", () => {
    beforeEach(async () => {
      await world.decks.setUp.setSlot(id, "k2", { widget: telling(1) });
      await world.decks.setUp.addPage(id, "Lights");
      await world.decks.setUp.setSlot(id, "k2", { widget: telling(2) }, 1);
      await world.decks.setUp.setSlot(id, "k14", { widget: telling(3) }, "all");
      await world.painted(unit);
      unit.received.length = 0;
      world.events.length = 0;
    });

    it("paint the keys that differ, and tell of it", async () => {
      world.decks.showPage(id, 1);
      await world.painted(unit);
      assert.deepEqual(widgetOf("k2"), telling(2));
      assert.deepEqual(widgetOf("k14"), telling(3));
      assert.deepEqual(unit.received.sort(), ["k0", "k1", "k2"]);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
      assert.deepEqual(world.events, [`deck ${id}`]);
    });

    it("are found by place, by name and from one to the next, around the end", () => {
      const seen: (string | undefined)[] = [];
      for (const which of [1, 0, "lights", "next", "next", "previous", "Page 1"]) {
        world.decks.showPage(id, which);
        seen.push(shown());
      }
      const [one, two] = ["Page 1", "Lights"];
      assert.deepEqual(seen, [two, one, two, one, two, one, one]);
      for (const which of [2, -1, 0.5, "Attic", "constructor", "__proto__"])
        assert.throws(() => world.decks.showPage(id, which), {
          code: "not_found",
          message: `There is no page ${which}. The deck has: Page 1, Lights.`,
        });
    });

    it("keep a press to the key that was pressed, whichever page comes under the finger", async () => {
      const act = (channel: string) => ({ do: "send", channel, text: "x" }) as const;
      for (const page of [0, 1]) {
        world.decks.showPage(id, page);
        const [press, hold] = [act(`press-${page}`), act(`hold-${page}`)];
        await world.decks.setUp.setSlot(id, "k9", { widget: telling(9), press, hold });
      }
      const made: string[] = [];
      world.decks.gestures.on(({ kind, page }) => made.push(`${kind} ${page}`));
      const begin = async (page: number) => {
        world.decks.showPage(id, page);
        unit.down("k9");
        await world.settle();
      };
      await begin(0);
      world.decks.showPage(id, 1);
      unit.up("k9");
      await world.settle();
      await begin(0);
      world.decks.showPage(id, 1);
      await world.pass(700);
      unit.up("k9");
      await world.settle();
      assert.deepEqual(made, ["press 0", "hold 0"]);
      await begin(1);
      await world.decks.setUp.removePage(id, 0);
      unit.up("k9");
      await world.settle();
      assert.deepEqual(made, ["press 0", "hold 0"]);
    });

    it("go back to the first after the chosen time without a press", async () => {
      await world.decks.setUp.update(id, { homeAfterSeconds: 30 });
      world.decks.showPage(id, 1);
      await world.pass(29_900);
      unit.press("k9");
      await world.pass(29_900);
      assert.equal(shown(), "Lights");
      await world.pass(200);
      assert.equal(shown(), "Page 1");
      assert.deepEqual(widgetOf("k2"), telling(1));
    });

    it("show a notice on a key that is empty there", () => {
      world.notify([{ type: "setup-code", code: "123456" }]);
      const differs = (a: string, b: string) =>
        difference(world.decks.picture(id, a).pixels, world.decks.picture(id, b).pixels) > 1;
      assert.equal(differs("k3", "k4"), true);
      world.decks.showPage(id, 1);
      assert.deepEqual([differs("k0", "k1"), differs("k3", "k4")], [true, false]);
    });

    it("count a key once for a channel, on whatever page it shows it", async () => {
      await world.bind(id, "k5", "build");
      await world.decks.setUp.setSlot(id, "k5", { widget: { type: "push", channel: "build" } }, 1);
      await world.decks.setUp.setSlot(id, "k6", { widget: { type: "push", channel: "build" } }, 1);
      assert.equal(world.decks.bound("build"), 2);
    });

    it("turn as a finger goes over the strip", async () => {
      const strip = plus();
      const other = await world.plug(strip, "1-2");
      await world.decks.setUp.addPage(other);
      strip.swipe("left");
      assert.equal(world.decks.pageOf(other), 1);
      strip.swipe("right");
      assert.equal(world.decks.pageOf(other), 0);
    });

    it("are the same after a restart, from the first one on", async () => {
      world.decks.showPage(id, 1);
      const later = await startWorld({ stored: [...world.saved.values()] });
      const { pages, fixed, page } = later.deck(id);
      assert.deepEqual({ pages, fixed }, pickOf(world.deck(id)));
      assert.equal(page, 0);
      await later.decks.close();
    });
  });

  describe("that are changed", () => {
    it("have ten places and names of their own", async () => {
      for (let count = 2; count <= 10; count += 1) await world.decks.setUp.addPage(id);
      assert.deepEqual(names().slice(0, 3), ["Page 1", "Page 2", "Page 3"]);
      await assert.rejects(world.decks.setUp.addPage(id), { code: "page_limit" });
      for (const name of ["", " ", "x".repeat(41), "Next", "page 3"])
        await assert.rejects(world.decks.setUp.changePage(id, 0, { name }), {
          code: "invalid_field",
        });
      await assert.rejects(world.decks.setUp.changePage(id, 0, { to: 10 }), {
        code: "invalid_field",
      });
      await assert.rejects(world.decks.setUp.changePage(id, 10, { to: 0 }), { code: "not_found" });
      assert.equal(names().length, 10);
    });

    it("are renamed and moved, and the one that shows stays", async () => {
      await world.decks.setUp.addPage(id, "Lights");
      await world.decks.setUp.addPage(id, "Build");
      world.decks.showPage(id, "Lights");
      await world.decks.setUp.changePage(id, 2, { to: 0 });
      assert.deepEqual([names(), shown()], [["Build", "Page 1", "Lights"], "Lights"]);
      await world.decks.setUp.changePage(id, 2, { name: " Rooms " });
      assert.deepEqual([names(), shown()], [["Build", "Page 1", "Rooms"], "Rooms"]);
    });

    it("are deleted, all but the last", async () => {
      await world.decks.setUp.addPage(id, "Lights");
      world.decks.showPage(id, "Lights");
      await world.decks.setUp.removePage(id, 1);
      assert.deepEqual([names(), shown()], [["Page 1"], "Page 1"]);
      await assert.rejects(world.decks.setUp.removePage(id, 0), { code: "last_page" });
    });
  });

  describe("with keys that stay on all of them", () => {
    it("give a key back to its page when it is set there", async () => {
      await world.decks.setUp.addPage(id);
      await world.decks.setUp.setSlot(id, "k5", text("below"), 1);
      await world.decks.setUp.setSlot(id, "k5", text("on all"), "all");
      await world.decks.setUp.setSlot(id, "k5", text("still on all"));
      assert.deepEqual(world.deck(id).fixed, { k5: text("still on all") });
      await world.decks.setUp.setSlot(id, "k5", { button: true }, 0);
      assert.deepEqual(world.deck(id).fixed, {});
      assert.deepEqual(world.deck(id).pages[0]?.slots.k5, {
        ...text("still on all"),
        button: true,
      });
      world.decks.showPage(id, 1);
      assert.deepEqual(widgetOf("k5"), text("below").widget);
    });
  });

  describe("whose keys do something", () => {
    const request = (value: string) => ({
      do: "request" as const,
      method: "POST" as const,
      url: "http://ha.local:8123/api",
      headers: { Authorization: value },
    });

    it("keep it when only what they show is set, and lose it when it is taken away", async () => {
      await world.decks.setUp.setSlot(id, "k5", { ...text("a"), press: { do: "sleep" } });
      await world.decks.setUp.setSlot(id, "k5", text("b"));
      assert.deepEqual(world.deck(id).pages[0]?.slots.k5, { ...text("b"), press: { do: "sleep" } });
      await world.decks.setUp.setSlot(id, "k5", { press: null });
      assert.deepEqual(world.deck(id).pages[0]?.slots.k5, text("b"));
    });

    it("show no secret, and know it again when it comes back hidden", async () => {
      await world.decks.setUp.setSlot(id, "k5", { press: request("secret") });
      const { press } = world.deck(id).pages[0]?.slots.k5 ?? {};
      assert.deepEqual(press, request("…"));
      assert.ok(!JSON.stringify(world.deck(id)).includes("secret"));
      await world.decks.setUp.setSlot(id, "k5", { press, hold: press ?? null });
      const { k5 } = world.saved.get(id)?.pages[0]?.slots ?? {};
      assert.deepEqual([k5?.press, k5?.hold], [request("secret"), request("secret")]);
    });

    it("refuse a hidden secret that nobody knows", async () => {
      await assert.rejects(world.decks.setUp.setSlot(id, "k5", { press: request("…") }), {
        code: "invalid_field",
        field: "press.headers.Authorization",
      });
    });
  });
});

function pickOf<T extends { pages: unknown; fixed: unknown }>({ pages, fixed }: T) {
  return { pages, fixed };
}
