import assert from "node:assert/strict";
import {
  commandLineFor,
  MOST_RELEASE,
  otherSlot,
  parseRelease,
  slotOfRoot,
} from "../../../appliance/base/release/release.ts";

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

describe("A kernel's command line", () => {
  it("names its slot by the root's partition", () => {
    assert.equal(slotOfRoot("quiet root=PARTUUID=7a11dec4-02 ro\n"), "a");
    assert.equal(slotOfRoot("root=PARTUUID=7a11dec4-03"), "b");
    for (const line of [
      "",
      "root=/dev/sda2",
      "root=PARTUUID=7a11dec4-04",
      "x.root=PARTUUID=7a11dec4-02",
    ])
      assert.equal(slotOfRoot(line), undefined);
  });

  it("differs between slots by that alone", () => {
    const line = "console=tty1  root=PARTUUID=7a11dec4-02 ro panic=10\r\n";
    const other = line.replace("-02", "-03");
    assert.equal(commandLineFor(line, "a"), line);
    assert.equal(commandLineFor(line, "b"), other);
    assert.equal(commandLineFor(other, "a"), line);
  });
});
