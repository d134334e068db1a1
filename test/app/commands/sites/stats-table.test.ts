import assert from "node:assert/strict";
import { tableOf } from "../../../../appliance/app/commands/sites/stats-table.ts";
import type { SeriesRow } from "../../../../appliance/store/reports.ts";

const SERIES: SeriesRow[] = [
  ["2026-01-30", 9, 2, 3, 1, 0],
  ["2026-01-31", 1200, 20, 30, 40, 0],
];

function table(columns: number, more: Record<string, Record<string, number>> = {}): string[] {
  const days = {
    site: "blog",
    from: "2026-01-30",
    to: "2026-01-31",
    zone: "Asia/Tokyo",
    series: SERIES,
  };
  return tableOf({ ...days, ...more }, { columns, namesZone: true });
}

describe("the table of a site's numbers", () => {
  it("has a row a day and their sum, aligned, without what nobody counted", () => {
    assert.deepEqual(table(80), [
      "blog, 2026-01-30 to 2026-01-31 (Asia/Tokyo)",
      "",
      "▂█",
      "",
      "Day         Pageviews  Visitors  Sessions  Bots",
      "2026-01-30          9         2         3     1",
      "2026-01-31      1,200        20        30    40",
      "Sum             1,209        22        33    41",
    ]);
  });

  it("says of what is not known that it is not, and not that it was none", () => {
    const lines = table(80, {
      gaps: [{ from: "2026-01-30", to: "2026-01-30", lacks: ["uv", "bot", "hi"] }],
    } as never);
    assert.equal(lines[5], "2026-01-30          9         –         3     –");
    assert.deepEqual(lines.slice(8), [
      "",
      "– is not known: these days were imported from a tool that does not tell it.",
    ]);
  });

  it("says how long pages were in sight, where any told it", () => {
    const lines = table(80, { time: { "<10": 1, "60-180": 3, unknown: 4 } });
    assert.deepEqual(lines.slice(8), ["", "Time on page: 1 min 40 s, the median"]);
  });

  it("draws the views of its days in one line, of several days a bar where it is narrow", () => {
    const chart = (views: readonly number[], columns = 80) => {
      const series = views.map((pv, n): SeriesRow => [`2026-01-${n + 10}`, pv, 0, 0, 0, 0]);
      const days = { site: "blog", from: "2026-01-10", to: "2026-01-31", zone: "UTC" };
      return tableOf({ ...days, series }, { columns, namesZone: false })[2];
    };
    assert.equal(chart([0, 1, 100, 50, 700]), "▁▂▂▂█");
    assert.equal(chart([0, 0]), "▁▁");
    assert.equal(chart([1, 1, 0, 0, 8], 3), "▃▁█");
    assert.match(chart([5]) ?? "", /^Day /);
  });

  it("leaves out the last columns where a terminal is narrow, and never the views", () => {
    assert.equal(table(46)[4], "Day         Pageviews  Visitors  Sessions");
    assert.equal(table(5)[4], "Day         Pageviews");
  });

  it("lists the most frequent values, cut to the terminal", () => {
    const path = { "/a": 1, "/b": 70, [`/${"x".repeat(99)}`]: 8, "/c": 2, "/d": 3, "/e": 4 };
    assert.deepEqual(table(20, { path }).slice(-6), [
      "Pages, the first 5 of 6",
      "  /b              70",
      "  /xxxxxxxxxxxx…   8",
      "  /e               4",
      "  /d               3",
      "  /c               2",
    ]);
  });

  it("prints nothing that speaks to the terminal, whatever a visitor sent", () => {
    const path = { "/\x1b[2J\x9b\u202e\n": 1 };
    assert.equal(table(80, { path }).at(-1), "  /?[2J???  1");
  });
});
