import assert from "node:assert/strict";
import { byTime } from "../../../../appliance/base/reading.ts";
import type { Gap } from "../../../../appliance/store/reports.ts";
import {
  addUp,
  chartable,
  comparedFigures,
  delta,
  figure,
  figureOf,
  figureText,
  type Metric,
  sumsByDay,
  whyUnknown,
} from "../../../../web/dashboard/traffic/figures.ts";
import { day, historyOf } from "../history-of.ts";

const sums = {
  ...{ pv: 30, uv: 12, sessions: 10, engaged: 6, hi: 21, app: 3, events: 4 },
  ...{ again: 8, fresh: 6 },
  ...byTime((time) => (time === "30-60" ? 4 : 1)),
};
const nothing = {
  ...{ pv: 0, uv: 0, sessions: 0, engaged: 0, hi: 0, app: 0, events: 0 },
  ...{ again: 0, fresh: 0 },
  ...byTime(() => 0),
};

describe("figures", () => {
  it("are made of their sums", () => {
    assert.equal(figureText("viewsPerVisit", figure("viewsPerVisit", sums)), "3.00");
    assert.equal(figureText("bounceRate", figure("bounceRate", sums)), "40.0%");
    assert.equal(figureText("engagementRate", figure("engagementRate", sums)), "60.0%");
    assert.equal(figureText("interaction", figure("interaction", sums)), "70.0%");
    assert.equal(figureText("returning", figure("returning", sums)), "25.0%");
  });

  it("tell how many of a range's visitors come again", () => {
    const history = historyOf("2026-03-01", [{ uv: 4 }, { uv: 4 }, { uv: 9 }], {
      again: { new: [0, 3, 1, 1], 1: [1, 2], ">30": [1, 1, 2, 9] },
    });
    const range = { from: day("2026-03-01"), to: day("2026-03-02") };
    assert.equal(figureOf(history, "returning", range), 3 / 7);
  });

  it("show a dash where they have no base", () => {
    for (const metric of [
      "viewsPerVisit",
      "bounceRate",
      "engagementRate",
      "interaction",
    ] as const) {
      assert.equal(figureText(metric, figure(metric, nothing)), "–");
    }
    assert.equal(figureText("pv", figure("pv", nothing)), "0");
  });

  it("of which one is a part of the other are never more than all", () => {
    // A view opened before midnight has its first input after it.
    const night = { ...nothing, pv: 1, hi: 2, sessions: 1, engaged: 3 };
    assert.equal(figureText("interaction", figure("interaction", night)), "100%");
    assert.equal(figureText("engagementRate", figure("engagementRate", night)), "100%");
    assert.equal(figureText("bounceRate", figure("bounceRate", night)), "0%");
    assert.equal(figureText("interaction", figure("interaction", { ...nothing, hi: 2 })), "–");
  });

  it("add up the days of a range only", () => {
    const history = historyOf("2026-03-01", [{ pv: 1 }, { pv: 10, uv: 4 }, { pv: 100 }], {
      engaged: { _: [0, 1, 1, 2] },
      hi: { "<150": [0, 9, 1, 3], ">2000": [1, 4] },
    });
    const range = { from: day("2026-03-02"), to: day("2026-03-02") };
    assert.deepEqual(addUp(sumsByDay(history, range)), {
      ...nothing,
      pv: 10,
      uv: 4,
      engaged: 2,
      hi: 7,
    });
  });

  it("are zero before the first day", () => {
    const history = historyOf("2026-03-01", [{ pv: 5 }]);
    const range = { from: day("2026-02-20"), to: day("2026-03-01") };
    assert.equal(addUp(sumsByDay(history, range)).pv, 5);
  });
});

