import assert from "node:assert/strict";
import { comparedOf, daysBack, samePart } from "../../appliance/base/comparison.ts";

/** A day's hours: what is given, and nothing in all others. */
const hours = (counts: Record<number, number>) =>
  Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);

describe("the same part of the period before", () => {
  it("of a day is what it had counted through the same hour", () => {
    assert.equal(samePart([100], hours({ 9: 30, 14: 20, 15: 50 }), 14), 50);
  });

  it("of some days is all of them but the hours of the last that are still to come", () => {
    assert.equal(samePart([7, 8, 100], hours({ 0: 40, 23: 60 }), 22), 55);
    assert.equal(samePart([7, 8, 100], hours({ 0: 40, 23: 60 }), 23), 115);
  });

  it("needs no hours of a day that counted nothing", () => {
    assert.equal(samePart([7, 8, 0], undefined, 12), 15);
    assert.equal(samePart([0], undefined, 12), 0);
  });

  it("is not known where the hours were not kept, or not all day", () => {
    assert.equal(samePart([100], undefined, 12), null);
    assert.equal(samePart([100], hours({ 9: 99 }), 12), null);
  });
});

describe("a period", () => {
  it("of less than four weeks is compared with the same weekdays, others with the days before", () => {
    const lengths = [1, 7, 8, 14, 27, 28, 30, 365];
    assert.deepEqual(lengths.map(daysBack), [7, 7, 14, 14, 28, 28, 30, 365]);
  });

  it("that runs is compared with the same part of the one before", () => {
    const running = { days: [5, 6], before: [7, 100], hours: hours({ 9: 40, 20: 60 }), hour: 12 };
    assert.deepEqual(comparedOf(running), { now: 11, before: 47 });
  });

  it("leaves its last day out where that of the one before has no hours", () => {
    const running = { days: [5, 6], before: [7, 100], hours: undefined, hour: 12 };
    assert.deepEqual(comparedOf(running), { now: 5, before: 7 });
    assert.equal(comparedOf({ ...running, days: [6], before: [100] }), null);
  });
});
