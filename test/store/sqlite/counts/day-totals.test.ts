import assert from "node:assert/strict";
import { dayOf } from "../../../../appliance/base/calendar.ts";
import { SHARED_MS } from "../../../../appliance/collector/routes/badge-counts.ts";
import { pack } from "../../../../appliance/store/counts/pack.ts";
import { FLAG } from "../../../../appliance/store/log/record.ts";
import { rebuildDayTotals } from "../../../../appliance/store/sqlite/counts/day-totals.ts";
import type { Database } from "../../../../appliance/store/sqlite/database.ts";
import { findSite } from "../../../../appliance/store/sqlite/tables/sites.ts";
import { views } from "../../../helpers/traffic.ts";
import { eachWorld } from "../../../helpers/world.ts";

const DAY_MS = 86_400_000;
const TODAY = dayOf(Date.parse("2026-03-04T12:00:00Z"));

describe("the numbers of a badge", () => {
  let prepare = (_: Database) => {};
  const world = eachWorld(() => ({
    env: { SITES: "blog,shop", BADGE_SITES: "blog", RETENTION_DAYS: "60" },
    prepare: (db) => prepare(db),
  }));
  afterEach(() => {
    prepare = () => {};
  });

  async function badge(days: number | "all" = 30): Promise<string | undefined> {
    const { text } = await world().ask(`/badge?site=blog&days=${days}&label=x`);
    return /aria-label="x: ([^"]*)"/.exec(text)?.[1] ?? text;
  }

  it("need no day to be unpacked", async () => {
    await views(world(), [{ path: "/" }]);
    // A blob that ends in the middle of a number cannot be unpacked.
    prepare = (db) =>
      db
        .prepare("INSERT INTO packed_day (site, day, counts) VALUES (?, ?, x'80')")
        .run(findSite(db, "blog")?.key, TODAY - 3);
    await world().restart();
    assert.equal(await badge(), "1");
  });

  it("are the sum of what is open, packed, and came in late", async () => {
    const { clock, service } = world();
    for (const hits of [3, 2, 1]) {
      await views(world(), Array(hits).fill({ path: "/" }));
      clock.setWall(clock.now() + DAY_MS);
    }
    await service.store.upkeep();
    clock.setWall(clock.now() - 3 * DAY_MS);
    await views(world(), [{ path: "/late" }]);
    clock.setWall(clock.now() + 2 * DAY_MS);
    assert.deepEqual(await Promise.all([badge(1), badge(2), badge(3)]), ["1", "3", "7"]);
  });

  it("are those of earlier versions too", async () => {
    const { clock, service } = world();
    for (const hits of [3, 2, 1]) {
      await views(world(), Array(hits).fill({ path: "/" }), "blog", FLAG.visitor);
      clock.setWall(clock.now() + DAY_MS);
    }
    await service.store.upkeep();
    const stored = async () => {
      const { live: _live, ...rest } = await world().stats({ from: "first", series: 1 });
      return rest;
    };
    const before = await stored();
    // Made anew as it is where a database of an earlier version is opened, or a backup comes in.
    prepare = (db) => {
      const kept = db.prepare("SELECT * FROM day_total").all();
      assert.equal(kept.length, 6);
      db.exec("DELETE FROM day_total");
      rebuildDayTotals(db);
      assert.deepEqual(db.prepare("SELECT * FROM day_total").all(), kept);
    };
    await world().restart();
    assert.equal(await badge(), "6");
    assert.deepEqual(await stored(), before);
  });

  it("lose the days past retention, but not from the total", async () => {
    const { clock, service } = world();
    await views(world(), [{ path: "/" }]);
    clock.jump(61 * DAY_MS);
    await service.store.upkeep();
    assert.deepEqual([await badge(400), await badge("all")], ["0", "1"]);
  });

  it("are read once for all who ask within a minute", async () => {
    await views(world(), [{ path: "/" }]);
    assert.equal(await badge(), "1");
    await views(world(), [{ path: "/" }]);
    world().clock.advance(SHARED_MS - 1);
    assert.deepEqual([await badge(30), await badge(7)], ["1", "2"]);
    world().clock.advance(1);
    assert.equal(await badge(30), "2");
  });

  it("are another day's after midnight, however young the answer", async () => {
    await views(world(), [{ path: "/" }]);
    assert.equal(await badge(1), "1");
    world().clock.setWall(world().clock.now() + DAY_MS);
    assert.equal(await badge(1), "0");
  });

  it("are not those of a read that failed", async () => {
    const { store } = world().service;
    await store.replaceFile(async () => {
      const refused = await world().ask("/badge?site=blog");
      assert.deepEqual([refused.status, refused.json.code], [503, "storage_unavailable"]);
    });
    assert.equal(await badge(), "0");
  });
});

describe("a packed day of every counter", () => {
  const world = eachWorld({
    prepare(db) {
      const site = findSite(db, "blog")?.key;
      const add = db.prepare(
        "INSERT INTO value (site, dimension, text, last_day) VALUES (?, ?, ?, ?)",
      );
      const ids = [
        ["path", "/"],
        ["bot", "ua"],
        ["pv", "_"],
        ["bot", "synthetic"],
      ].map(([dimension, text]) => Number(add.run(site, dimension, text, TODAY).lastInsertRowid));
      const counts = pack(new Map(ids.map((id, i) => [id, 10 ** i])));
      db.prepare("INSERT INTO packed_day (site, day, counts) VALUES (?, ?, ?)").run(
        site,
        TODAY - 5,
        counts,
      );
      rebuildDayTotals(db);
      assert.deepEqual(db.prepare("SELECT counter, day, n FROM day_total").raw().all(), [
        ["bot", TODAY - 5, 1_010],
        ["pv", TODAY - 5, 100],
      ]);
    },
  });

  it("is summed by counter", async () => {
    const { series } = await world().stats({ from: "first", series: 1 });
    assert.deepEqual(series[0], ["2026-02-27", 100, 0, 0, 1_010, 0]);
  });
});
