import assert from "node:assert/strict";
import { formatDay } from "../../../appliance/base/calendar.ts";
import type { DayRange } from "../../../web/dashboard/history.ts";
import { type Choice, comparedRange, rangeOf, shifted } from "../../../web/dashboard/period.ts";
import { day } from "./history-of.ts";

const history = { first: day("2025-01-01"), last: day("2026-03-04") };
const span = ({ from, to }: DayRange) => `${formatDay(from)}/${formatDay(to)}`;
const last = (period: "day" | "7d" | "30d" | "365d" | "all"): Choice => ({ period, end: null });
const custom = (from: string, to: string): Choice => ({
  period: "custom",
  from: day(from),
  to: day(to),
});

describe("a period", () => {
  it("ends today", () => {
    assert.equal(span(rangeOf(last("day"), history)), "2026-03-04/2026-03-04");
    assert.equal(span(rangeOf(last("7d"), history)), "2026-02-26/2026-03-04");
    assert.equal(span(rangeOf(last("30d"), history)), "2026-02-03/2026-03-04");
  });

  it("is the whole history when all of it is asked for", () => {
    assert.equal(span(rangeOf(last("all"), history)), "2025-01-01/2026-03-04");
  });

  it("never reaches past today", () => {
    assert.equal(
      span(rangeOf(custom("2026-03-01", "2026-04-01"), history)),
      "2026-03-01/2026-03-04",
    );
  });

  it("is never longer than the collector answers, nor long before the first day", () => {
    assert.equal(
      span(rangeOf(custom("0001-01-01", "2026-03-04"), history)),
      "2015-03-23/2026-03-04",
    );
    for (const choice of [
      custom("0001-01-01", "0001-01-09"),
      { period: "7d", end: day("0001-01-01") } as const,
    ])
      assert.equal(formatDay(rangeOf(choice, history).to), "2014-01-19");
  });

  it("moves by its own length", () => {
    const back = shifted(last("7d"), -1, history);
    assert.deepEqual(back, { period: "7d", end: day("2026-02-25") });
    assert.deepEqual(back && shifted(back, 1, history), last("7d"));
    const before = shifted(custom("2026-03-01", "2026-03-03"), -1, history);
    assert.equal(before && span(rangeOf(before, history)), "2026-02-26/2026-02-28");
  });

  it("stops at both ends of the history", () => {
    assert.equal(shifted(last("7d"), 1, history), null);
    assert.equal(shifted(custom("2025-01-01", "2025-01-07"), -1, history), null);
    assert.equal(shifted(last("all"), -1, history), null);
  });
});

describe("the range compared with", () => {
  const week = { from: day("2026-02-26"), to: day("2026-03-04") };

  it("is the days just before, as many of them", () => {
    assert.equal(span(comparedRange(week, "prior")), "2026-02-19/2026-02-25");
  });

  it("is the same weekdays a year before", () => {
    assert.equal(span(comparedRange(week, "year")), "2025-02-27/2025-03-05");
  });

  it("never overlaps, however long the range is", () => {
    const long = { from: day("2025-01-01"), to: day("2026-03-04") };
    assert.ok(comparedRange(long, "year").to < long.from);
  });
});
