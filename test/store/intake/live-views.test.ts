import assert from "node:assert/strict";
import { LiveViews } from "../../../appliance/store/intake/live-views.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

const MINUTE_MS = 60_000;

describe("views of now", () => {
  const begin = () => {
    const clock = new FakeClock();
    return { clock, live: new LiveViews(clock) };
  };

  it("are those of five minutes, to within five seconds", () => {
    const { clock, live } = begin();
    live.count(1);
    clock.advance(2 * MINUTE_MS);
    live.count(1);
    clock.advance(3 * MINUTE_MS - 6_000);
    assert.equal(live.of(1), 2);
    clock.advance(6_000);
    assert.equal(live.of(1), 1);
    clock.advance(2 * MINUTE_MS);
    assert.equal(live.of(1), 0);
  });

  it("are of a site alone", () => {
    const { live } = begin();
    live.count(1);
    live.count(1);
    live.count(2);
    assert.deepEqual([live.of(1), live.of(2), live.of(3)], [2, 1, 0]);
  });

  it("neither come nor go with a step of the clock", () => {
    const { clock, live } = begin();
    live.count(1);
    clock.setWall("2030-01-01T00:00:00Z");
    assert.equal(live.of(1), 1);
    clock.setWall("2020-01-01T00:00:00Z");
    live.count(1);
    assert.equal(live.of(1), 2);
  });

  it("are gone after a long time, however long", () => {
    for (const later of [5, 10, 61, 100_000]) {
      const { clock, live } = begin();
      for (let second = 0; second < 400; second++) {
        live.count(1);
        clock.advance(1_000);
      }
      assert.ok(live.of(1) >= 295 && live.of(1) <= 300);
      clock.advance(later * MINUTE_MS);
      assert.equal(live.of(1), 0);
    }
  });

  it("have a picture of half minutes, the newest last", () => {
    const { clock, live } = begin();
    assert.deepEqual(live.series(1), Array(10).fill(0));
    live.count(1);
    clock.advance(30_000);
    live.count(1);
    live.count(1);
    assert.deepEqual(live.series(1), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    clock.advance(4 * MINUTE_MS);
    assert.deepEqual(live.series(1), [1, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it("are nobody's once another database is there", () => {
    const { live } = begin();
    live.count(1);
    live.clear();
    assert.equal(live.of(1), 0);
  });
});
