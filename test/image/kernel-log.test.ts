import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const SCRIPT = join(
  import.meta.dirname,
  "../../firmware-config/system/usr/lib/tallydeck/kernel-log",
);

describe("the script that notes what the kernel says of disks", () => {
  const folder = eachFolder();
  /** The lines that it notes of a log that ends. */
  const noted = (log: string, most = 100) => {
    const file = join(folder(), "lines");
    writeFileSync(join(folder(), "log"), log);
    writeFileSync(
      join(folder(), "journalctl"),
      '#!/bin/sh\necho "$*" >"$FOLDER/asked"; cat "$FOLDER/log"',
      {
        mode: 0o755,
      },
    );
    execFileSync("sh", [SCRIPT], {
      env: {
        PATH: `${folder()}:${process.env.PATH}`,
        FOLDER: folder(),
        LINES_FILE: file,
        MOST: `${most}`,
      },
    });
    return readFileSync(file, "utf8");
  };

  it("copies lines about disks alone, numbers them, and reads the kernel's log of this start", () => {
    const log = [
      "Booting Linux on physical CPU 0x0000000000",
      "mmc0: new SDHC card at address aaaa",
      "IN=eth0 OUT= SRC=203.0.113.7",
      "I/O error, dev mmcblk0, sector 9 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 2",
      'EXT4-fs error (device mmcblk0p4): a \\n %s "quoted" name',
    ];
    assert.deepEqual(noted(`${log.join("\n")}\n`).split("\n"), [
      `1 ${log[1]}`,
      `2 ${log[3]}`,
      `3 ${log[4]}`,
      "",
    ]);
    assert.match(readFileSync(join(folder(), "asked"), "utf8"), /--boot=all .*_TRANSPORT=kernel/);
    assert.equal(statSync(join(folder(), "lines")).mode & 0o777, 0o644);
  });

  it("keeps the last lines of many, each with its number, and none that is long", () => {
    const log = Array.from({ length: 95 }, (_, n) => `EXT4-fs ${n} ${"x".repeat(5_000)}\n`).join(
      "",
    );
    const lines = noted(log, 10).trimEnd().split("\n");
    assert.ok(lines.length >= 10 && lines.length < 20, `${lines.length}`);
    assert.match(lines.at(-1) ?? "", /^95 EXT4-fs 94 x+$/);
    assert.ok(lines.every((line) => line.length < 310));
  });

  it("stays below what the service reads of it", () => {
    const log = Array.from({ length: 500 }, () => `EXT4-fs ${"x".repeat(400)}\n`).join("");
    assert.ok(noted(log).length < 65_536);
  });
});
