import assert from "node:assert/strict";
import {
  advanced,
  type DiskReading,
  type DiskRecord,
  dailyBytes,
  lifeYears,
  parseDiskRecord,
  standingErrors,
  withErrors,
} from "../../../appliance/box/disk/record.ts";

const DAY = 86_400;
const reading = (boot: string, upSeconds: number, bytes: number, id = "card"): DiskReading => ({
  id,
  boot,
  upSeconds,
  bytes,
});
const recordAfter = (...readings: readonly DiskReading[]): DiskRecord => {
  let record: DiskRecord | undefined;
  for (const each of readings) record = advanced(record, each);
  if (record === undefined) throw new Error("nothing was read");
  return record;
};

describe("what was written to a disk", () => {
  it("is counted over restarts of the service and of the machine, and never twice", () => {
    const record = recordAfter(
      reading("one", 100, 5_000),
      reading("one", 100, 5_000),
      reading("one", 700, 9_000),
      // The service was away, the machine was not.
      reading("one", 4_000, 20_000),
      reading("two", 50, 3_000),
      reading("two", 60, 3_500),
    );
    assert.deepEqual(record.total, { seconds: 4_060, bytes: 23_500 });
  });

  it("counts counters that went back as a new start, whatever the start is called", () => {
    const record = recordAfter(reading("one", 900, 9_000), reading("one", 10, 100));
    assert.deepEqual(record.total, { seconds: 910, bytes: 9_100 });
  });

  it("begins anew with another disk", () => {
    const broken = withErrors(recordAfter(reading("one", 900, 9_000)), ["write"], 5);
    const record = advanced(broken, reading("two", 10, 100, "another"));
    assert.deepEqual(record.total, { seconds: 10, bytes: 100 });
    assert.deepEqual(standingErrors(record), []);
  });

  it("is known by the day after a day of running time, and forgets what was before a week", () => {
    assert.equal(dailyBytes(recordAfter(reading("one", DAY - 1, 1e6))), undefined);
    assert.equal(dailyBytes(recordAfter(reading("one", DAY, 1e6))), 1e6);
    assert.equal(dailyBytes(recordAfter(reading("one", 4 * DAY, 1e6))), 250_000);
    const days = Array.from({ length: 30 * 24 }, (_, hour) =>
      reading("one", (hour + 1) * 3_600, hour < 10 * 24 ? (hour + 1) * 1e9 : 240e9 + hour * 1e3),
    );
    const record = recordAfter(...days);
    assert.equal(record.days.length, 7);
    assert.ok(Math.abs((dailyBytes(record) ?? 0) - 24e3) < 200, `${dailyBytes(record)}`);
  });

  it("says how long a card stands it", () => {
    assert.equal(Math.round(lifeYears(32e9, 50e6)), 175);
    assert.equal(Math.round(lifeYears(8e9, 1e9) * 10) / 10, 2.2);
    assert.ok(Number.isFinite(lifeYears(8e9, 0)));
  });
});

describe("errors of a disk", () => {
  it("are told for a week of running time, the last time by the clock", () => {
    const first = withErrors(recordAfter(reading("one", 100, 1)), ["read", "read", "data"], 4_000);
    assert.deepEqual(standingErrors(first), [
      ["read", { times: 2, last: 100, at: 4_000 }],
      ["data", { times: 1, last: 100, at: 4_000 }],
    ]);
    const later = withErrors(advanced(first, reading("two", 6 * DAY, 2)), ["read"], null);
    const latest = advanced(later, reading("two", 8 * DAY, 3));
    const found = standingErrors(latest).map(([kind, { times, at }]) => [kind, times, at]);
    assert.deepEqual(found, [["read", 3, null]]);
  });
});

describe("a record of a disk", () => {
  it("is read as it was written", () => {
    const record = withErrors(recordAfter(reading("one", DAY, 1e6)), ["write"], null);
    assert.deepEqual(parseDiskRecord(JSON.stringify(record)), record);
  });

  it("counts as none when it is damaged", () => {
    const whole = recordAfter(reading("one", 5, 5));
    for (const damage of [
      { days: [{ seconds: -1, bytes: 0 }] },
      { days: Array.from({ length: 8 }, () => ({ seconds: 1, bytes: 1 })) },
      { errors: { read: { times: "2" } } },
      { total: null },
      { line: undefined },
      { id: 7 },
    ])
      assert.equal(parseDiskRecord(JSON.stringify({ ...whole, ...damage })), undefined);
    for (const text of ["", "{", "null", "[]", "\0"])
      assert.equal(parseDiskRecord(text), undefined);
  });
});
