import assert from "node:assert/strict";
import { DEMO_DAYS, DEMO_SITES, type DemoDay, demoDays } from "../../appliance/demo/demo.ts";

const NOON = Date.parse("2026-03-04T12:00:00Z");
const days = [...demoDays(NOON)];
const total = (day: DemoDay, dimension: string) =>
  Object.values(day.counts[dimension] ?? {}).reduce((sum, n) => sum + n, 0);
const of = (site: string | undefined) => days.filter((day) => day.site === site);

describe("the demo data", () => {
  it("is 400 days of two sites up to today", () => {
    assert.equal(days.length, DEMO_DAYS * DEMO_SITES.length);
    assert.equal(days.at(-1)?.day, "2026-03-04");
    assert.equal(days[0]?.day, "2025-01-29");
  });

  it("is the same for the same seed", () => {
    assert.deepEqual([...demoDays(NOON)], days);
    assert.notDeepEqual([...demoDays(NOON, 2)], days);
  });

  it("counts every view once in each dimension of a view", () => {
    for (const day of days) {
      for (const dimension of ["path", "ref", "ref_group", "host", "hour", "dowhour", "country"]) {
        assert.equal(total(day, dimension), total(day, "pv"), `${day.day} ${dimension}`);
      }
    }
  });

  it("counts visitors, sessions, app pings and bots by the hour, too", () => {
    for (const day of days) {
      for (const counter of ["uv", "sessions", "app", "bot"])
        assert.equal(total(day, `${counter}_hour`), total(day, counter), `${day.day} ${counter}`);
    }
  });

  it("has nothing of today that has not come yet", () => {
    const today = days.at(-1);
    assert.deepEqual(
      Object.keys(today?.counts.hour ?? {}).filter((hour) => hour > "11"),
      [],
    );
  });

  it("has weekends, growth and a day everybody came", () => {
    const views = of("fieldnotes").map((day) => total(day, "pv"));
    const early = views.slice(0, 60).reduce((sum, n) => sum + n, 0);
    const late = views.slice(-60).reduce((sum, n) => sum + n, 0);
    assert.ok(late > 1.5 * early);
    assert.ok(Math.max(...views) > 4 * (views.at(-30) ?? 0));
  });

  it("has bots, app pings and surveys", () => {
    assert.ok(days.every((day) => total(day, "bot_kind") > 0));
    assert.ok(of("deckhand").every((day) => total(day, "app") > 0));
    assert.ok(of("deckhand").flatMap(({ surveys }) => surveys).length > 100);
  });
});
