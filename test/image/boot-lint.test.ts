import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { BOARDS, bootFiles, bootSettings, lintBoot } from "../../image/boot-lint.ts";

const BOOT = join(import.meta.dirname, "../../firmware-config/boot");
const CONFIG = readFileSync(join(BOOT, "config.txt"), "utf8");
const COMMAND_LINE = readFileSync(join(BOOT, "cmdline.txt"), "utf8");
/** What the build puts on the partition. */
const FILES = [
  ...[
    "config.txt",
    "cmdline.txt",
    "vmlinuz",
    "initrd.img",
    "bootcode.bin",
    "start.elf",
    "fixup.dat",
  ],
  ...["start4.elf", "fixup4.dat", ...BOARDS.flatMap(({ deviceTrees }) => deviceTrees)],
];

const lint = (config: string, files: readonly string[] = FILES, commandLine = COMMAND_LINE) =>
  lintBoot(config, commandLine, (file) => (files.includes(file) ? 1 : undefined));

describe("the boot partition's linter", () => {
  it("finds nothing wrong with what the image has", () => {
    assert.deepEqual(lint(CONFIG), []);
  });

  it("takes a filter's lines for its boards only, until the next filter", () => {
    const config = "a=0\n[pi4]\na=4\n[pi5]\na=5 # five\n[gpio4=1]\na=9\n[all]\nb=1\r\n";
    const a = (...filters: string[]) => bootSettings(config, { filters }).get("a");
    assert.deepEqual([a("pi3"), a("pi4"), a("pi5")], ["0", "4", "5"]);
    assert.equal(bootSettings(config, { filters: ["pi3"] }).get("b"), "1");
  });

  it("names the board that lacks a file", () => {
    for (const [file, boards] of [
      ["bcm2711-rpi-400.dtb", ["Pi 400"]],
      ["start4.elf", ["Pi 4 B", "Pi 400"]],
      ["fixup.dat", ["Pi Zero 2 W", "Pi 3 B", "Pi 3 B+", "Pi 3 A+"]],
      ["initrd.img", BOARDS.map(({ name }) => `Pi ${name}`)],
    ] as const)
      assert.deepEqual(
        lint(
          CONFIG,
          FILES.filter((each) => each !== file),
        ),
        boards.map((board) => `${board}: ${file} is not there.`),
      );
  });

  it("sees a kernel that a filter hides from one family", () => {
    const config = `${CONFIG}\n[pi3]\nkernel=vmlinuz-3\n`;
    assert.deepEqual(lint(config), [
      "Pi 3 B: vmlinuz-3 is not there.",
      "Pi 3 B+: vmlinuz-3 is not there.",
      "Pi 3 A+: vmlinuz-3 is not there.",
    ]);
  });

  it("wants the cut-down firmware where config.txt leaves it little memory", () => {
    assert.deepEqual(lint(`${CONFIG}\n[pi4]\ngpu_mem=16\n`), [
      "Pi 4 B: start4cd.elf is not there.",
      "Pi 4 B: fixup4cd.dat is not there.",
      "Pi 400: start4cd.elf is not there.",
      "Pi 400: fixup4cd.dat is not there.",
    ]);
  });

  it("falls back to the older device tree of a newer Pi 5", () => {
    const d0 = BOARDS.find(({ name }) => name === "5 (D0)");
    assert.ok(d0);
    const tree = bootFiles(CONFIG, d0, (file) => file === "bcm2712-rpi-5-b.dtb").deviceTree;
    assert.equal(tree, "bcm2712-rpi-5-b.dtb");
  });

  it("sees a command line of two lines, or without a root", () => {
    assert.equal(lint(CONFIG, FILES, "root=a\nquiet\n").length, 1);
    assert.equal(lint(CONFIG, FILES, "quiet\n").length, 1);
  });
});
