import assert from "node:assert/strict";
import type { Worker } from "node:worker_threads";
import { formatDay, parseDay } from "../../appliance/base/calendar.ts";
import { READER_MEMORY_MB, readerOf, SHARED_READER } from "../../appliance/store/threads/kinds.ts";
import type { Threads } from "../../appliance/store/threads/threads.ts";
import { engineOfSuite, onEachEngine } from "../helpers/engines.ts";
import { importInto } from "../helpers/importing.ts";
import { Owner } from "../helpers/owner.ts";
import { reusedThreads } from "../helpers/threads.ts";
import { until } from "../helpers/until.ts";
import { ADMIN, eachWorld, sharedWorld } from "../helpers/world.ts";

onEachEngine(() => {
  describe("a large report", () => {
    const DAYS = 100;
    const VALUES = 2_000;
    const last = parseDay("2026-03-01") ?? 0;

    const world = sharedWorld();
    before(() => {
      const path = Object.fromEntries(Array.from({ length: VALUES }, (_, i) => [`/${i}`, i + 1]));
      const days = Array.from({ length: DAYS }, (_, ago) => formatDay(last - ago));
      return importInto(
        world(),
        days.map((day) => ({ site: "blog", day, counts: { path }, surveys: [] })),
      );
    });

    it("delays no hit", async () => {
      const reports = Array.from({ length: 2 }, () =>
        world().stats({ from: "first", series: 1, daily: 1 }),
      );
      let reported = false;
      const first = Promise.race(reports).then(() => {
        reported = true;
      });
      let meanwhile = 0;
      while (!reported) {
        await world().beacon({ p: "/now", u: "1" });
        if (!reported) meanwhile++;
      }
      await first;
      assert.ok(meanwhile >= 5, `${meanwhile} hits were answered before the first report was`);
      const [report] = await Promise.all(reports);
      assert.equal(Object.keys(report.path).length >= VALUES, true);
      assert.deepEqual(report.daily.path["/7"].slice(0, 4), [0, 8, 1, 8]);
      assert.equal((await world().stats()).pv._ >= meanwhile, true);
    });

    it("delays no sign-in and no change", async () => {
      const owner = new Owner(world());
      let reported = 0;
      // One at a time: a busy machine has some left for long.
      const reports = Array.from({ length: 8 }, async () => {
        await world().stats({ from: "first", series: 1, daily: 1 });
        reported++;
      });
      await world().ask("/");
      await owner.signIn({ token: ADMIN });
      assert.equal((await owner.ask("POST", "/api/sites", { id: "notes" })).status, 201);
      assert.ok(reported < reports.length, "all reports were answered before");
      await Promise.all(reports);
    });

    it("is of one moment", async () => {
      const hits = Array.from({ length: 300 }, () => world().beacon({ p: "/now", u: "1" }));
      const reports = await Promise.all(
        Array.from({ length: 6 }, () => world().stats({ from: "2026-03-03", series: 1 })),
      );
      await Promise.all(hits);
      for (const { series, path = {}, pv, uv } of reports) {
        assert.equal(pv?._, path["/now"]);
        assert.equal(pv?._, uv?._);
        assert.equal(series[1][1], pv?._ ?? 0);
      }
    });
  });

  describe("a reader", () => {
    let readers = 0;
    let starts = 0;
    const ofNumbers = new Set<Worker>();
    /** A box beside a fleet has another one, for what is its own. */
    const { script } = engineOfSuite() === "SQLite" ? readerOf(READER_MEMORY_MB) : SHARED_READER;
    const threads: Threads = {
      start(kind) {
        const thread = reusedThreads.start(kind);
        if (kind.script.href === script.href) {
          readers++;
          starts++;
          ofNumbers.add(thread);
        }
        return thread;
      },
      async end(thread) {
        await reusedThreads.end(thread);
        if (ofNumbers.delete(thread)) readers--;
      },
    };
    const world = eachWorld({ threads });
    const IDLE_MS = 2 * 60_000;
    const IDLE_AFTER_SETTLEMENT_MS = 10_000;

    // The node of a fleet that settles asks it every five seconds.
    if (engineOfSuite() === "SQLite") {
      // A question of the start may be answered only after the time has passed.
      const rest = () =>
        until(() => {
          if (readers > 0) world().clock.advance(IDLE_MS);
          return readers === 0;
        });

      it("is let go when nobody has asked for two minutes, and comes back for the next question", async () => {
        await world().beacon({ p: "/" });
        assert.equal((await world().stats()).pv._, 1);
        assert.equal(readers, 1);
        await rest();
        await world().beacon({ p: "/" });
        const answers = await Promise.all([world().stats(), world().stats()]);
        const found = answers.map(({ pv }) => pv._);
        assert.deepEqual(found, [2, 2]);
        assert.equal(readers, 1);
      });

      it("is let go ten seconds after a settlement beside which nobody asks", async () => {
        await rest();
        await world().beacon({ p: "/" });
        await world().service.store.upkeep();
        assert.equal(readers, 1);
        world().clock.advance(IDLE_AFTER_SETTLEMENT_MS);
        await until(() => readers === 0);
      });

      it("stays after a settlement where somebody asked before", async () => {
        await world().stats();
        const before = starts;
        await world().beacon({ p: "/" });
        await world().service.store.upkeep();
        world().clock.advance(IDLE_AFTER_SETTLEMENT_MS);
        await world().stats();
        assert.equal(starts, before);
        await rest();
      });

      it("does not come back for what is asked while the store closes", async () => {
        await world().stats();
        await rest();
        const upkeep = world().service.store.upkeep();
        await world().stop();
        await upkeep;
        assert.equal(readers, 0);
      });
    }

    it("answers who asks while the one before is on its way out", async () => {
      for (let round = 0; round < 20; round++) {
        assert.equal((await world().readRaw("/stats")).status, 200);
        world().clock.advance(IDLE_MS);
      }
    });

    if (engineOfSuite() === "PostgreSQL")
      it("answers while nobody can learn who settles", async () => {
        await world().beacon({ p: "/" });
        const held = "LOCK TABLE lease IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(600)";
        const holding = world()
          .rows(`DO $$ BEGIN ${held}; END $$`)
          .catch(() => {});
        const waiting = async (granted: boolean) =>
          (await world().rows(
            `SELECT pid FROM pg_locks WHERE relation = 'lease'::regclass AND granted = ${granted}`,
          )) as readonly { pid: number }[];
        while ((await waiting(true)).length === 0);
        while ((await waiting(false)).length === 0) world().clock.advance(IDLE_MS);
        assert.equal((await world().stats()).pv._, 1);
        for (const { pid } of await waiting(true))
          await world().rows(`SELECT pg_cancel_backend(${pid})`);
        await holding;
      });

    it("stays as long as it is asked", async () => {
      for (let minutes = 0; minutes < 4; minutes++) {
        await world().stats();
        world().clock.advance(60_000);
      }
      assert.equal(readers, 1);
    });

    it("is gone with the store, at rest or not", async () => {
      await world().stats();
      await world().stop();
      assert.equal(readers, 0);
      await world().start();
      await world().stats();
      world().clock.advance(IDLE_MS);
      await world().stop();
      assert.equal(readers, 0);
    });
  });
});
