import assert from "node:assert/strict";
import { memoize } from "../../appliance/base/memoize.ts";

/** Remembers `limit` results, and says for which texts one was made. */
function remembering(limit: number) {
  const made: string[] = [];
  const upper = memoize((text) => {
    made.push(text);
    return text.toUpperCase();
  }, limit);
  return { upper, made };
}

describe("a function that remembers", () => {
  it("gives what it was made for", () => {
    const { upper } = remembering(10);
    assert.deepEqual(["a", "b", "a", ""].map(upper), ["A", "B", "A", ""]);
  });

  it("works once for a text that comes again", () => {
    const { upper, made } = remembering(10);
    for (const text of ["a", "b", "a", "b"]) upper(text);
    assert.deepEqual(made, ["a", "b"]);
  });

  it("forgets what was not asked for lately, once it is full", () => {
    const { upper, made } = remembering(10);
    for (let i = 0; i <= 10; i++) upper(String(i));
    upper("0");
    assert.equal(made.filter((text) => text === "0").length, 2);
  });

  it("does not keep a text that is too long", () => {
    const { upper, made } = remembering(10);
    const long = "x".repeat(600);
    assert.equal(upper(long), upper(long));
    assert.equal(made.length, 2);
  });
});
