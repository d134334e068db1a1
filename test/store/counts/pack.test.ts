import assert from "node:assert/strict";
import fc from "fast-check";
import { type Counts, pack, unpack } from "../../../appliance/store/counts/pack.ts";

/** Ids as SQLite gives them, counts up to the largest that is exact. */
const counts = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 2 ** 40 }), fc.maxSafeNat()), { maxLength: 200 })
  .map((pairs): Counts => new Map(pairs));

function unpacked(blob: Uint8Array): [number, number][] {
  const pairs: [number, number][] = [];
  unpack(blob, (id, n) => pairs.push([id, n]));
  return pairs;
}

describe("a packed day", () => {
  it("unpacks to what was packed, ascending by value", () => {
    fc.assert(
      fc.property(counts, (given) => {
        assert.deepEqual(
          unpacked(pack(given)),
          [...given].sort(([a], [b]) => a - b),
        );
      }),
    );
  });

  it("is empty when nothing was counted", () => {
    assert.equal(pack(new Map()).length, 0);
    assert.deepEqual(unpacked(new Uint8Array()), []);
  });

  it("takes two bytes for a small count of a value next to the one before", () => {
    const year = new Map(Array.from({ length: 1_000 }, (_, i) => [i + 1, 1 + (i % 100)]));
    assert.equal(pack(year).length, 2_000);
  });

  it("is refused when it ends in the middle of a number", () => {
    const whole = pack(new Map([[70_000, 300]]));
    for (const length of [1, 2, 3, 4])
      assert.throws(() => unpacked(whole.subarray(0, length)), RangeError);
  });
});
