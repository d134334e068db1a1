import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Worker } from "node:worker_threads";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { passGeneration } from "../../../appliance/store/sqlite/settle.ts";
import type { Threads } from "../../../appliance/store/threads/threads.ts";
import { engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import { eachWorld } from "../../helpers/world.ts";

/** Threads that are asked to settle once `meanwhile` has returned. */
function settlingAfter(meanwhile: () => void): Threads {
  const real = new Map<Worker, Worker>();
  return {
    start(kind) {
      const thread = reusedThreads.start(kind);
      const asked = new Proxy(thread, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          return (...args: [{ readonly kind?: string }]) => {
            if (name === "postMessage" && args[0].kind === "settle") meanwhile();
            return value.apply(target, args);
          };
        },
      });
      real.set(asked, thread);
      return asked;
    },
    end: (asked) => reusedThreads.end(real.get(asked) ?? asked),
  };
}

onEachEngine(() => {
  describe("settling what others always change", () => {
    const isFile = engineOfSuite() === "SQLite";
    let areOthersThere = false;
    const world = eachWorld({
      threads: settlingAfter(() => {
        if (!isFile || !areOthersThere) return;
        const db = openForWriting(databaseFile(world().dataDir));
        passGeneration(db);
        db.close();
      }),
    });

    async function meetOthers(): Promise<void> {
      areOthersThere = true;
      if (isFile) return;
      await world().rows(
        `CREATE FUNCTION others() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
         CREATE TRIGGER others BEFORE UPDATE ON generation FOR EACH ROW EXECUTE FUNCTION others()`,
      );
    }

    async function partFromOthers(): Promise<void> {
      areOthersThere = false;
      if (!isFile) await world().rows("DROP FUNCTION others CASCADE");
    }

    it("is given up after some tries, told, and done the next time", async () => {
      const { store } = world().service;
      await world().beacon({ p: "/" });
      await meetOthers();
      await store.upkeep();
      assert.match(world().said.join("\n"), /Upkeep failed; .*changed by others each time/);
      await partFromOthers();
      await store.upkeep();
      assert.deepEqual(await world().rows("SELECT count(*) AS n FROM log"), [{ n: 0 }]);
      assert.deepEqual((await world().stats()).path, { "/": 1 });
    });
  });

  describe("settling by itself", () => {
    const world = eachWorld();

    /** Resolves when a question finds these rows; of a database elsewhere time has to pass meanwhile. */
    async function untilFound(question: string, rows: unknown): Promise<void> {
      while (!isDeepStrictEqual(await world().rows(question), rows)) {
        await setTimeout(5);
        world().clock.advance(500);
      }
    }

    beforeEach(() => world().service.store.upkeep());

    it("is done within the hour, however little has come", async () => {
      await world().beacon({ p: "/" });
      world().clock.advance(HOUR_MS);
      await untilFound("SELECT n FROM log", []);
    });

    it("is done of a day that is over, though nothing comes on the next", async () => {
      await world().beacon({ p: "/" });
      await world().service.store.upkeep();
      assert.notDeepEqual(await world().rows("SELECT part FROM block"), [{ part: 0 }]);
      world().clock.advance(DAY_MS);
      await untilFound("SELECT part FROM block", [{ part: 0 }]);
    });
  });
});
