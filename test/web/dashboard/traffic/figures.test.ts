import assert from "node:assert/strict";
import {
  addUp,
  delta,
  figure,
  figureText,
  sumsByDay,
} from "../../../../web/dashboard/traffic/figures.ts";
import { day, historyOf } from "../history-of.ts";

const sums = { pv: 30, uv: 12, sessions: 10, bounce: 4, hi: 21, app: 3 };
const nothing = { pv: 0, uv: 0, sessions: 0, bounce: 0, hi: 0, app: 0 };

describe("figures", () => {
  it("are made of their sums", () => {
    assert.equal(figureText("viewsPerVisit", figure("viewsPerVisit", sums)), "2.50");
    assert.equal(figureText("bounceRate", figure("bounceRate", sums)), "40%");
    assert.equal(figureText("engagementRate", figure("engagementRate", sums)), "60%");
    assert.equal(figureText("interaction", figure("interaction", sums)), "70%");
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

  it("add up the days of a range only", () => {
    const history = historyOf("2026-03-01", [{ pv: 1 }, { pv: 10, uv: 4 }, { pv: 100 }], {
      bounce: { _: [1, 2] },
      hi: { "<150": [0, 9, 1, 3], ">2000": [1, 4] },
    });
    const range = { from: day("2026-03-02"), to: day("2026-03-02") };
    assert.deepEqual(addUp(sumsByDay(history, range)), {
      ...nothing,
      pv: 10,
      uv: 4,
      bounce: 2,
      hi: 7,
    });
  });

  it("are zero before the first day", () => {
    const history = historyOf("2026-03-01", [{ pv: 5 }]);
    const range = { from: day("2026-02-20"), to: day("2026-03-01") };
    assert.equal(addUp(sumsByDay(history, range)).pv, 5);
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
