import assert from "node:assert/strict";
import { compactCount } from "../../../appliance/base/text/compact.ts";

describe("a count in few characters", () => {
  for (const [count, text] of [
    [0, "0"],
    [999, "999"],
    [1_000, "1k"],
    [1_049, "1k"],
    [1_150, "1.2k"],
    [1_200, "1.2k"],
    [9_949, "9.9k"],
    [9_950, "10k"],
    [12_345, "12k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_234_567, "1.2M"],
    [12_345_678, "12M"],
    [999_500_000, "1G"],
    [1_234_567_890, "1.2G"],
  ] as const)
    it(`of ${count} is ${text}`, () => {
      assert.equal(compactCount(count), text);
    });
});
