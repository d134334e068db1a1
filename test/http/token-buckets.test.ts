import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { TokenBuckets } from "../../appliance/http/token-buckets.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

const MINUTE_MS = 60_000;

/** Three tokens, one back every twenty minutes. */
function threeAnHour(options: { maxKeys?: number } = {}) {
  const clock = new FakeClock();
  const buckets = new TokenBuckets(clock, { burst: 3, perSecond: 3 / 3_600, ...options });
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
    assert.deepEqual(
      takes("a", 2).map((wait) => wait === 0),
      [true, false],
    );
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

  it("forget the key unused for longest past their bound, and no other", () => {
    const { buckets, takes } = threeAnHour({ maxKeys: 3 });
    for (const key of ["a", "b", "c"]) takes(key, 2);
    takes("a", 1);
    takes("d", 1);
    assert.ok(buckets.wait("a") > 0);
    assert.deepEqual(takes("c", 2).map(Boolean), [false, true]);
    assert.deepEqual(takes("b", 3), [0, 0, 0]);
  });
});
