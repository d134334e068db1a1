import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import { notKept } from "../../../appliance/links/backups/keeping.ts";
import { backupName } from "../../../appliance/links/backups/names.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

const ZONE = new DayZone({ zone: "Europe/Berlin", before: null });
/** A Friday, 3 at night in Berlin. */
const NOW = Date.UTC(2026, 10, 27, 2);

const backup = (at: number) => backupName(at, "kitchen", "0a1b2c3d");
/** The kept ones of these, the newest first, as `YYYY-MM-DD`. */
function kept(times: readonly number[], now = NOW): string[] {
  const own = times.map(backup);
  const gone = new Set(notKept(own, ZONE, now).map(({ file }) => file));
  return own
    .filter(({ file }) => !gone.has(file))
    .sort((a, b) => b.at - a.at)
    .map(({ at }) => new Date(at).toISOString().slice(0, 10));
}

describe("of many backups there are kept", () => {
  it("seven days, four weeks and twelve months, after years of nights", () => {
    const nights = Array.from({ length: 900 }, (_, index) => NOW - index * DAY_MS);
    assert.deepEqual(kept(nights), [
      ...["2026-11-27", "2026-11-26", "2026-11-25", "2026-11-24", "2026-11-23"],
      // The last of its week, and the last seven days.
      ...["2026-11-22", "2026-11-21", "2026-11-15", "2026-11-08"],
      ...["2026-10-31", "2026-09-30", "2026-08-31", "2026-07-31", "2026-06-30", "2026-05-31"],
      ...["2026-04-30", "2026-03-31", "2026-02-28", "2026-01-31", "2025-12-31"],
    ]);
  });

  it("the last of each day, by the days of the zone", () => {
    // 23:30 and 0:30 in Berlin, of one day in UTC.
    const before = Date.UTC(2026, 10, 25, 22, 30);
    assert.deepEqual(kept([before, before + HOUR_MS]), ["2026-11-25", "2026-11-25"]);
    assert.equal(kept([before - HOUR_MS, before]).length, 1);
  });

  it("all of the last seven days with a backup, however long the machine was off", () => {
    const old = Array.from({ length: 7 }, (_, index) => NOW - (400 + index) * DAY_MS);
    assert.equal(kept(old).length, 7);
  });

  it("those of the future, which a wrong clock has named, besides", () => {
    const future = Array.from({ length: 30 }, (_, index) => NOW + (40 + index) * DAY_MS);
    const nights = Array.from({ length: 7 }, (_, index) => NOW - index * DAY_MS);
    assert.equal(kept([...future, ...nights]).length, 37);
  });

  it("the one that is made now, though one of the same day has a later time", () => {
    const own = [NOW, NOW + 8 * HOUR_MS].map(backup);
    assert.deepEqual(notKept(own, ZONE, NOW), []);
  });

  it("whatever was kept of the same ones a moment before", () => {
    const draw = seeded(TEST_SEED);
    for (let round = 0; round < 200; round++) {
      const times = Array.from({ length: draw.below(120) }, () => NOW - draw.below(500 * DAY_MS));
      const own = times.map(backup);
      const gone = notKept(own, ZONE, NOW);
      const left = own.filter((each) => !gone.includes(each));
      assert.deepEqual(notKept(left, ZONE, NOW), [], `TEST_SEED=${TEST_SEED}`);
      // The newest of all is never given up, and there are never more than each rule asks for.
      const newest = own.toSorted((a, b) => b.at - a.at)[0];
      if (newest) assert.ok(left.includes(newest));
      assert.ok(left.length <= 7 + 4 + 12);
    }
  });
});
