import assert from "node:assert/strict";
import { join } from "node:path";
import { parseDay } from "../../../../appliance/base/calendar.ts";
import { Ledger } from "../../../../appliance/store/sqlite/counts/ledger.ts";
import { upkeepStep } from "../../../../appliance/store/sqlite/counts/upkeep.ts";
import { openForWriting } from "../../../../appliance/store/sqlite/database.ts";
import { addSite, findSite } from "../../../../appliance/store/sqlite/tables/sites.ts";
import { eachFolder } from "../../../helpers/folder.ts";

const DAY_MS = 86_400_000;

describe("upkeep", () => {
  const folder = eachFolder();

  it("goes in steps of a few hundred rows", () => {
    const db = openForWriting(join(folder(), "steps.db"));
    addSite(db, "blog");
    const site = findSite(db, "blog")?.key ?? 0;
    const ledger = new Ledger(db);
    ledger.countedDays.passTo(0);
    const first = parseDay("2026-01-01") ?? 0;
    for (let day = first; day < first + 3; day++)
      db.transaction(() => {
        for (const dimension of ["path", "ref", "event"]) {
          const values = Array.from({ length: 1_900 }, (_, i): [string, number] => [
            `${dimension}-${day}-${i}`,
            1,
          ]);
          const counts = new Map([[dimension, new Map(values)]]);
          ledger.count({ site, views: 1, counts }, day * 24, false);
        }
      })();
    const changes = () => db.prepare("SELECT total_changes()").pluck().get() as number;
    const largest = (today: number) => {
      let most = 0;
      for (let more = true; more; ) {
        const before = changes();
        ledger.countedDays.passTo((today - first) * DAY_MS);
        more = db.transaction(() =>
          upkeepStep(db, ledger, { boot: "b1", bootedAt: 0, today, retentionDays: 100 }),
        )();
        most = Math.max(most, changes() - before);
      }
      return most;
    };
    assert.ok(largest(first + 10) <= 2_001, "while days are packed");
    assert.ok(largest(first + 200) <= 550, "while days are dropped");
    assert.equal(db.prepare("SELECT count(*) FROM value").pluck().get(), 0);
    assert.equal(db.prepare("SELECT count(*) FROM packed_day").pluck().get(), 0);
    db.close();
  });
});
