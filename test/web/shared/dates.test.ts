import assert from "node:assert/strict";
import {
  formatDay,
  hourOf,
  mondayOf,
  nextMonthStart,
  parseDay,
  rangeName,
  weekdayOf,
} from "../../../web/shared/dates.ts";
import { day } from "../dashboard/history-of.ts";

describe("days", () => {
  it("are read and written as YYYY-MM-DD", () => {
    assert.equal(formatDay(day("2026-03-04")), "2026-03-04");
    assert.equal(parseDay("1970-01-02"), 1);
  });

  it("that do not exist are none", () => {
    for (const text of ["2026-02-29", "2026-13-01", "2026-3-4", "04.03.2026", ""]) {
      assert.equal(parseDay(text), null, text);
    }
  });

  it("know their weekday, the Monday before and the next month", () => {
    assert.equal(weekdayOf(day("2026-03-01")), 0);
    assert.equal(weekdayOf(day("2026-03-04")), 3);
    assert.equal(formatDay(mondayOf(day("2026-03-01"))), "2026-02-23");
    assert.equal(formatDay(mondayOf(day("2026-03-02"))), "2026-03-02");
    assert.equal(formatDay(nextMonthStart(day("2026-12-31"))), "2027-01-01");
  });

  it("have hours in UTC", () => {
    assert.equal(hourOf(Date.parse("2026-03-04T23:59:59Z")), 23);
  });

  it("are named without saying the same month twice", () => {
    assert.equal(rangeName(day("2026-03-04"), day("2026-03-04")), "4 Mar 2026");
    assert.match(rangeName(day("2026-03-04"), day("2026-03-06")), /^4\s?–\s?6 Mar 2026$/);
  });
});
