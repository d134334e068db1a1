import assert from "node:assert/strict";
import { dayOf, formatDay } from "../../../appliance/base/calendar.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { MAX_TEXT_BYTES, MAX_VALUES } from "../../../appliance/store/counting.ts";
import { onEachEngine } from "../../helpers/engines.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { importInto } from "../../helpers/importing.ts";
import { keptIn } from "../../helpers/kept.ts";
import { views } from "../../helpers/traffic.ts";
import { sharedWorld } from "../../helpers/world.ts";

const NOW = "2026-03-25T12:00:00Z";
const TODAY = dayOf(Date.parse(NOW));
const PER_DAY = 1_900;

onEachEngine(() => {
  describe("the bound on distinct values of a month", () => {
    // The second sentence goes on with what the first has filled.
    const filled = sharedWorld({ clock: new FakeClock(NOW) });
    const another = sharedWorld({ clock: new FakeClock(NOW) });
    let world = filled;
    /** Days before today bring paths of their own, and `/home` a hundred times each. */
    const startWith = async ({ days, name }: { days: number; name: (i: number) => string }) => {
      await importInto(
        world(),
        Array.from({ length: days }, (_, i) => i + 2).map((ago) => ({
          site: "blog",
          day: formatDay(TODAY - ago),
          // The first of each day is counted twice, all others once.
          counts: {
            path: Object.fromEntries([
              ["/home", 100],
              ...Array.from({ length: PER_DAY }, (_, i) => [
                name(ago * PER_DAY + i),
                i === 0 ? 2 : 1,
              ]),
            ]),
          },
          surveys: [],
        })),
      );
      await world().service.store.upkeep();
    };
    const held = async () => [...(await keptIn(world())).texts];
    const pathsOf = async (ago: number) =>
      (await world().stats({ day: formatDay(TODAY - ago) })).path as Record<string, number>;
    const sumOf = (path: Record<string, number>) =>
      Object.values(path).reduce((all, n) => all + n, 0);

    it("is 20,000: the rarest of past days become (other), and no sum changes", async () => {
      assert.equal(MAX_VALUES, 20_000);
      const days = 11;
      await startWith({ days, name: (i) => `/${i}` });
      const { length } = await held();
      assert.ok(length <= MAX_VALUES + 1, `${length}`);
      assert.ok(length > 0.9 * MAX_VALUES, `${length}`);
      let folded = 0;
      for (let ago = 2; ago < days + 2; ago++) {
        const path = await pathsOf(ago);
        assert.equal(path["/home"], 100);
        assert.equal(path[`/${ago * PER_DAY}`], 2);
        assert.equal(sumOf(path), 100 + PER_DAY + 1);
        folded += path[OTHER] ?? 0;
      }
      assert.equal(folded, days * PER_DAY + 1 - (length - 1));
    });

    it("leaves what is counted again today, and what comes in late", async () => {
      const again = `/${2 * PER_DAY + 7}`;
      const { clock, service } = world();
      const now = clock.now();
      await views(world(), [{ path: again }]);
      clock.setWall(now - 5 * 86_400_000);
      await views(world(), [{ path: `/${5 * PER_DAY + 9}` }]);
      clock.setWall(now);
      await service.store.upkeep();
      assert.equal((await pathsOf(0))[again], 1);
      assert.equal(sumOf(await pathsOf(5)), 100 + PER_DAY + 2);
      assert.ok((await held()).length <= MAX_VALUES + 1);
    });

    it("is one of bytes, too", async () => {
      world = another;
      await startWith({ days: 3, name: (i) => `/${"🙂".repeat(120)}${i}` });
      const bytes = (await held()).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      assert.ok(bytes <= MAX_TEXT_BYTES + OTHER.length, `${bytes}`);
      assert.equal((await pathsOf(3))["/home"], 100);
    });
  });
});