describe("engagement", () => {
  const sessions = Array.from({ length: 20 }, () => ({ sessions: 10 }));
  const rateOn = (history: ReturnType<typeof historyOf>, text: string) => {
    const range = { from: day(text), to: day(text) };
    return figureText("bounceRate", figure("bounceRate", addUp(sumsByDay(history, range))));
  };

  it("is told by second views from the first day that has one, and by bounces before", () => {
    const history = historyOf("2026-03-01", sessions, {
      bounce: { _: [0, 3, 1, 4, 2, 1, 3, 1] },
      engaged: { _: [2, 5] },
    });
    assert.equal(rateOn(history, "2026-03-01"), "30.0%");
    assert.equal(rateOn(history, "2026-03-02"), "40.0%");
    assert.equal(rateOn(history, "2026-03-03"), "50.0%");
    assert.equal(rateOn(history, "2026-03-04"), "100%");
  });

  it("is told by bounces on imported days whose tool has no second views, whenever they are", () => {
    const gap = { from: "2026-03-02", to: "2026-03-03" };
    const daily = { bounce: { _: [1, 4, 1, 4] }, engaged: { _: [0, 5] } };
    const history = (...lacks: Gap["lacks"]) =>
      historyOf("2026-03-01", sessions, daily, {}, { gaps: [{ ...gap, lacks }] });
    const range = { from: day(gap.from), to: day(gap.to) };
    const told = history("engaged", "hi");
    assert.equal(figureOf(told, "bounceRate", range), 0.4);
    assert.equal(figureOf(told, "engagementRate", range), 0.6);
    assert.equal(figureOf(told, "interaction", range), null);
    assert.equal(figureOf(history("engaged", "bounce"), "bounceRate", range), null);
  });

  it("stands beside no days that are not known, nor is compared where it is of a part", () => {
    const gap = { from: "2026-03-01", to: "2026-03-02", lacks: ["pv"] as const };
    const steady = Array.from({ length: 4 }, () => ({ pv: 10 }));
    const history = historyOf("2026-03-01", steady, {}, {}, { gaps: [gap] });
    const [early, late] = [
      { from: day("2026-03-01"), to: day("2026-03-02") },
      { from: day("2026-03-03"), to: day("2026-03-04") },
    ];
    const now = Date.UTC(2026, 2, 9);
    const was = (range: typeof early, compared: typeof early) =>
      comparedFigures(history, "pv", { range, compared, now })?.before ?? null;
    assert.equal(was(late, early), null);
    assert.equal(was({ from: early.to, to: late.from }, late), null);
    assert.equal(was(late, late), 20);
  });

  it("of a site that has told of no second view is judged by bounces", () => {
    assert.equal(
      rateOn(historyOf("2026-03-01", sessions, { bounce: { _: [0, 4] } }), "2026-03-01"),
      "40.0%",
    );
  });

  it("is never less than nothing or more than all", () => {
    const early = historyOf("2026-03-01", sessions, { bounce: { _: [0, 11] } });
    assert.equal(rateOn(early, "2026-03-01"), "100%");
    const late = historyOf("2026-03-01", sessions, { engaged: { _: [0, 11] } });
    assert.equal(rateOn(late, "2026-03-01"), "0%");
  });

  it("is not compared with, or on, the last seven days that bounces judge", () => {
    const history = historyOf("2026-03-01", sessions, {
      bounce: { _: [0, 4] },
      engaged: { _: [10, 5, 11, 5] },
    });
    const was = (range: string, compared: string) =>
      comparedFigures(history, "bounceRate", {
        range: { from: day(range), to: day(range) },
        compared: { from: day(compared), to: day(compared) },
        now: Date.UTC(2026, 5, 1),
      })?.before ?? null;
    assert.notEqual(was("2026-03-12", "2026-03-11"), null);
    assert.equal(was("2026-03-11", "2026-03-10"), null);
    assert.equal(was("2026-03-11", "2026-03-04"), null);
    assert.notEqual(was("2026-03-11", "2026-03-03"), null);
    assert.equal(was("2026-03-04", "2026-03-03"), null);
    assert.notEqual(was("2026-03-03", "2026-03-02"), null);
  });
});

describe("what a figure is compared with", () => {
  const at = (counts: Record<number, number>) =>
    Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);
  const history = historyOf(
    "2026-03-01",
    [
      { pv: 50, sessions: 20, uv: 4 },
      { pv: 100, sessions: 40, uv: 30 },
      { pv: 9, sessions: 3, uv: 2 },
    ],
    {
      hour: { "08": [1, 60], "12": [1, 10], "20": [1, 30], "09": [2, 9] },
      engaged: { _: [0, 5, 1, 20, 2, 1] },
      hi: { "<150": [1, 50] },
    },
    { sessions: [[1, ...at({ 8: 10, 20: 30 })]], engaged: [[1, ...at({ 8: 5, 20: 15 })]] },
  );
  const noon = Date.parse("2026-03-03T12:10:00Z");
  const today = { from: day("2026-03-03"), to: day("2026-03-03") };
  const stands = (metric: Metric, now: number, days: number) =>
    comparedFigures(history, metric, {
      range: { ...today, from: today.to - days + 1 },
      compared: { from: today.from - days, to: today.to - 1 },
      now,
    });
  const was = (metric: Metric, now = noon) => stands(metric, now, 1)?.before ?? null;

  it("is the day before by the same hour while today runs", () => {
    assert.equal(was("pv"), 70);
    assert.equal(was("sessions"), 10);
    assert.equal(was("viewsPerVisit"), 7);
    assert.equal(was("engagementRate"), 0.5);
  });

  it("is the whole day before of what is not kept by the hour", () => {
    assert.equal(was("interaction"), 0.5);
  });

  it("is nothing where hours were not kept yet, and of more days those that are over", () => {
    assert.equal(was("uv"), null);
    assert.deepEqual(stands("uv", noon, 2), { now: 30, before: 4, isWithoutToday: true });
    assert.deepEqual(stands("pv", noon, 2), { now: 109, before: 120, isWithoutToday: false });
  });

  it("is the whole day before once the day is over", () => {
    const tomorrow = Date.parse("2026-03-04T00:00:00Z");
    assert.equal(was("pv", tomorrow), 100);
    assert.equal(was("uv", tomorrow), 30);
  });

  it("is nothing before the first day", () => {
    assert.equal(stands("pv", noon, 3), null);
  });
});

