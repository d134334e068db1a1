import assert from "node:assert/strict";
import type { History } from "../../../../web/dashboard/history.ts";
import {
  isByThisHour,
  trendOf,
  unitsOf,
  withMarks,
} from "../../../../web/dashboard/traffic/chart/trend-model.ts";
import {
  axisTop,
  type DrawnChart,
  frappeData,
  plotOf,
} from "../../../../web/dashboard/traffic/chart/trend-plot.ts";
import type { Metric } from "../../../../web/dashboard/traffic/figures.ts";
import { day, historyOf } from "../history-of.ts";

const NOW = Date.parse("2026-03-04T12:30:00Z");
const week = historyOf(
  "2026-02-26",
  [1, 2, 3, 4, 5, 6, 7].map((n) => ({ pv: n * 10, uv: n * 5, sessions: n * 6, bot: n })),
  { hour: { "09": [5, 3, 6, 8], "12": [6, 2], "15": [5, 4] }, bounce: { _: [1, 3, 6, 2] } },
);
/** Three visitors at nine. */
const HOURS = new Array<number>(24).fill(0).with(9, 3);
const lastDays = (n: number) => ({ from: day("2026-03-04") - n + 1, to: day("2026-03-04") });
const options = {
  range: lastDays(3),
  compared: { from: day("2026-02-27"), to: day("2026-03-01") },
  metric: "pv" as const,
  bots: false,
  now: NOW,
};

