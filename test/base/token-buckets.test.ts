import assert from "node:assert/strict";
import { TokenBuckets } from "../../appliance/base/token-buckets.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

const MINUTE_MS = 60_000;

/** Three tokens, one back every twenty minutes. */
function threeAnHour() {
  const clock = new FakeClock();
  const buckets = new TokenBuckets(clock, { burst: 3, perSecond: 3 / 3_600 });
  const takes = (key: string, times: number) =>
    Array.from({ length: times }, () => Math.round(buckets.take(key)));
  return { clock, buckets, takes };
}

describe("token buckets", () => {
  it("give the burst at once, then the seconds to wait", () => {
    assert.deepEqual(threeAnHour().takes("a", 5), [0, 0, 0, 1_200, 1_200]);
  });

  it("give one token back after its time, no sooner", () => {
    const { clock, buckets, takes } = threeAnHour();
    takes("a", 3);
    clock.advance(20 * MINUTE_MS - 1_000);
    assert.equal(Math.round(buckets.take("a")), 1);
    clock.advance(1_000);
    const found = takes("a", 2).map((wait) => wait === 0);
    assert.deepEqual(found, [true, false]);
  });

  it("refill by what passed, to the last part of a token", () => {
    const { clock, buckets, takes } = threeAnHour();
    takes("a", 3);
    for (let tenth = 0; tenth < 10; tenth++) clock.advance(2 * MINUTE_MS);
    assert.equal(buckets.take("a"), 0);
    assert.ok(buckets.take("a") > 0);
  });

  it("never hold more than the burst", () => {
    const { clock, takes } = threeAnHour();
    takes("a", 3);
    clock.advance(1_000 * MINUTE_MS);
    assert.equal(takes("a", 5).filter((wait) => wait === 0).length, 3);
  });

  it("take nothing when they refuse, and nothing when asked how long to wait", () => {
    const { clock, buckets, takes } = threeAnHour();
    takes("a", 50);
    for (let n = 0; n < 50; n++) buckets.wait("a");
    clock.advance(20 * MINUTE_MS);
    assert.equal(buckets.wait("a"), 0);
    assert.equal(buckets.take("a"), 0);
  });

  it("are one for each key", () => {
    const { takes } = threeAnHour();
    takes("a", 3);
    assert.deepEqual(takes("b", 3), [0, 0, 0]);
  });

  it("do not mind the wall clock", () => {
    const { clock, buckets, takes } = threeAnHour();
    takes("a", 3);
    clock.setWall("2030-01-01T00:00:00Z");
    assert.equal(Math.round(buckets.wait("a")), 1_200);
    clock.setWall("1970-01-01T00:00:00Z");
    assert.equal(Math.round(buckets.wait("a")), 1_200);
  });

  it("forget none that is not full again, and those that are", () => {
    const { clock, buckets, takes } = threeAnHour();
    for (let key = 0; key < 20_000; key++) takes(`${key}`, 1);
    assert.deepEqual(takes("0", 3).map(Boolean), [false, false, true]);
    clock.advance(60 * MINUTE_MS);
    takes("new", 1);
    assert.equal(buckets.size, 1);
  });
});
