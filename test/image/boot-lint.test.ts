import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BOARDS, bootFiles, bootSettings, lintBoot, withJumper } from "../../image/boot-lint.ts";

const BOOT = join(import.meta.dirname, "../../firmware-config/boot");
const CONFIG = readFileSync(join(BOOT, "config.txt"), "utf8");
const COMMAND_LINE = readFileSync(join(BOOT, "a/cmdline.txt"), "utf8");
const RELEASE = "RELEASE=1\nVERSION=0.1.0\n";
const TREES = BOARDS.flatMap(({ deviceTrees }) => deviceTrees);

type Files = Readonly<Record<string, string>>;

/** The files of a slot on the partition; the name of the folder ends in a slash. */
function slot(name: string, commandLine = COMMAND_LINE): Files {
  const named = ["vmlinuz", "initrd.img", ...TREES].map((file) => [`${name}/${file}`, "1"]);
  return {
    [`${name}/`]: "1",
    ...Object.fromEntries(named),
    [`${name}/cmdline.txt`]: commandLine,
    [`${name}/release`]: RELEASE,
  };
}

const FIRMWARE = ["bootcode.bin", "start.elf", "fixup.dat", "start4.elf", "fixup4.dat"];
/** The files of the build on the partition. */
const FRESH: Files = {
  "config.txt": CONFIG,
  ...Object.fromEntries(FIRMWARE.map((file) => [file, "1"])),
  ...slot("a"),
  "b/": "",
};
/** And an update. */
const UPDATED: Files = { ...FRESH, ...slot("b", COMMAND_LINE.replace("-02", "-03")) };
const SWITCHED = CONFIG.replace("os_prefix=b/", "os_prefix=B/")
  .replace("os_prefix=a/", "os_prefix=b/")
  .replace("os_prefix=B/", "os_prefix=a/");

const lint = (files: Files) =>
  lintBoot({ read: (file) => files[file], sizeOf: (file) => files[file]?.length });

function without(files: Files, name: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([file]) => file !== name));
}