describe("the trend", () => {
  it("has the chosen figure, the other counts beside it, and nothing before when nothing is compared", () => {
    const { lines, before } = trendOf(week, { ...options, compared: null });
    assert.deepEqual(
      lines.map(({ name, values, isOther = false }) => [name, values, isOther]),
      [
        ["Pageviews", [50, 60, 70], false],
        ["Visitors", [25, 30, 35], true],
        ["Sessions", [30, 36, 42], true],
      ],
    );
    assert.equal(before, null);
  });

  it("has app pings where there are any, and bots when they are shown; a rate is alone", () => {
    const keys = (history: History, metric: Metric) =>
      trendOf(history, { ...options, metric, bots: true }).lines.map(({ key }) => key);
    assert.deepEqual(keys(week, "uv"), ["uv", "pv", "sessions", "bot"]);
    const app = historyOf("2026-02-01", [{ app: 1 }]);
    assert.deepEqual(keys(app, "sessions"), ["sessions", "uv", "pv", "app", "bot"]);
    assert.deepEqual(keys(app, "app"), ["app", "uv", "pv", "sessions", "bot"]);
    assert.deepEqual(keys(app, "bounceRate"), ["bounceRate"]);
  });

  it("is drawn by hours, days, weeks or months, where the range allows it", () => {
    const units = (history: History, n: number, metric: Metric = "uv") =>
      unitsOf(history, { range: lastDays(n), metric }).join(" ");
    const hours = historyOf("2026-03-01", [{}, {}, {}, { uv: 3 }], {}, { uv: [[3, ...HOURS]] });
    assert.equal(units(hours, 1), "hour");
    assert.equal(units(hours, 7), "hour day");
    assert.equal(units(week, 7), "day");
    assert.equal(units(hours, 7, "bounceRate"), "day");
    assert.equal(units(hours, 14), "day week");
    assert.equal(units(hours, 100), "day week month");
    assert.equal(units(hours, 500), "week month");
    const drawn = (n: number, unit: "hour" | "day" | "week" | "month" | null) =>
      trendOf(hours, { ...options, compared: null, range: lastDays(n), metric: "uv", unit });
    assert.deepEqual([drawn(30, null).unit, drawn(30, "week").unit], ["day", "week"]);
    // No part of what was asked for.
    assert.equal(drawn(30, "hour").unit, "day");
  });

  it("has every hour of a few days, a gap where a day has none, and a mark at midnight", () => {
    const history = historyOf(
      "2026-03-02",
      [{}, { uv: 4 }, { uv: 3 }],
      {},
      { uv: [[2, ...HOURS]] },
    );
    const asked = { ...options, compared: null, metric: "uv", unit: "hour" } as const;
    const marks = [{ day: "2026-03-03", text: "Out" }];
    const trend = withMarks(trendOf(history, asked), history, marks);
    const values = trend.lines.find(({ key }) => key === "uv")?.values ?? [];
    assert.equal(trend.buckets.length, 3 * 24);
    // No visitor at all on the first day; hours of the second are not known, and the third is not over.
    assert.deepEqual([values[9], values[24 + 9], values[48 + 9]], [0, null, 3]);
    assert.deepEqual([values[48 + 12], values[48 + 13]], [0, null]);
    assert.equal(trend.buckets[48 + 9]?.name, "Wed, 4 Mar 2026, 09:00–09:59");
    assert.deepEqual(
      trend.buckets.flatMap(({ marks }, i) => (marks ? [i] : [])),
      [24],
    );
  });

  it("marks the day that is not over", () => {
    const states = trendOf(week, options).buckets.map(({ state }) => state);
    assert.deepEqual(states, ["whole", "whole", "open"]);
  });

  it("charts one figure with the days it is compared with", () => {
    const { lines, before } = trendOf(week, { ...options, metric: "bounceRate" });
    assert.deepEqual(lines[0]?.values, [0, 0, 2 / 42]);
    assert.deepEqual(before?.values, [3 / 12, 0, 0]);
  });

  describe("behind days that run", () => {
    const hours = (n: number) => [0, ...new Array<number>(9).fill(n), ...new Array(15).fill(0)];
    const kept = historyOf(
      "2026-02-27",
      [{ uv: 5 }, { uv: 6 }, { uv: 20 }, { uv: 1 }, { uv: 2 }, { uv: 3 }],
      { hi: { "<150": [2, 8] } },
      { uv: [[2, ...hours(1).slice(0, 10), 0, 0, 0, 11, ...new Array(10).fill(0)]] },
    );
    const behind = (metric: Metric, change = {}) =>
      trendOf(kept, { ...options, metric, ...change }).before;

    it("ends with what the last of the days before had counted by this hour, and says so", () => {
      const trend = trendOf(kept, { ...options, metric: "uv" });
      assert.deepEqual(trend.before?.values, [5, 6, 9]);
      const found = [0, 1, 2].map((at) => isByThisHour(trend, at));
      assert.deepEqual(found, [false, false, true]);
    });

    it("says nothing of what is not kept by the hour, or is over", () => {
      assert.equal(behind("interaction")?.isPart, false);
      const tomorrow = behind("uv", { now: Date.parse("2026-03-05T00:10:00Z") });
      assert.deepEqual([tomorrow?.isPart, tomorrow?.values], [false, [5, 6, 20]]);
    });

    it("ends a day early where nobody knows what had been counted by then", () => {
      const unknown = historyOf("2026-03-01", [{ uv: 7 }, {}, {}, { uv: 2 }]);
      assert.equal(trendOf(unknown, { ...options, metric: "uv" }).before?.values.at(-1), null);
    });
  });

  it("has a hole where a rate has no base", () => {
    const gap = historyOf("2026-03-02", [{ pv: 2, sessions: 1 }, {}, { pv: 3, sessions: 1 }]);
    assert.deepEqual(trendOf(gap, { ...options, metric: "viewsPerVisit" }).lines[0]?.values, [
      2,
      null,
      3,
    ]);
  });

  describe("of a single day", () => {
    /** Twenty-four hours of which only some counted. */
    const hours = (counts: Record<number, number>) =>
      Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);
    const today = {
      ...options,
      range: lastDays(1),
      compared: { from: day("2026-03-03"), to: day("2026-03-03") },
    };
    const kept = historyOf(
      "2026-03-03",
      [
        { pv: 9, uv: 4, sessions: 5, app: 2, bot: 3 },
        { pv: 10, uv: 5, sessions: 6, app: 3, bot: 4 },
      ],
      { hour: { "09": [1, 8], "12": [1, 2], "15": [0, 9] } },
      {
        uv: [
          [0, ...hours({ 15: 4 })],
          [1, ...hours({ 9: 3, 12: 2 })],
        ],
        sessions: [[1, ...hours({ 9: 6 })]],
        app: [[1, ...hours({ 10: 3 })]],
        bot: [[1, ...hours({ 11: 4 })]],
      },
    );

    it("goes by the hour, with nothing after now", () => {
      const { unit, lines, buckets } = trendOf(week, today);
      assert.equal(unit, "hour");
      assert.deepEqual(lines[0]?.values.slice(8), [0, 8, 0, 0, 2, ...new Array(11).fill(null)]);
      assert.equal(buckets[12]?.state, "open");
    });

    it("has each count by the hour; showing bots only adds their line", () => {
      const values = (metric: Metric) =>
        trendOf(kept, { ...today, metric }).lines[0]?.values.slice(9, 13);
      assert.deepEqual(values("pv"), [8, 0, 0, 2]);
      assert.deepEqual(values("uv"), [3, 0, 0, 2]);
      assert.deepEqual(values("sessions"), [6, 0, 0, 0]);
      assert.deepEqual(values("app"), [0, 3, 0, 0]);
      const { lines: quietLines, ...quietRest } = trendOf(kept, today);
      const { lines, ...rest } = trendOf(kept, { ...today, bots: true });
      assert.deepEqual(lines.slice(0, -1), quietLines);
      assert.deepEqual([lines.at(-1)?.key, lines.at(-1)?.values[11]], ["bot", 4]);
      assert.deepEqual(rest, quietRest);
      assert.deepEqual(rest.totals, []);
    });

    it("tells the day's total where its hours are not known, or only some", () => {
      const range = lastDays(1);
      const yesterday = { ...today, range: { from: range.from - 1, to: range.to - 1 } };
      const old = trendOf(kept, { ...yesterday, metric: "sessions", bots: true });
      const keys = old.lines.map(({ key }) => key);
      assert.deepEqual(keys, ["uv", "pv"]);
      assert.deepEqual(
        old.totals.map(({ name, total }) => [name, total]),
        [
          ["Sessions", 5],
          ["App pings", 2],
          ["Bots", 3],
        ],
      );
      const some = historyOf("2026-03-04", [{ uv: 7 }], {}, { uv: [[0, ...hours({ 9: 3 })]] });
      const { lines, totals } = trendOf(some, { ...today, metric: "uv" });
      assert.equal(lines[0]?.values[9], 3);
      assert.deepEqual(totals, [{ key: "uv", name: "Visitors", total: 7 }]);
    });

    it("charts a count with the day it is compared with, and views where it is a rate", () => {
      const visitors = trendOf(kept, { ...today, metric: "uv" });
      assert.deepEqual([visitors.lines[0]?.values[12], visitors.before?.values[15]], [2, 4]);
      const rate = trendOf(kept, { ...today, metric: "bounceRate" });
      assert.deepEqual([rate.lines[0]?.key, rate.before?.values[15]], ["pv", 9]);
    });
  });

  it("of 24 hours goes from the hour after this one, a mark at midnight", () => {
    const range = { ...lastDays(2), hour: 12 };
    const history = historyOf("2026-03-03", [{ pv: 5 }, { pv: 8 }], {
      hour: { "12": [0, 1], "13": [0, 4], "09": [1, 8] },
    });
    const marks = [{ day: "2026-03-04", text: "Out" }];
    const compared = { ...range, from: range.from - 7, to: range.to - 7 };
    const asked = { ...options, range, compared, metric: "pv", unit: "week" } as const;
    const { unit, buckets, lines, before } = withMarks(trendOf(history, asked), history, marks);
    assert.deepEqual([unit, buckets.length, before?.values.length], ["hour", 24, 24]);
    assert.equal(buckets[0]?.name, "Tue, 3 Mar 2026, 13:00–13:59");
    assert.deepEqual([buckets[22]?.state, buckets[23]?.state], ["whole", "open"]);
    assert.deepEqual([lines[0]?.values[0], lines[0]?.values[20]], [4, 8]);
    assert.deepEqual(
      buckets.flatMap(({ marks }, i) => (marks ? [i] : [])),
      [11],
    );
    assert.deepEqual(unitsOf(history, { range, metric: "pv" }), ["hour"]);
  });

  it("of a long range goes by week or month, the first and last ones cut to the range", () => {
    const long = historyOf("2025-01-01", new Array(428).fill({ pv: 1 }));
    const year = trendOf(long, { ...options, range: lastDays(365) });
    assert.equal(year.unit, "week");
    const found = year.lines[0]?.values.reduce((sum: number, n) => sum + (n ?? 0), 0);
    assert.equal(found, 365);
    assert.equal(year.buckets.at(-1)?.state, "open");
    const ages = trendOf(long, {
      ...options,
      range: { from: day("2023-01-01"), to: lastDays(1).to },
    });
    assert.equal(ages.unit, "month");
    assert.equal(ages.buckets[0]?.name, "Jan 2023");
  });
});

