import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { dayOf, formatDay } from "../../../../appliance/base/calendar.ts";
import { OTHER } from "../../../../appliance/base/names.ts";
import {
  MAX_TEXT_BYTES,
  MAX_TEXT_BYTES_PER_DAY,
  MAX_VALUES,
} from "../../../../appliance/store/counting.ts";
import { pack } from "../../../../appliance/store/counts/pack.ts";
import { databaseFile } from "../../../../appliance/store/sqlite/database.ts";
import { findSite } from "../../../../appliance/store/sqlite/tables/sites.ts";
import { views } from "../../../helpers/traffic.ts";
import { eachWorld } from "../../../helpers/world.ts";

const TODAY = dayOf(Date.parse("2026-03-04T12:00:00Z"));
const PER_DAY = 1_900;
/** A board's reader has six times it, for eleven dimensions like this one. */
const READER_MB = 16;

describe("the bound on distinct values over all days", () => {
  /** Days before today that bring values of their own, and `/home` a hundred times each. */
  let past = { days: 0, perDay: 0, name: (i: number) => `/${i}`, seenToday: false };
  const world = eachWorld({
    readerMemoryMb: READER_MB,
    prepare(db) {
      const site = findSite(db, "blog")?.key;
      const add = db
        .prepare(
          `INSERT INTO value (site, dimension, text, last_day) VALUES (?, 'path', ?, ?)
           RETURNING id`,
        )
        .pluck();
      const addDay = db.prepare("INSERT INTO packed_day (site, day, counts) VALUES (?, ?, ?)");
      db.transaction(() => {
        if (past.days === 0) return;
        const home = add.get(site, "/home", TODAY) as number;
        for (let ago = past.days + 1; ago >= 2; ago--) {
          const ids = Array.from({ length: past.perDay }, (_, i) =>
            Number(
              add.get(site, past.name(ago * past.perDay + i), past.seenToday ? TODAY : TODAY - ago),
            ),
          );
          // The first of each day is counted twice, all others once.
          const counts = ids.map((id, i): [number, number] => [id, i === 0 ? 2 : 1]);
          addDay.run(site, TODAY - ago, pack(new Map([[home, 100], ...counts])));
        }
      })();
    },
  });
  const restartWith = async (filled: Partial<typeof past>) => {
    past = { ...past, perDay: PER_DAY, seenToday: false, ...filled };
    await world().restart();
    past = { ...past, days: 0 };
  };

  /** What the database holds of paths. */
  function held(): { values: number; bytes: number } {
    const db = new Database(databaseFile(world().dataDir), { readonly: true });
    const row = db
      .prepare(
        `SELECT count(*) AS "values", total(octet_length(text)) AS bytes FROM value
         WHERE dimension = 'path'`,
      )
      .get();
    db.close();
    return row as { values: number; bytes: number };
  }

  const pathsOf = async (ago: number) =>
    (await world().stats({ day: formatDay(TODAY - ago) })).path as Record<string, number>;

  it("is 20,000: the rarest of past days become (other), and no sum changes", async () => {
    assert.equal(MAX_VALUES, 20_000);
    const days = 11;
    await restartWith({ days, name: (i) => `/${i}` });
    await world().service.store.upkeep();
    assert.ok(held().values <= MAX_VALUES, `${held().values}`);
    assert.ok(held().values > 0.9 * MAX_VALUES, `${held().values}`);
    let folded = 0;
    for (let ago = 2; ago < days + 2; ago++) {
      const path = await pathsOf(ago);
      assert.equal(path["/home"], 100);
      assert.equal(path[`/${ago * PER_DAY}`], 2);
      assert.equal(
        Object.values(path).reduce((sum, n) => sum + n, 0),
        100 + PER_DAY + 1,
      );
      folded += path[OTHER] ?? 0;
    }
    assert.equal(folded, days * PER_DAY + 1 + 1 - held().values);
  });

  it("is reached, and numbers can be read, with what was kept before there was a bound", async () => {
    const days = 60;
    await restartWith({ days, name: (i) => `/${i}` });
    const { path, pv } = await world().stats({ from: "first", to: formatDay(TODAY), daily: "1" });
    assert.equal(pv, undefined);
    const sum = Object.values(path as Record<string, number>).reduce((all, n) => all + n, 0);
    assert.equal(sum, days * (100 + PER_DAY + 1));
    await world().service.store.upkeep();
    assert.ok(held().values <= MAX_VALUES, `${held().values}`);
  });

  it("is one of bytes, too", async () => {
    await restartWith({ days: 3, name: (i) => `/${"🙂".repeat(120)}${i}` });
    assert.ok(held().bytes > MAX_TEXT_BYTES);
    await world().service.store.upkeep();
    assert.ok(held().bytes <= MAX_TEXT_BYTES, `${held().bytes}`);
    assert.equal((await pathsOf(3))["/home"], 100);
  });

  it("lets nothing new in where upkeep lags, and counts what is known", async () => {
    const tooMany = MAX_TEXT_BYTES + MAX_TEXT_BYTES_PER_DAY;
    const name = (i: number) => `/${i}`.padEnd(Math.ceil(tooMany / (2 * PER_DAY)), "-");
    // As what is counted today, which upkeep leaves alone.
    await restartWith({ days: 2, name, seenToday: true });
    await views(world(), [{ path: "/new" }, { path: "/home" }, { ref: "new.example" }]);
    const { path, ref } = await world().stats();
    assert.deepEqual([path, ref], [{ "/home": 1, [OTHER]: 1 }, { "new.example": 1 }]);
  });

  it("leaves what was counted again since, and what came in late", async () => {
    await restartWith({ days: 11, name: (i) => `/${i}` });
    const again = `/${2 * PER_DAY + 7}`;
    const { clock, service } = world();
    const now = clock.now();
    await views(world(), [{ path: again }]);
    clock.setWall(now - 5 * 86_400_000);
    await views(world(), [{ path: `/${5 * PER_DAY + 9}` }]);
    clock.setWall(now);
    await service.store.upkeep();
    assert.equal((await pathsOf(0))[again], 1);
    const path = await pathsOf(5);
    assert.equal(
      Object.values(path).reduce((sum, n) => sum + n, 0),
      100 + PER_DAY + 2,
    );
    assert.ok(held().values <= MAX_VALUES);
  });
});
