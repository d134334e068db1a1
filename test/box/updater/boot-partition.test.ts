import assert from "node:assert/strict";
import fs, { existsSync, readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import {
  configWithSlot,
  emptySlot,
  keepTryboot,
  removeTryboot,
  slotOfConfig,
  whileWritable,
  writeTryboot,
} from "../../../appliance/box/updater/boot-partition.ts";
import { Card, NEXT } from "./card.ts";

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

describe("the boot partition", () => {
  let card: Card;
  beforeEach(() => {
    card = new Card();
  });
  afterEach(() => card.remove());

  const boot = () => readdirSync(join(card.root, "boot/firmware")).sort();

  it("takes a rename only once the file and then its folder were synced, and keeps the old place until then", () => {
    writeTryboot(card, configWithSlot(card.config(), "b"));
    const done = recorded(card.root, () => keepTryboot(card));
    assert.deepEqual(done, [
      "open boot/firmware/config.txt",
      "rename boot/firmware/tryboot.txt boot/firmware/config.txt",
      "open boot/firmware/config.txt",
      "fsync",
      "close",
      "open boot/firmware",
      "fsync",
      "close",
      "close",
    ]);
    assert.equal(slotOfConfig(card.config()), "b");
  });

  it("gives the place of a file with two names away only when config.txt has another", () => {
    // Two entries of one file are two names of one file here.
    fs.linkSync(
      join(card.root, "boot/firmware/config.txt"),
      join(card.root, "boot/firmware/tryboot.txt"),
    );
    const config = card.config();
    const done = recorded(card.root, () => removeTryboot(card));
    const moved = done.indexOf("rename boot/firmware/config.1 boot/firmware/config.txt");
    const removed = done.indexOf("rm boot/firmware/tryboot.txt");
    assert.ok(moved > 0 && removed > moved + 4, done.join("\n"));
    // Until neither name leads there, whoever opened them first holds it.
    const opened = ["config.txt", "tryboot.txt"].map((name) => `open boot/firmware/${name}`);
    assert.deepEqual(done.slice(0, 2), opened);
    assert.deepEqual(done.slice(-3), ["close", "close", "close"]);
    assert.equal(card.config(), config);
    assert.deepEqual(boot(), ["a", "config.txt"]);
  });

  it("is writable for a moment, whether or not the disk that fstab names is in sight", async () => {
    await whileWritable(card.box(), () => card.ran.push("write"));
    assert.deepEqual(card.ran, [
      "mount --options-source=mtab -o remount,rw -- /boot/firmware",
      "write",
      "mount --options-source=mtab -o remount,ro -- /boot/firmware",
    ]);
  });

  it("loses the folder of a slot that is not in use, and only of that", () => {
    card.putSlot("b", NEXT);
    assert.throws(() => emptySlot(card, "a"), /in use/);
    const done = recorded(card.root, () => emptySlot(card, "b"));
    const [first = "", second = ""] = done.filter((step) => step.startsWith("rm"));
    assert.equal(first, "rm boot/firmware/b/release");
    // The mark of a complete folder is removed from the card, and its clusters are free, before the other files.
    assert.deepEqual(done.slice(done.indexOf(first) + 1).slice(0, 4), [
      "open boot/firmware/b",
      "fsync",
      "close",
      "close",
    ]);
    assert.ok(done.indexOf(second) < done.lastIndexOf("fsync"));
    assert.deepEqual(readdirSync(join(card.root, "boot/firmware/b")), []);
    card.write("boot/firmware/config.txt", "# gone\n");
    for (const slot of ["a", "b"] as const)
      assert.throws(() => emptySlot(card, slot), /config\.txt/);
    assert.ok(existsSync(join(card.root, "boot/firmware/a/release")));
  });
});

/** Calls of `work` on files, in order. */
function recorded(root: string, work: () => void): string[] {
  const { renameSync, openSync, closeSync, fsyncSync, rmSync } = fs;
  const real = { renameSync, openSync, closeSync, fsyncSync, rmSync };
  const done: string[] = [];
  const noted =
    (name: string, act: (...args: never[]) => unknown, paths: number) =>
    (...args: never[]) => {
      const files = args.slice(0, paths).map((path) => String(path).replace(`${root}/`, ""));
      done.push([name, ...files].join(" "));
      return act(...args);
    };
  Object.assign(fs, {
    renameSync: noted("rename", real.renameSync, 2),
    openSync: noted("open", real.openSync, 1),
    closeSync: noted("close", real.closeSync, 0),
    fsyncSync: noted("fsync", real.fsyncSync, 0),
    rmSync: noted("rm", real.rmSync, 1),
  });
  syncBuiltinESMExports();
  try {
    work();
    return done;
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}
