import assert from "node:assert/strict";
import fc from "fast-check";
import { FLAG } from "../../../appliance/store/log/record.ts";
import { onEachEngine } from "../../helpers/engines.ts";
import { lasting } from "../../helpers/long.ts";
import { keyOf, viewOf } from "../../helpers/traffic.ts";
import { eachWorld } from "../../helpers/world.ts";

const NOW = Date.parse("2026-03-20T12:00:00Z");
const DAY_MS = 86_400_000;
const SITES = ["blog", "shop"] as const;

interface View {
  readonly site: (typeof SITES)[number];
  readonly daysAgo: number;
  readonly path: string;
  readonly times: number;
  readonly first: boolean;
}

const someViews = fc.array(
  fc.record<View>({
    site: fc.constantFrom(...SITES),
    daysAgo: fc.nat(9),
    path: fc.nat(20).map((n) => `/${n}`),
    times: fc.integer({ min: 1, max: 300 }),
    first: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

onEachEngine(() => {
  describe("packing the days that are over", () => {
    const world = eachWorld({ env: { SITES: SITES.join(), BADGE_SITES: SITES.join() } });

    /** Counts views at the time they were made, then returns to today. */
    async function visit(all: readonly View[]): Promise<void> {
      const { store } = world().service;
      const done: Promise<void>[] = [];
      for (const { site, daysAgo, path, times, first } of all) {
        world().clock.setWall(NOW - daysAgo * DAY_MS);
        const view = viewOf({ path }, first ? FLAG.visitor : 0);
        for (let i = 0; i < times; i++) done.push(store.numbers.count(keyOf(world(), site), view));
      }
      world().clock.setWall(NOW);
      await Promise.all(done);
    }

    /** Everything that can be asked about the numbers that are stored. */
    function answers(): Promise<unknown[]> {
      const ranges = [
        ...Array.from({ length: 11 }, (_, ago) => ({ day: dayBefore(ago) })),
        { from: "first", series: 1, daily: 1 },
        { from: dayBefore(7), to: dayBefore(2), series: 1, daily: 1 },
        { from: dayBefore(9), to: dayBefore(1) },
      ];
      return Promise.all(
        SITES.flatMap((site) => [
          ...ranges.map(async (range) => {
            const { live: _live, ...stored } = await world().read("/stats", { site, ...range });
            return stored;
          }),
          world()
            .ask(`/badge?site=${site}&days=7&total=1`)
            .then(({ text }) => text),
        ]),
      );
    }

    it("changes no answer, nor does what comes in late for them", async () => {
      const expected = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(someViews, async (more) => {
          await visit(more);
          for (const { site, daysAgo, path, times } of more) {
            const key = `${site} ${dayBefore(daysAgo)} ${path}`;
            expected.set(key, (expected.get(key) ?? 0) + times);
          }
          const before = await answers();
          await world().service.store.upkeep();
          assert.deepEqual(await answers(), before);
        }),
        { numRuns: lasting(24) },
      );
      const counted = new Map<string, number>();
      for (const site of SITES)
        for (let ago = 0; ago < 10; ago++) {
          const { day, path = {} } = await world().read("/stats", { site, day: dayBefore(ago) });
          for (const [value, n] of Object.entries<number>(path))
            counted.set(`${site} ${day} ${value}`, n);
        }
      assert.deepEqual([...counted].sort(), [...expected].sort());
    });

    it("changes no answer after a restart either", async () => {
      await visit([
        { site: "blog", daysAgo: 5, path: "/a", times: 3, first: true },
        { site: "blog", daysAgo: 0, path: "/a", times: 2, first: false },
      ]);
      const before = await answers();
      await world().service.store.upkeep();
      await world().restart();
      assert.deepEqual(await answers(), before);
      await visit([{ site: "blog", daysAgo: 5, path: "/a", times: 4, first: false }]);
      assert.equal((await world().stats({ day: dayBefore(5) })).path["/a"], 7);
    });
  });

  function dayBefore(days: number): string {
    return new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);
  }
});
