import assert from "node:assert/strict";
import { type DeckWorld, startWorld } from "../../helpers/deck-world.ts";
import type { FakeUnit } from "../../helpers/fake-hid.ts";
import { FakeCrt, MIRABOX_293S } from "../../helpers/fake-hid-crt.ts";
import { FakeMini } from "../../helpers/fake-hid-elgato.ts";
import { UNITS } from "../../helpers/fake-hid-units.ts";
import { lasting, oneOf } from "../../helpers/long.ts";
import { seeded } from "../../helpers/seeded.ts";

/** Five seconds a seed: a table full of decks is plugged and unplugged some hundred times. */

const CHANNELS = ["a", "b", "c", "d"] as const;

/** Binds every slot of every deck to one of the channels. */
async function bindAll(world: DeckWorld): Promise<void> {
  for (const { id, slots } of world.decks.list()) {
    for (const [index, { slot }] of slots.entries()) {
      await world.bind(id, slot, CHANNELS[index % CHANNELS.length] ?? "a");
    }
  }
}

describe("Many plug cycles", () => {
  for (const [name, make] of [
    ["a Mini", () => new FakeMini()],
    ["a Mirabox 293S", () => new FakeCrt(MIRABOX_293S)],
  ] as const) {
    it(`of ${name}, many in the middle of a picture, leave nothing behind`, async () => {
      const { below } = seeded(1_000);
      const world = await startWorld();
      const unit = make();
      const id = await world.plug(unit);
      await bindAll(world);
      world.host.unplug(unit);
      await world.pass(120_000, 5_000);
      const before = world.clock.waiting.size;

      for (let cycle = 0; cycle < lasting(1_000); cycle += 1) {
        unit.faults.unplugAfterWrites = below(40);
        world.host.plug(unit);
        world.channels.set(CHANNELS[cycle % 4] ?? "a", { text: `cycle ${cycle % 7}`, ttl: 0 });
        await world.pass(below(300));
        if (world.host.isPlugged(unit)) world.host.unplug(unit);
      }
      unit.faults.unplugAfterWrites = undefined;
      await world.pass(120_000, 5_000);
      assert.deepEqual([world.host.open.size, world.clock.waiting.size], [0, before]);
      assert.equal(world.decks.list().length, 1);

      world.host.plug(unit);
      await world.pass(1_000);
      assert.deepEqual(await world.wrongSlots(id, unit), []);
      assert.deepEqual(unit.complaints, []);
      await world.decks.close();
      assert.deepEqual([world.host.open.size, world.clock.waiting.size], [0, 0]);
    });
  }
});

describe("Whatever happens to a table full of decks", () => {
  for (const seed of oneOf([1, 2, 3])) {
    it(`each shows the right pictures in the end (seed ${seed})`, async () => {
      const { below, pick } = seeded(seed);
      const world = await startWorld();
      const units = Object.values(UNITS).map((make) => make(world.clock));
      const portOf = (unit: FakeUnit) => `1-${units.indexOf(unit) + 1}`;
      const decks = new Map<FakeUnit, string>();
      for (const unit of units) decks.set(unit, await world.plug(unit, portOf(unit)));
      await bindAll(world);

      const any = () => units[below(units.length)] ?? assert.fail("no units");
      const happenings: readonly [() => void, ...(() => void)[]] = [
        () => world.channels.set(pick(CHANNELS), { text: `value ${below(1_000)}`, ttl: below(20) }),
        () => world.channels.clear(pick(CHANNELS)),
        () => unplug(any()),
        () => plug(any()),
        () => {
          any().faults.unplugAfterWrites = below(60);
        },
        () => {
          any().faults.shortWrite = below(64);
        },
        () => {
          any().faults.loseByte = true;
        },
        () => {
          any().faults.open = pick(["permission", "busy", undefined]);
        },
        () => {
          any().faults.claimed = below(2) === 0;
        },
        () => world.clock.sleep(below(60_000)),
        () => world.clock.standStill(below(30_000)),
      ];
      function plug(unit: FakeUnit) {
        if (world.host.isPlugged(unit)) return;
        world.host.plug(unit, { port: portOf(unit), nodeAfterMs: below(3) * 150 });
      }
      function unplug(unit: FakeUnit) {
        if (!world.host.isPlugged(unit)) return;
        world.host.unplug(unit, { quietly: below(4) === 0, disconnectFirst: below(2) === 0 });
      }

      for (let step = 0; step < 250; step += 1) {
        pick(happenings)();
        await world.pass(below(400));
      }

      for (const unit of units) {
        Object.assign(unit.faults, { open: undefined, claimed: false, loseByte: false });
        Object.assign(unit.faults, { unplugAfterWrites: undefined, shortWrite: undefined });
        plug(unit);
      }
      // Longer than the longest pause between attempts, and than a repaint takes to come round.
      await world.pass(11 * 60_000, 1_000);
      for (const unit of units) {
        assert.deepEqual(await world.wrongSlots(decks.get(unit) ?? "", unit), []);
        assert.deepEqual(unit.complaints, []);
      }
      assert.equal(world.host.open.size, units.length);
      assert.deepEqual(world.decks.problems(), []);
      await world.decks.close();
      assert.deepEqual([world.host.open.size, world.clock.waiting.size], [0, 0]);
    });
  }
});