describe("the boot partition's linter", () => {
  it("finds nothing wrong with what the image has", () => {
    assert.deepEqual(lint(FRESH), []);
  });

  it("finds nothing wrong with two systems, whichever is in use, nor with a trial", () => {
    assert.deepEqual(lint(UPDATED), []);
    assert.deepEqual(lint({ ...UPDATED, "config.txt": SWITCHED }), []);
    assert.deepEqual(lint({ ...UPDATED, "tryboot.txt": SWITCHED }), []);
  });

  it("takes a filter's lines for its boards only, until the next filter", () => {
    const config = "a=0\n[pi4]\na=4\n[pi5]\na=5 # five\n[gpio4=1]\na=9\n[all]\nb=1\r\n";
    const a = (...filters: string[]) => bootSettings(config, { filters }).get("a");
    assert.deepEqual([a("pi3"), a("pi4"), a("pi5")], ["0", "4", "5"]);
    assert.equal(bootSettings(config, { filters: ["pi3"] }).get("b"), "1");
  });

  it("names the board that lacks a file", () => {
    for (const [file, boards] of [
      ["a/bcm2711-rpi-400.dtb", ["Pi 400"]],
      ["start4.elf", ["Pi 4 B", "Pi 400"]],
      ["fixup.dat", ["Pi Zero 2 W", "Pi 3 B", "Pi 3 B+", "Pi 3 A+"]],
      ["a/initrd.img", BOARDS.map(({ name }) => `Pi ${name}`)],
    ] as const)
      assert.deepEqual(
        lint(without(FRESH, file)),
        boards.map((board) => `${board}: ${file} is not there.`),
      );
  });

  it("holds what the jumper and a trial would start as well", () => {
    assert.deepEqual(lint(without(UPDATED, "b/bcm2711-rpi-400.dtb")), [
      "Pi 400: b/bcm2711-rpi-400.dtb is not there.",
    ]);
    const trial = { ...FRESH, "tryboot.txt": SWITCHED };
    assert.ok(lint(trial).includes("tryboot.txt: Pi 4 B: b/vmlinuz is not there."));
  });

  it("wants the jumper to start the other system", () => {
    for (const config of [
      CONFIG.replace("os_prefix=b/", "os_prefix=a/"),
      CONFIG.replace("os_prefix=a/\n", ""),
      CONFIG.replace("[gpio3=0]", "[gpio3=1]"),
    ])
      assert.deepEqual(
        lint({ ...FRESH, "config.txt": config }),
        BOARDS.map(
          ({ name }) => `Pi ${name}: os_prefix= is not a/ and with the jumper b/, nor the reverse.`,
        ),
      );
  });

  it("sees a kernel that a filter hides from one family", () => {
    const config = `${CONFIG}\n[pi3]\nkernel=vmlinuz-3\n`;
    assert.deepEqual(lint({ ...FRESH, "config.txt": config }), [
      "Pi 3 B: a/vmlinuz-3 is not there.",
      "Pi 3 B+: a/vmlinuz-3 is not there.",
      "Pi 3 A+: a/vmlinuz-3 is not there.",
    ]);
  });

  it("wants the cut-down firmware where config.txt leaves it little memory", () => {
    assert.deepEqual(lint({ ...FRESH, "config.txt": `${CONFIG}\n[pi4]\ngpu_mem=16\n` }), [
      "Pi 4 B: start4cd.elf is not there.",
      "Pi 4 B: fixup4cd.dat is not there.",
      "Pi 400: start4cd.elf is not there.",
      "Pi 400: fixup4cd.dat is not there.",
    ]);
  });

  it("sees a line that the firmware would cut", () => {
    const long = `kernel=${"v".repeat(92)}`;
    const said = lint({ ...FRESH, "config.txt": `${CONFIG}\n[pi0]\n${long}\n# ${long}\n` });
    assert.equal(said[0], `More than 98 bytes are in the line ${long}`);
    assert.equal(said.filter((line) => line.startsWith("More")).length, 1);
  });

  it("falls back to the older device tree of a newer Pi 5", () => {
    const tree = bootFiles(CONFIG, boardOf("5 (D0)"), (file) => file === "a/bcm2712-rpi-5-b.dtb");
    assert.equal(tree.deviceTree, "a/bcm2712-rpi-5-b.dtb");
  });

  it("takes a system's files from its folder, but those without when it has no kernel", () => {
    const kernel = (files: Files, board = boardOf("4 B")) =>
      bootFiles(CONFIG, board, (file) => file in files).kernel;
    const older = { ...FRESH, vmlinuz: "1", "bcm2711-rpi-4-b.dtb": "1" };
    assert.equal(kernel(older), "a/vmlinuz");
    assert.equal(kernel(older, withJumper(boardOf("4 B"))), "vmlinuz");
    assert.equal(kernel(UPDATED, withJumper(boardOf("4 B"))), "b/vmlinuz");
    assert.equal(kernel({}), "a/vmlinuz");
  });

  it("sees a command line of two lines, with another system's root, and boot files of no release", () => {
    const withLine = (line: string) => lint({ ...FRESH, "a/cmdline.txt": line });
    assert.equal(withLine(`${COMMAND_LINE}quiet\n`).length, 1);
    assert.deepEqual(withLine("quiet\n"), [
      "a/cmdline.txt does not name root=PARTUUID=7a11dec4-02.",
    ]);
    assert.deepEqual(lint({ ...UPDATED, "b/cmdline.txt": COMMAND_LINE }), [
      "b/cmdline.txt does not name root=PARTUUID=7a11dec4-03.",
    ]);
    assert.deepEqual(lint({ ...FRESH, "a/release": "VERSION=1\n" }), [
      "a/release names no release.",
    ]);
  });
});

function boardOf(name: string) {
  const board = BOARDS.find((each) => each.name === name);
  assert.ok(board);
  return board;
}