describe("the chart's own marks", () => {
  const sources = [
    { number: 0, kind: "now" as const, from: "2026-03-02" },
    { number: 1, kind: "copy" as const, from: "2026-02-26" },
  ];
  const change = { zoneChange: { from: "2026-03-03", before: "UTC" } };
  type More = Parameters<typeof historyOf>[4];
  /** The day and text of each mark, on the last days of a week. */
  const marksOn = (n: number, more: More, range = lastDays(n)) => {
    const days = Array.from({ length: 7 }, () => ({ pv: 1 }));
    const history = historyOf("2026-02-26", days, {}, {}, more);
    const trend = trendOf(history, { ...options, range, compared: null });
    return withMarks(trend, history, [{ day: "2026-03-04", text: "Released 2.0" }]).buckets.flatMap(
      ({ name, marks = [] }) =>
        marks.map(({ text, isQuiet = false }) => [name.slice(5, 10).trim(), text, isQuiet]),
    );
  };
  const released = ["4 Mar", "Released 2.0", false];

  it("say when detail begins, the zone changed, and what was brought ends", () => {
    assert.deepEqual(marksOn(7, { sources, ...change }), [
      ["2 Mar", "Imported until here", true],
      ["3 Mar", "Zone changed: UTC before", true],
      released,
    ]);
    const detail = { from: "2026-03-01", sampled: 1 };
    assert.deepEqual(marksOn(7, { detail }), [["1 Mar", "Detail begins", true], released]);
  });

  it("are not there where no day before is drawn", () => {
    const detail = { from: "2026-03-02", sampled: 1 };
    assert.deepEqual(marksOn(3, { sources, detail }), [released]);
    assert.deepEqual(marksOn(2, { sources, ...change }), [released]);
    assert.equal(marksOn(4, { detail }).length, 2);
    assert.deepEqual(marksOn(7, { detail: { from: null, sampled: 1 } }), [released]);
  });

  it("leave out what happened before detail begins", () => {
    const detail = { from: "2026-03-02", sampled: 1 };
    assert.deepEqual(marksOn(7, { sources, detail, ...change }), [
      ["2 Mar", "Detail begins", true],
      ["3 Mar", "Zone changed: UTC before", true],
      released,
    ]);
  });

  it("take what was counted here before a restore as counted here, and one source alone as all", () => {
    const [own, copy] = sources as [(typeof sources)[0], (typeof sources)[0]];
    const before = { number: 2, kind: "here" as const, from: "2026-02-26" };
    assert.deepEqual(marksOn(7, { sources: [own, before] }), [released]);
    assert.deepEqual(marksOn(7, { sources: [own, copy, before] }), [released]);
    assert.deepEqual(marksOn(7, { sources, only: 1 }), [released]);
    assert.deepEqual(marksOn(7, { sources: [{ number: 0, kind: "now" }, copy] }), [released]);
  });
});

