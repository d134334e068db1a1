import assert from "node:assert/strict";
import type { SleepSettings } from "../../../appliance/deck/settings/deck-settings.ts";
import { type DeckWorld, startWorld } from "../../helpers/deck-world.ts";
import { mk2 } from "../../helpers/fake-hid-elgato.ts";
import { difference } from "../../helpers/pictures.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("A deck that may sleep", () => {
  let world: DeckWorld;
  let unit: ReturnType<typeof mk2>;
  let id: string;

  // The clock starts at noon.
  beforeEach(async () => {
    world = await startWorld();
    unit = mk2();
    id = await world.plug(unit);
    for (const slot of ["k0", "k1", "k7"]) await world.write(id, slot, "awake");
    await world.painted(unit);
    world.events.length = 0;
  });

  afterEach(() => world.decks.close());

  const pass = (ms: number) => world.pass(ms, MINUTE / 2);
  const asleep = () => world.deck(id).asleep;
  const sleeps = (sleep: Partial<SleepSettings>) =>
    world.decks.setUp.update(id, { sleep: { afterMinutes: null, night: null, ...sleep } });
  const pressed = () => world.events.filter((event) => /^(pressed|held) /.test(event));

  it("never does unless it is told to", async () => {
    await pass(24 * HOUR);
    assert.equal(asleep(), false);
  });

  describe("after so many minutes", () => {
    beforeEach(() => sleeps({ afterMinutes: 10 }));

    it("goes dark, its pictures black too, and says so", async () => {
      const before = world.shot(id, "k7");
      await pass(9.5 * MINUTE);
      assert.deepEqual([asleep(), unit.brightness], [false, 70]);
      world.events.length = 0;
      await pass(MINUTE);
      assert.deepEqual([asleep(), unit.brightness], [true, 0]);
      assert.deepEqual(world.events, [`deck ${id}`]);
      const dark = world.decks.picture(id, "k7").pixels;
      assert.ok(dark.data.every((value, index) => value === (index % 4 === 3 ? 255 : 0)));
      assert.deepEqual(await world.wrongSlots(id, unit), []);
      unit.press("k7");
      await world.painted(unit);
      assert.equal(unit.brightness, 70);
      assert.equal(difference(world.decks.picture(id, "k7").pixels, before), 0);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
    });

    it("sleeps on whatever its channels hold", async () => {
      await world.bind(id, "k7", "build");
      await pass(11 * MINUTE);
      await world.painted(unit);
      unit.received.length = 0;
      world.channels.set("build", { text: "red" });
      await pass(5 * MINUTE);
      assert.deepEqual([asleep(), unit.received], [true, []]);
    });

    it("is only woken by the first press, even when it is held", async () => {
      await pass(11 * MINUTE);
      unit.down("k7");
      await world.pass(6_000);
      unit.up("k7");
      assert.deepEqual([asleep(), pressed(), world.releases], [false, [], []]);
      unit.press("k7");
      assert.deepEqual([pressed(), world.releases], [["pressed k7"], ["released k7"]]);
    });

    it("counts from the last press", async () => {
      await pass(9 * MINUTE);
      unit.press("k7");
      await pass(9 * MINUTE);
      assert.equal(asleep(), false);
      await pass(MINUTE);
      assert.equal(asleep(), true);
    });

    it("counts from a change by its owner, too, who does not wake it", async () => {
      await pass(9 * MINUTE);
      await world.write(id, "k8", "new");
      await pass(9 * MINUTE);
      assert.equal(asleep(), false);
      await pass(2 * MINUTE);
      await world.write(id, "k8", "newer");
      await world.decks.setUp.update(id, { brightness: 40 });
      await world.painted(unit);
      assert.deepEqual([asleep(), unit.brightness], [true, 0]);
      unit.press("k8");
      await world.painted(unit);
      assert.equal(unit.brightness, 40);
    });

    it("stays awake while a code or a problem is on it, and wakes for one", async () => {
      await pass(11 * MINUTE);
      world.notify([{ type: "setup-code", code: "123456" }]);
      assert.equal(asleep(), false);
      await pass(HOUR);
      assert.equal(asleep(), false);
      world.notify([{ type: "clock-not-set" }]);
      assert.equal(asleep(), true);
      world.notify([{ type: "data-unusable" }]);
      assert.equal(asleep(), false);
    });

    it("sleeps on over a broken connection, and wakes when it is plugged in again", async () => {
      await pass(11 * MINUTE);
      const back = async (away: number) => {
        world.host.unplug(unit);
        await pass(away);
        world.host.plug(unit);
        await world.until("it is back", () => world.deck(id).connected);
        await world.painted(unit);
        return [asleep(), unit.brightness];
      };
      assert.deepEqual(await back(0), [true, 0]);
      assert.deepEqual(await back(2 * MINUTE), [false, 70]);
    });

    it("leaves no timer behind when all ends", async () => {
      await pass(11 * MINUTE);
      await world.decks.close();
      assert.equal(world.clock.waiting.size, 0);
    });
  });

  describe("at night", () => {
    const night = { from: "22:00", to: "06:30" };

    it("goes dark when it begins and comes back when it ends", async () => {
      await sleeps({ night });
      await pass(10 * HOUR - MINUTE);
      assert.equal(asleep(), false);
      await pass(MINUTE);
      assert.equal(asleep(), true);
      await pass(8.5 * HOUR - MINUTE);
      assert.equal(asleep(), true);
      await pass(MINUTE);
      assert.equal(asleep(), false);
    });

    it("is woken by a press for two minutes, or for the chosen time", async () => {
      await sleeps({ night });
      await pass(11 * HOUR);
      unit.press("k7");
      await pass(1.5 * MINUTE);
      assert.equal(asleep(), false);
      await pass(MINUTE);
      assert.equal(asleep(), true);
      await sleeps({ night, afterMinutes: 10 });
      unit.press("k7");
      await pass(9.5 * MINUTE);
      assert.equal(asleep(), false);
      await pass(MINUTE);
      assert.equal(asleep(), true);
    });

    it("soon goes dark though it was used just before", async () => {
      await sleeps({ night, afterMinutes: 60 });
      await pass(10 * HOUR - MINUTE / 2);
      unit.press("k7");
      await pass(MINUTE);
      assert.equal(asleep(), false);
      await pass(1.5 * MINUTE);
      assert.equal(asleep(), true);
    });

    it("waits for a clock that is right", async () => {
      const unsure = await startWorld({ sure: false, virtualDecks: ["mini"] });
      const sleep = { afterMinutes: null, night: { from: "11:00", to: "13:00" } };
      await unsure.decks.setUp.update("virtual-mini", { sleep });
      await unsure.pass(5 * MINUTE, MINUTE);
      assert.equal(unsure.deck("virtual-mini").asleep, false);
      unsure.time.becomeSure();
      assert.equal(unsure.deck("virtual-mini").asleep, true);
      await unsure.decks.close();
    });
  });

  describe("put to sleep by its owner", () => {
    it("sleeps until it is pressed, woken or turned to a page", async () => {
      await world.decks.setUp.addPage(id);
      for (const wake of [
        () => unit.press("k3"),
        () => world.decks.setAsleep(id, false),
        () => world.decks.showPage(id, 1),
      ]) {
        world.decks.setAsleep(id, true);
        await pass(HOUR);
        assert.equal(asleep(), true);
        wake();
        assert.equal(asleep(), false);
      }
    });
  });

  describe("with keys that are to wake it", () => {
    const bind = (slot: string, channel: string, page: number, wake?: true) => {
      const widget = { type: "push" as const, channel, ...(wake && { wake }) };
      return world.decks.setUp.setSlot(id, slot, { widget }, page);
    };
    const alarm = (channel: string) =>
      world.channels.set(channel, { text: "down", hold: true, id: channel });

    it("wakes and shows the page of the key when its channel alarms", async () => {
      await world.decks.setUp.addPage(id);
      await bind("k3", "backup", 1, true);
      await bind("k4", "door", 1);
      world.decks.setAsleep(id, true);
      alarm("door");
      assert.deepEqual([asleep(), world.decks.pageOf(id)], [true, 0]);
      alarm("backup");
      assert.deepEqual([asleep(), world.decks.pageOf(id)], [false, 1]);
    });

    it("wakes for a channel whose sender said so, until it says otherwise", async () => {
      await world.decks.setUp.addPage(id);
      await bind("k4", "door", 1);
      const push = (id: string, wake?: boolean) =>
        world.channels.set("door", {
          text: "rings",
          hold: true,
          id,
          ...(wake !== undefined && { wake }),
        });
      world.decks.setAsleep(id, true);
      push("first", true);
      assert.deepEqual([asleep(), world.decks.pageOf(id)], [false, 1]);
      world.decks.setAsleep(id, true);
      push("second");
      assert.equal(asleep(), false);
      world.decks.setAsleep(id, true);
      push("third", false);
      assert.equal(asleep(), true);
    });

    it("stays on a page that shows such a key, and else takes the first that does", async () => {
      for (const _ of [1, 2]) await world.decks.setUp.addPage(id);
      await bind("k3", "backup", 1, true);
      await bind("k3", "backup", 2, true);
      alarm("backup");
      assert.equal(world.decks.pageOf(id), 1);
      world.decks.showPage(id, 2);
      world.channels.set("backup", { text: "again", hold: true, id: "other" });
      assert.equal(world.decks.pageOf(id), 2);
    });
  });
});
