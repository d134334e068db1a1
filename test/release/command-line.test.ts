import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { commandLineFor, slotOfRoot } from "../../appliance/release/command-line.ts";

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
