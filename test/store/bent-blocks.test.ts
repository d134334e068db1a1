import assert from "node:assert/strict";
import { DAY_MS } from "../../appliance/base/calendar.ts";
import { databaseFile, openForWriting } from "../../appliance/store/sqlite/database.ts";
import { onEachEngine } from "../helpers/engines.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachWorld } from "../helpers/world.ts";

onEachEngine(() => {
  describe("a block that the card has bent", () => {
    const world = eachWorld(() => ({ clock: new FakeClock("2026-03-31T12:00:00Z") }));

    /** Settles March and April, and cuts a piece of March. */
    async function bend(table: string, column: string): Promise<void> {
      await world().beacon({ p: "/march" });
      await world().service.store.upkeep();
      world().clock.advance(DAY_MS);
      await world().beacon({ p: "/april" });
      await world().service.store.upkeep();
      await world().stop();
      await change(
        `UPDATE ${table} SET ${column} = substr(${column}, 1, length(${column}) - 1)
         WHERE month = (SELECT min(month) FROM block)`,
      );
      await world().start();
    }

    async function change(sql: string): Promise<void> {
      if (world().isOnPostgres) {
        await world().rows(sql);
        return;
      }
      const db = openForWriting(databaseFile(world().dataDir));
      db.exec(sql);
      db.close();
    }

    const asked = { from: "2026-03-01", to: "2026-04-30", series: 1, daily: 1 };
    const lines = () => world().said.filter((line) => line.includes("Counts of a month"));

    for (const [what, table, column] of [
      ["counters", "block", "counters"],
      ["counts", "block", "counts"],
      ["detail", "piece", "bytes"],
    ] as const)
      it(`takes no question away, and is told of once: its ${what}`, async () => {
        await bend(table, column);
        for (const more of [{}, { from: "first" }, { where: "path:not:/" }]) {
          const { pv, path } = await world().stats({ ...asked, ...more });
          assert.ok(pv._ >= 1);
          assert.equal(path["/april"], 1);
        }
        const { sites } = await world().read("/overview");
        assert.equal(sites[0].week.at(-1), 1);
        assert.equal(lines().length, 1);
        assert.match(lines()[0] as string, /"month":"2026-03"/);
      });
  });
});
