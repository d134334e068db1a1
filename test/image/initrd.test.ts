import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const SCRIPTS = join(
  import.meta.dirname,
  "../../firmware-config/system/etc/initramfs-tools/scripts",
);
const RELEASE = "RELEASE=1\nVERSION=0.1.0\nCOMMIT=abc\n";
const NEXT = RELEASE.replace("=1", "=2");

describe("the initrd's scripts", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-initrd-"));
    write("scripts/functions", 'panic() { echo "PANIC: $*"; exit 9; }\n');
    write("bin/modprobe", '#!/bin/sh\necho "modprobe $*"\n', 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(file: string, content: string | Uint8Array, mode = 0o644): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content, { mode });
  }

  /** Runs one in this folder as if it were the initrd's root. */
  function run(name: string): { status: number | null; said: string } {
    const script = readFileSync(join(SCRIPTS, name), "utf8").replaceAll(
      /(^|[ (<>])\/(scripts|conf|proc|dev\/watchdog0)\b/gm,
      `$1${folder}/$2`,
    );
    const env = { PATH: `${folder}/bin:/usr/bin:/bin`, rootmnt: join(folder, "root") };
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { encoding: "utf8", env });
    return { status, said: `${stdout}${stderr}`.trim() };
  }

  it("start a root of their own release", () => {
    write("conf/tallydeck-release", RELEASE);
    write("root/etc/tallydeck-release", RELEASE);
    assert.deepEqual(run("local-bottom/tallydeck-release"), { status: 0, said: "" });
  });

  it("start no other, and say in one line which met which", () => {
    const refuses = (said: string) =>
      assert.deepEqual(run("local-bottom/tallydeck-release"), {
        status: 9,
        said: `PANIC: Tallydeck does not start: the root is ${said}`,
      });
    const [one, two] = [RELEASE, NEXT].map((text) => text.trim().replaceAll("\n", " "));
    refuses("of no release but the boot files are of no release");
    write("root/etc/tallydeck-release", NEXT);
    refuses(`${two} but the boot files are of no release`);
    write("conf/tallydeck-release", RELEASE);
    refuses(`${two} but the boot files are ${one}`);
    rmSync(join(folder, "root"), { recursive: true });
    refuses(`of no release but the boot files are ${one}`);
  });

  it("load the watchdog in a trial, as the firmware tells it, and in no other start", () => {
    const starts = () => run("init-premount/trial-watchdog");
    const TRYBOOT = "proc/device-tree/chosen/bootloader/tryboot";
    assert.deepEqual(starts(), { status: 0, said: "" });
    write(TRYBOOT, Buffer.from([0, 0, 0, 0]));
    assert.deepEqual(starts(), { status: 0, said: "" });
    write(TRYBOOT, Buffer.from([0, 0, 0, 1]));
    assert.deepEqual(starts(), { status: 0, said: "modprobe bcm2835_wdt" });
  });
});
