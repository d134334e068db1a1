import assert from "node:assert/strict";
import fc from "fast-check";
import { medianTime, TIMES, timeText } from "../../appliance/base/reading.ts";
import { TEST_SEED } from "../helpers/seeded.ts";

describe("the median time on a page", () => {
  for (const [counts, seconds] of [
    [[0, 0, 0, 0, 0, 0], null],
    [[1, 0, 0, 0, 0, 0], 5],
    [[0, 2, 0, 0, 0, 0], 20],
    [[1, 1, 0, 0, 0, 0], 10],
    [[1, 0, 2, 0, 0, 0], 37.5],
    [[0, 0, 0, 0, 0, 3], 600],
    [[1, 1, 1, 1, 1, 9], 600],
  ] as const)
    it(`of ${counts.join(", ")} pages by class is ${seconds} seconds`, () => {
      assert.equal(medianTime(counts), seconds);
    });

  it("is in the class of the middle page, whatever they are", () => {
    const bounds = [0, 10, 30, 60, 180, 600, 600];
    const counts = fc.array(fc.nat(50), { minLength: TIMES.length, maxLength: TIMES.length });
    fc.assert(
      fc.property(counts, (each) => {
        const median = medianTime(each);
        const all = each.flatMap((n, i) => Array<number>(n).fill(i));
        if (all.length === 0) return assert.equal(median, null);
        const [low, high] = [all[Math.ceil(all.length / 2) - 1], all[Math.floor(all.length / 2)]];
        assert.ok((median ?? -1) >= (bounds[low as number] as number));
        assert.ok((median ?? 1e9) <= (bounds[(high as number) + 1] as number));
      }),
      { seed: TEST_SEED, numRuns: 200 },
    );
  });

  for (const [seconds, text] of [
    [7.6, "8 s"],
    [59.7, "1 min"],
    [65, "1 min 5 s"],
    [240, "4 min"],
    [600, "over 10 min"],
  ] as const)
    it(`reads as ${text}`, () => assert.equal(timeText(seconds), text));
});
