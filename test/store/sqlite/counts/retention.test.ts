import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDay } from "../../../../appliance/base/calendar.ts";
import { Ledger } from "../../../../appliance/store/sqlite/counts/ledger.ts";
import { upkeepStep } from "../../../../appliance/store/sqlite/counts/upkeep.ts";
import { databaseFile, openForWriting } from "../../../../appliance/store/sqlite/database.ts";
import { addSite, findSite } from "../../../../appliance/store/sqlite/tables/sites.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { views } from "../../../helpers/traffic.ts";
import { eachWorld } from "../../../helpers/world.ts";

const DAY_MS = 86_400_000;

describe("retention", () => {
  const world = eachWorld({ env: { RETENTION_DAYS: "10", BADGE_SITES: "blog" } });
  const upkeep = () => world().service.store.upkeep();

  function passDays(days: number): void {
    world().clock.jump(days * DAY_MS);
  }

  /** A view of `/day-01`, `/day-02`, … and of `/home` on each of `days` days; the last is today. */
  async function visitDaily(days: number): Promise<void> {
    for (let day = 1; day <= days; day++) {
      if (day > 1) passDays(1);
      await views(world(), [{ path: pathOf(day) }, { path: "/home" }]);
    }
  }

  const fileHolds = (text: string) => readFileSync(databaseFile(world().dataDir)).includes(text);

  it("keeps the last RETENTION_DAYS days, today among them, and drops all before", async () => {
    await visitDaily(15);
    await upkeep();
    const { from, to, path } = await world().stats({ from: "first" });
    assert.deepEqual([from, to], ["2026-03-09", "2026-03-18"]);
    assert.deepEqual(Object.keys(path).sort(), [
      ...Array.from({ length: 10 }, (_, i) => pathOf(i + 6)),
      "/home",
    ]);
    assert.equal(path["/home"], 10);
    assert.deepEqual((await world().stats({ day: "2026-03-08" })).path, undefined);
  });

  it("removes from the file what nobody counts any more", async () => {
    await visitDaily(15);
    await upkeep();
    await world().stop();
    for (let day = 1; day <= 15; day++) assert.equal(fileHolds(pathOf(day)), day > 5, pathOf(day));
    assert.equal(fileHolds("/home"), true);
  });

  it("leaves the totals of all time alone", async () => {
    await visitDaily(15);
    await upkeep();
    const badge = await world().ask("/badge?site=blog&days=all");
    assert.match(badge.text, /aria-label="views \(all\): 30"/);
  });

  it("goes by itself within ten minutes", async () => {
    await visitDaily(15);
    world().clock.advance(10 * 60_000);
    // Whoever asks for upkeep waits for the one that runs.
    await upkeep();
    assert.equal((await world().stats({ from: "first" })).from, "2026-03-09");
  });

  it("counts a value that comes back as it did before", async () => {
    await visitDaily(1);
    passDays(30);
    await upkeep();
    await views(world(), [{ path: pathOf(1) }]);
    assert.deepEqual((await world().stats()).path, { [pathOf(1)]: 1 });
  });

  it("lets hits go on meanwhile", async () => {
    for (let day = 0; day < 6; day++) {
      await views(
        world(),
        Array.from({ length: 1_500 }, (_, i) => ({ path: `/${day}/${i}` })),
      );
      passDays(1);
    }
    passDays(20);
    let running = true;
    const done = upkeep().finally(() => {
      running = false;
    });
    let answered = 0;
    for (; running; answered++) await world().beacon({ p: "/now" });
    await done;
    assert.ok(answered >= 5, `${answered} hits were answered during upkeep`);
    assert.deepEqual((await world().stats({ from: "first" })).path, { "/now": answered });
  });
});

function pathOf(day: number): string {
  return `/day-${String(day).padStart(2, "0")}`;
}

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
