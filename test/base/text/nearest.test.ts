import assert from "node:assert/strict";
import { didYouMean } from "../../../appliance/base/text/nearest.ts";

const KNOWN = ["run", "sites", "status", "stats", "--port", "my-blog"];

describe("what somebody meant who made a slip", () => {
  for (const [word, meant] of [
    ["site", "sites"],
    ["sties", "sites"],
    ["Sites", "sites"],
    ["sttatus", "status"],
    ["rnu", "run"],
    ["--prot", "--port"],
    ["myblog", "my-blog"],
  ] as const)
    it(`is ${meant} for ${word}`, () =>
      assert.equal(didYouMean(word, KNOWN), ` Did you mean ${meant}?`));

  for (const word of ["", "x", "frobnicate", "rm", "x".repeat(100_000)])
    it(`is not guessed for ${word.slice(0, 10) || "nothing"}`, () =>
      assert.equal(didYouMean(word, KNOWN), ""));
});
