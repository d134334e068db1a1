import assert from "node:assert/strict";
import { MOST_RELEASE, otherSlot, parseRelease } from "../../appliance/release/release.ts";

describe("The name of a release", () => {
  it("is read from its file, whatever else stands there", () => {
    assert.deepEqual(parseRelease("RELEASE=12\r\nVERSION=0.3.0\nCOMMIT=abc\n"), {
      release: 12,
      version: "0.3.0",
    });
  });

  for (const text of [
    "",
    "VERSION=0.3.0",
    "RELEASE=12",
    "RELEASE=0\nVERSION=1",
    "RELEASE=1e3\nVERSION=1",
    "RELEASE=12\nVERSION=",
    `RELEASE=${MOST_RELEASE + 1}\nVERSION=1`,
  ])
    it(`is none in ${JSON.stringify(text)}`, () => {
      assert.equal(parseRelease(text), undefined);
    });

  it("stands in one of two slots", () => {
    assert.deepEqual([otherSlot("a"), otherSlot("b")], ["b", "a"]);
  });
});
