import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { slotOf, withSlot } from "../../appliance/updater/boot-config.ts";

const OURS = `[all]
os_prefix=a/
[gpio3=0]
os_prefix=b/
[all]
`;

describe("config.txt", () => {
  it("names the slot of its last line outside of the jumper's section", () => {
    assert.equal(slotOf(OURS), "a");
    assert.equal(slotOf(`os_prefix=b/\n${OURS}`), "a");
    assert.equal(slotOf(`${OURS}os_prefix=b/\n`), "b");
    assert.equal(slotOf("[gpio3=0]\nos_prefix=b/\n[all]\n"), undefined);
    assert.equal(slotOf("arm_64bit=1\n# os_prefix=a/\n"), undefined);
    assert.equal(slotOf("os_prefix=upstream/\n"), undefined);
    assert.equal(slotOf("os_prefix=a\n"), undefined);
  });

  it("is the same for another slot but for the two folders", () => {
    const other = withSlot(OURS, "b");
    assert.equal(other, OURS.replace("a/", "?/").replace("b/", "a/").replace("?/", "b/"));
    assert.equal(withSlot(other, "a"), OURS);
    assert.equal(withSlot(OURS, "a"), OURS);
  });

  it("keeps what its owner wrote byte for byte, line ends and letters of any kind too", () => {
    const owners = `# Küche\xff\r\n[pi4]\r\narm_boost=0\r\n${OURS.replaceAll("\n", "\r\n")}dtoverlay=x`;
    assert.equal(withSlot(withSlot(owners, "b"), "a"), owners);
    assert.equal(withSlot(owners, "b").length, owners.length);
  });

  it("gets the lines that it lacks, and names the slot then", () => {
    for (const text of [
      "",
      "arm_64bit=1",
      "os_prefix=a/\r\n",
      "[gpio3=0]\nos_prefix=b/\n",
      "[pi5]\n",
    ])
      for (const slot of ["a", "b"] as const) {
        const made = withSlot(text, slot);
        assert.equal(slotOf(made), slot, made);
        assert.equal(withSlot(made, slot), made);
        assert.match(made, /\[gpio3=0\]\r?\nos_prefix=/);
      }
    assert.ok(
      withSlot("a=1\r\n", "b")
        .split("\n")
        .every((line) => line === "" || line.endsWith("\r")),
    );
  });

  it("has no line that the firmware would cut", () => {
    for (const line of withSlot("", "b").split("\n")) assert.ok(line.length <= 98, line);
  });
});