describe("a delta", () => {
  it("is in percent of what was", () => {
    assert.deepEqual(delta("pv", 150, 100), { text: "+50%", verdict: "good" });
    assert.deepEqual(delta("pv", 98.5, 100), { text: "−1.5%", verdict: "bad" });
    assert.deepEqual(delta("pv", 100, 100), { text: "±0%", verdict: "same" });
  });

  it("of a rate is in percentage points", () => {
    assert.deepEqual(delta("interaction", 0.7, 0.6), { text: "+10 pts", verdict: "good" });
  });

  it("is good news when fewer people bounce", () => {
    assert.deepEqual(delta("bounceRate", 0.3, 0.4), { text: "−10 pts", verdict: "good" });
    assert.equal(delta("bounceRate", 0.4, 0.3).verdict, "bad");
  });

  it("is a dash when there is nothing to compare with", () => {
    assert.deepEqual(delta("pv", 5, 0), { text: "–", verdict: "none" });
    assert.deepEqual(delta("bounceRate", 0.5, null), { text: "–", verdict: "none" });
  });
});

describe("the figures of 24 hours", () => {
  const at = (counts: Record<number, number>) =>
    Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);
  const two = { pv: 100, uv: 60, sessions: 40, app: 5 };
  const sessions = [0, 1, 7, 8].map((offset) => [offset, ...at({ 8: 10, 20: 30 })]);
  const history = historyOf(
    "2026-03-01",
    [two, two, ...Array.from({ length: 5 }, () => ({})), two, { ...two, pv: 60, sessions: 10 }],
    {
      hour: { "08": [0, 60, 1, 60, 7, 60, 8, 60], "20": [0, 40, 1, 40, 7, 40] },
      engaged: { _: [0, 20, 1, 20, 7, 20, 8, 5] },
    },
    {
      sessions: [...sessions.slice(0, 3), [8, ...at({ 8: 10 })]],
      engaged: [0, 1, 7].map((offset) => [offset, ...at({ 8: 5, 20: 15 })]),
    },
  );
  const now = Date.parse("2026-03-09T12:10:00Z");
  const range = { from: day("2026-03-08"), to: day("2026-03-09"), hour: 12 };
  const compared = { ...range, from: range.from - 7, to: range.to - 7 };

  it("are of the hours since the same one yesterday, beside the same hours a week before", () => {
    assert.equal(figureOf(history, "pv", range), 100);
    assert.equal(figureOf(history, "pv", { ...range, hour: 20 }), 60);
    assert.deepEqual(comparedFigures(history, "pv", { range, compared, now }), {
      now: 100,
      before: 100,
      isWithoutToday: false,
    });
    assert.equal(figureOf(history, "viewsPerVisit", range), 2.5);
  });

  it("are unknown where hours are not kept, were not, or count who comes twice in one of two days only", () => {
    const known = (metric: Metric) => whyUnknown(history, metric, range) === null;
    for (const metric of ["uv", "app", "returning", "interaction"] as const)
      assert.equal(known(metric), false, metric);
    for (const metric of ["pv", "sessions", "viewsPerVisit", "bounceRate"] as const)
      assert.equal(known(metric), true, metric);
    assert.equal(figureOf(history, "engagementRate", range), null);
    assert.equal(comparedFigures(history, "engagementRate", { range, compared, now }), null);
  });

  it("are charted as pageviews where visitors would be", () => {
    const choice = { period: "24h", end: null } as const;
    assert.equal(chartable(history, { metric: null, choice }), "pv");
    assert.equal(chartable(history, { metric: "uv", choice }), "pv");
    assert.equal(chartable(history, { metric: "sessions", choice }), "sessions");
  });
});
