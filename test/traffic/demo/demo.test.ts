import assert from "node:assert/strict";
import { formatDay } from "../../../appliance/base/calendar.ts";
import { DIMENSIONS, FLAG } from "../../../appliance/store/log/record.ts";
import {
  DEMO_DAYS,
  DEMO_SITES,
  type DemoDay,
  demoDays,
} from "../../../appliance/traffic/demo/demo.ts";

const NOON = Date.parse("2026-03-04T12:00:00Z");
const days = [...demoDays(NOON)];
const total = ({ hits }: DemoDay, kind: string, isMeant = (_: DemoDay["hits"][number]) => true) =>
  hits.reduce((sum, hit) => sum + (hit.kind === kind && isMeant(hit) ? hit.times : 0), 0);
const of = (site: string | undefined) => days.filter((day) => day.site === site);

describe("the demo data", () => {
  it("is 400 days of two sites up to today", () => {
    assert.equal(days.length, DEMO_DAYS * DEMO_SITES.length);
    assert.equal(formatDay(days.at(-1)?.day ?? 0), "2026-03-04");
    assert.equal(formatDay(days[0]?.day ?? 0), "2025-01-29");
  });

  it("is the same for the same seed", () => {
    assert.deepEqual([...demoDays(NOON)], days);
    assert.notDeepEqual([...demoDays(NOON, 2)], days);
  });

  it("has a value of each dimension that a view has, and all that there are", () => {
    const all = new Set<string>();
    for (const { kind, values } of days.flatMap(({ hits }) => hits)) {
      const dimensions = values.map(([dimension]) => dimension);
      for (const dimension of dimensions) all.add(dimension);
      if (kind !== "view") continue;
      for (const dimension of ["path", "ref", "ref_group", "source", "host", "country", "viewport"])
        assert.equal(dimensions.filter((one) => one === dimension).length, 1, dimension);
    }
    // Its owner leaves nothing out.
    assert.deepEqual([...all, "left_out"].sort(), [...DIMENSIONS].sort());
  });

  it("has visitors, sessions that go on, and some that end at once", () => {
    for (const site of DEMO_SITES) {
      const sum = (flag: number) =>
        of(site).reduce(
          (all, day) => all + total(day, "view", ({ flags }) => (flags & flag) !== 0),
          0,
        );
      const views = of(site).reduce((all, day) => all + total(day, "view"), 0);
      const sessions = sum(FLAG.session);
      assert.ok(sum(FLAG.visitor) < sessions && sum(FLAG.visitor) > 0.8 * sessions);
      assert.ok(sessions < 0.7 * views, `${sessions} of ${views}`);
      assert.ok(sum(FLAG.engaged) > 0.3 * sessions && sum(FLAG.bounce) > 0.3 * sessions);
    }
  });

  it("comes from inside the site for a third of its views, as that of real sites does", () => {
    const isInside = ({ values }: DemoDay["hits"][number]) =>
      values.some(([dimension, value]) => dimension === "ref_group" && value === "internal");
    for (const site of DEMO_SITES) {
      const sum = (isMeant?: typeof isInside) =>
        of(site).reduce((all, day) => all + total(day, "view", isMeant), 0);
      const share = sum(isInside) / sum();
      assert.ok(share > 0.3 && share < 0.65, `${site}: ${share}`);
    }
  });

  it("is all of its day, and nothing of today that has not come yet", () => {
    for (const { day, hits } of days)
      for (const { moment } of hits) assert.equal(Math.floor(moment / 24), day);
    const today = days.at(-1);
    assert.ok((today?.hits.length ?? 0) > 0);
    for (const { moment } of today?.hits ?? []) assert.ok(moment % 24 < 12);
  });

  it("has weekends, growth and a day everybody came", () => {
    const views = of("fieldnotes").map((day) => total(day, "view"));
    const early = views.slice(0, 60).reduce((sum, n) => sum + n, 0);
    const late = views.slice(-60).reduce((sum, n) => sum + n, 0);
    assert.ok(late > 1.5 * early);
    assert.ok(Math.max(...views) > 4 * (views.at(-30) ?? 0));
    const [saturday, monday] = ["2026-02-14", "2026-02-16"].map((name) =>
      of("fieldnotes").findIndex(({ day }) => formatDay(day) === name),
    );
    assert.ok((views[saturday ?? 0] ?? 0) < 0.85 * (views[monday ?? 0] ?? 0));
  });

  it("has bots, app pings and surveys", () => {
    assert.ok(days.every((day) => total(day, "crawler") > 0));
    assert.ok(of("deckhand").every((day) => total(day, "ping") > 0));
    assert.ok(of("deckhand").flatMap(({ surveys }) => surveys).length > 100);
  });
});
