import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { configWithSlot, slotOfConfig } from "../../appliance/updater/boot-config.ts";

const OURS = `[all]
os_prefix=a/
[gpio3=0]
os_prefix=b/
[all]
`;

describe("config.txt", () => {
  it("names the slot of its last line outside of the jumper's section", () => {
    assert.equal(slotOfConfig(OURS), "a");
    assert.equal(slotOfConfig(`os_prefix=b/\n${OURS}`), "a");
    assert.equal(slotOfConfig(`${OURS}os_prefix=b/\n`), "b");
    assert.equal(slotOfConfig("[gpio3=0]\nos_prefix=b/\n[all]\n"), undefined);
    assert.equal(slotOfConfig("arm_64bit=1\n# os_prefix=a/\n"), undefined);
    assert.equal(slotOfConfig("os_prefix=upstream/\n"), undefined);
    assert.equal(slotOfConfig("os_prefix=a\n"), undefined);
  });

  it("is the same for another slot but for the two folders", () => {
    const other = configWithSlot(OURS, "b");
    assert.equal(other, OURS.replace("a/", "?/").replace("b/", "a/").replace("?/", "b/"));
    assert.equal(configWithSlot(other, "a"), OURS);
    assert.equal(configWithSlot(OURS, "a"), OURS);
  });

  it("keeps what its owner wrote byte for byte, line ends and letters of any kind too", () => {
    const owners = `# Küche\xff\r\n[pi4]\r\narm_boost=0\r\n${OURS.replaceAll("\n", "\r\n")}dtoverlay=x`;
    assert.equal(configWithSlot(configWithSlot(owners, "b"), "a"), owners);
    assert.equal(configWithSlot(owners, "b").length, owners.length);
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
        const made = configWithSlot(text, slot);
        assert.equal(slotOfConfig(made), slot, made);
        assert.equal(configWithSlot(made, slot), made);
        assert.match(made, /\[gpio3=0\]\r?\nos_prefix=/);
      }
    assert.ok(
      configWithSlot("a=1\r\n", "b")
        .split("\n")
        .every((line) => line === "" || line.endsWith("\r")),
    );
  });

  it("has no line that the firmware would cut", () => {
    for (const line of configWithSlot("", "b").split("\n")) assert.ok(line.length <= 98, line);
  });
});
