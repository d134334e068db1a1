import assert from "node:assert/strict";
import fc from "fast-check";
import {
  dayOf,
  dowhourOf,
  formatDay,
  hourName,
  hourOf,
  mondayOf,
  monthStart,
  nextMonthStart,
  parseDay,
  weekdayOf,
} from "../../appliance/base/calendar.ts";

/** Any moment from 1970 to 2199, epoch ms. */
const moment = fc.integer({ min: 0, max: Date.UTC(2200, 0) - 1 });

describe("a day", () => {
  it("is the UTC day of a moment", () => {
    assert.equal(dayOf(0), 0);
    assert.equal(formatDay(dayOf(Date.parse("2026-03-04T23:59:59.999Z"))), "2026-03-04");
    assert.equal(formatDay(dayOf(Date.parse("2026-03-05T00:00:00.000Z"))), "2026-03-05");
  });

  it("is written as the calendar does", () => {
    fc.assert(
      fc.property(moment, (ms) => {
        assert.equal(formatDay(dayOf(ms)), new Date(ms).toISOString().slice(0, 10));
      }),
    );
  });

  it("reads what it writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80_000 }), (day) => {
        assert.equal(parseDay(formatDay(day)), day);
      }),
    );
  });

  it("knows leap years", () => {
    assert.equal(parseDay("2024-02-29"), (parseDay("2024-02-28") ?? 0) + 1);
    assert.equal(parseDay("2000-02-29"), (parseDay("2000-03-01") ?? 0) - 1);
    assert.equal(parseDay("2026-02-29"), undefined);
    assert.equal(parseDay("2100-02-29"), undefined);
  });

  it("is nothing but YYYY-MM-DD", () => {
    const others = [
      "",
      "2026-3-4",
      "2026-13-01",
      "2026-00-10",
      "2026-04-31",
      "2026-04-00",
      "20260304",
      "2026-03-04T00:00:00Z",
      " 2026-03-04",
      "2026-03-04\n",
      "today",
    ];
    for (const text of others) assert.equal(parseDay(text), undefined, JSON.stringify(text));
  });
});

describe("weeks and months", () => {
  const shown = (of: (day: number) => number, text: string) => formatDay(of(parseDay(text) ?? 0));

  it("have their days in order, Sunday first", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000, max: 80_000 }), (day) => {
        assert.equal(weekdayOf(day), new Date(formatDay(day)).getUTCDay());
      }),
    );
  });

  it("begin on the Monday on or before a day", () => {
    assert.equal(shown(mondayOf, "2026-03-01"), "2026-02-23");
    assert.equal(shown(mondayOf, "2026-03-02"), "2026-03-02");
  });

  it("begin on the first of the month", () => {
    assert.equal(shown(monthStart, "2026-12-31"), "2026-12-01");
    assert.equal(shown(nextMonthStart, "2026-12-31"), "2027-01-01");
    assert.equal(shown(nextMonthStart, "2024-02-01"), "2024-03-01");
  });
});

describe("an hour", () => {
  it("is that of UTC, in two digits where it is counted", () => {
    fc.assert(
      fc.property(moment, (ms) => {
        assert.equal(hourOf(ms), new Date(ms).getUTCHours());
        assert.equal(hourName(hourOf(ms)), new Date(ms).toISOString().slice(11, 13));
      }),
    );
  });

  it("comes with the day of the week, Sunday first", () => {
    assert.equal(dowhourOf(Date.parse("2026-03-01T00:00:00Z")), "0-00");
    assert.equal(dowhourOf(Date.parse("2026-03-07T23:30:00Z")), "6-23");
    fc.assert(
      fc.property(moment, (ms) => {
        assert.equal(dowhourOf(ms), `${new Date(ms).getUTCDay()}-${hourName(hourOf(ms))}`);
      }),
    );
  });
});
