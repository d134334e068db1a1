import assert from "node:assert/strict";
import { formatDay } from "../../../appliance/base/calendar.ts";
import type { Choice } from "../../../appliance/base/input/selection.ts";
import type { DayRange } from "../../../web/dashboard/history.ts";
import {
  choiceName,
  choiceOf,
  comparedRange,
  presetsOf,
  rangeOf,
  shifted,
} from "../../../web/dashboard/period/period.ts";
import { rangeName } from "../../../web/shared/dates.ts";
import { day } from "./history-of.ts";

const history = { first: day("2025-01-01"), last: day("2026-03-04") };
function compared(range: DayRange, compare: "prior" | "year"): DayRange {
  const compared = comparedRange(range, compare);
  assert.ok(compared);
  return compared;
}
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

  it("of 24 hours ends with the hour that runs, and moves neither way", () => {
    const choice = { period: "24h", end: null } as const;
    const range = rangeOf(choice, history, 12);
    assert.deepEqual(range, { from: day("2026-03-03"), to: day("2026-03-04"), hour: 12 });
    assert.equal(shifted(choice, -1, history), null);
    const before = comparedRange(range, "prior");
    assert.deepEqual(before, { from: day("2026-02-24"), to: day("2026-02-25"), hour: 12 });
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

describe("a month or a year", () => {
  const month = (end: string | null): Choice => ({
    period: "month",
    end: end === null ? null : day(end),
  });

  it("is the calendar's, up to today", () => {
    assert.equal(span(rangeOf(month(null), history)), "2026-03-01/2026-03-04");
    assert.equal(span(rangeOf(month("2026-02-11"), history)), "2026-02-01/2026-02-28");
    const year: Choice = { period: "year", end: day("2025-12-31") };
    assert.equal(span(rangeOf(year, history)), "2025-01-01/2025-12-31");
  });

  it("moves to the one beside it", () => {
    const february = shifted(month(null), -1, history);
    assert.deepEqual(february, month("2026-02-28"));
    assert.deepEqual(february && shifted(february, 1, history), month(null));
    assert.deepEqual(shifted(month("2026-02-28"), -1, history), month("2026-01-31"));
    const year = shifted({ period: "year", end: null }, -1, history);
    assert.deepEqual(year, { period: "year", end: day("2025-12-31") });
    assert.equal(year && shifted(year, -1, history), null);
  });
});

describe("what is offered by name", () => {
  const named = (name: string) => {
    const preset = presetsOf(history.last).find((preset) => preset.name === name);
    assert.ok(preset);
    return preset.choice;
  };

  it("means the days a person would expect", () => {
    for (const [name, days] of [
      ["Today", "2026-03-04/2026-03-04"],
      ["Yesterday", "2026-03-03/2026-03-03"],
      ["14 days", "2026-02-19/2026-03-04"],
      ["90 days", "2025-12-05/2026-03-04"],
      ["This month", "2026-03-01/2026-03-04"],
      ["Last month", "2026-02-01/2026-02-28"],
      ["This year", "2026-01-01/2026-03-04"],
      ["Last year", "2025-01-01/2025-12-31"],
    ] as const)
      assert.equal(span(rangeOf(named(name), history)), days, name);
  });

  it("is named on the button, and other days by their dates", () => {
    assert.equal(choiceName(named("Last month"), history), "Last month");
    assert.equal(choiceName({ period: "month", end: day("2025-11-30") }, history), "Nov 2025");
    assert.equal(
      choiceName(custom("2026-03-01", "2026-03-02"), history),
      rangeName(day("2026-03-01"), day("2026-03-02")),
    );
  });
});

describe("chosen days", () => {
  it("may come in either order", () => {
    const chosen = choiceOf(day("2026-02-20"), day("2026-02-10"), history);
    assert.deepEqual(chosen, custom("2026-02-10", "2026-02-20"));
  });

  it("are one day when they are the same, which moves day by day", () => {
    const one = choiceOf(day("2026-03-03"), day("2026-03-03"), history);
    assert.deepEqual(one, { period: "day", end: day("2026-03-03") });
    assert.deepEqual(shifted(one, 1, history), { period: "day", end: null });
    assert.deepEqual(shifted(one, -1, history), { period: "day", end: day("2026-03-02") });
  });
});

describe("the range compared with", () => {
  const week = { from: day("2026-02-26"), to: day("2026-03-04") };

  it("is the days just before, as many of them", () => {
    assert.equal(span(compared(week, "prior")), "2026-02-19/2026-02-25");
    const month = { from: day("2026-02-03"), to: day("2026-03-04") };
    assert.equal(span(compared(month, "prior")), "2026-01-04/2026-02-02");
  });

  it("is of the same weekdays where it is shorter than four weeks", () => {
    const monday = { from: day("2026-03-02"), to: day("2026-03-02") };
    assert.equal(span(compared(monday, "prior")), "2026-02-23/2026-02-23");
    const ten = { from: day("2026-02-23"), to: day("2026-03-04") };
    assert.equal(span(compared(ten, "prior")), "2026-02-09/2026-02-18");
  });

  it("is the same weekdays a year before", () => {
    assert.equal(span(compared(week, "year")), "2025-02-27/2025-03-05");
  });

  it("is none when nothing is to be compared", () => {
    assert.equal(comparedRange(week, "off"), null);
  });

  it("never overlaps, however long the range is", () => {
    const long = { from: day("2025-01-01"), to: day("2026-03-04") };
    assert.ok(compared(long, "year").to < long.from);
  });
});