describe("the axis", () => {
  it("reaches what is drawn, in steps that are whole for counts", () => {
    assert.equal(axisTop([0, 1, null], "count"), 4);
    assert.equal(axisTop([10], "count"), 12);
    assert.equal(axisTop([137], "count"), 137);
    assert.equal(axisTop([0.4], "rate"), 100);
    assert.equal(axisTop([2.2], "ratio"), 3);
  });
});

describe("the plot", () => {
  const chart = {
    state: { xAxis: { positions: [10, 20, 30] }, yAxis: { zeroLine: 100, scaleMultiplier: 1 } },
    measures: { titleHeight: 0, margins: { top: 10, left: 20 }, paddings: { top: 20, left: 30 } },
    width: 40,
    height: 100,
  } satisfies DrawnChart;

  it("shows frappe's line over whole days and draws the open one itself", () => {
    const [line] = plotOf(chart, trendOf(week, options), 1).lines;
    assert.deepEqual(line?.whole, [{ from: 10, to: 20 }]);
    assert.deepEqual(line?.open, [
      [20, 40],
      [30, 30],
    ]);
  });

  it("gives a point without neighbours a dot", () => {
    const gap = historyOf("2026-03-01", [{ pv: 2, sessions: 1 }, {}, { pv: 3, sessions: 1 }, {}]);
    const range = { from: day("2026-03-01"), to: day("2026-03-03") };
    const trend = trendOf(gap, { ...options, range, metric: "viewsPerVisit" });
    const [line] = plotOf(chart, trend, 1).lines;
    assert.deepEqual(line?.whole, []);
    const found = line?.lone.map(([x]) => x);
    assert.deepEqual(found, [10, 30]);
  });

  it("fills the chosen figure only", () => {
    const { lines } = plotOf(chart, trendOf(week, { ...options, bots: true }), 1);
    assert.deepEqual(
      lines.map(({ line, area }) => [line.key, area.length]),
      [
        ["pv", 1],
        ["uv", 0],
        ["sessions", 0],
        ["bot", 0],
      ],
    );
  });

  it("has frappe leave out days by their place alone, though some have a shorter name", () => {
    const { labels } = frappeData(trendOf(week, { ...options, range: lastDays(7) }), "count");
    assert.equal(new Set(labels.map(({ length }) => length)).size, 1);
    assert.equal(labels.at(-1)?.trim().replaceAll("\u200b", ""), "4 Mar");
  });

  it("never hands frappe a value of a visitor", () => {
    const hostile = historyOf("2026-03-03", [{ pv: 1 }, { pv: 2 }], { path: { "<img>": [0, 1] } });
    const data = frappeData(trendOf(hostile, { ...options, range: lastDays(2) }), "count");
    assert.deepEqual(data.labels, ["3 Mar", "4 Mar"]);
    assert.ok(data.datasets.every(({ name }) => name === ""));
  });
});
