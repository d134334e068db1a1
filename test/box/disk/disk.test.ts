import assert from "node:assert/strict";
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskOf } from "../../../appliance/box/disk/disk.ts";
import { eachFolder } from "../../helpers/folder.ts";

const CARD = "devices/platform/soc/3f202000.mmc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0";
const STAT = "  1604  312 126318 9104  211 178  4096 804 0 1444 9909 0 0 0 0 10 0\n";

describe("the disk of the data", () => {
  const folder = eachFolder();
  /** Files below a root of sysfs that says that this test's folder is on such a partition. */
  const sysfs = (partition: string, files: Readonly<Record<string, string>>) => {
    const sys = join(folder(), "sys");
    rmSync(sys, { recursive: true, force: true });
    mkdirSync(join(sys, partition), { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(sys, name)), { recursive: true });
      writeFileSync(join(sys, name), text);
    }
    const { dev } = statSync(folder());
    const number = `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
    mkdirSync(join(sys, "dev/block"), { recursive: true });
    symlinkSync(join(sys, partition), join(sys, "dev/block", number));
    return sys;
  };
  const card = (more: Readonly<Record<string, string>> = {}) =>
    sysfs(`${CARD}/mmcblk0p4`, {
      [`${CARD}/mmcblk0p4/partition`]: "4\n",
      [`${CARD}/size`]: "62333952\n",
      [`${CARD}/stat`]: STAT,
      [`${CARD}/device/type`]: "SD\n",
      [`${CARD}/device/cid`]: "03534453443332478012345678015900\n",
      "fs/ext4/mmcblk0p4/errors_count": "2\n",
      ...more,
    });

  it("is a card, whose counters the kernel has", () => {
    const disk = diskOf(folder(), card());
    assert.deepEqual(disk?.names, { disk: "mmcblk0", data: "mmcblk0p4", controller: "mmc0" });
    assert.deepEqual([disk?.isCard, disk?.bytes], [true, 62_333_952 * 512]);
    assert.deepEqual([disk?.written(), disk?.notedErrors()], [4_096 * 512, 2]);
  });

  it("has an id that tells it from another of its kind, and tells no number of it", () => {
    const id = diskOf(folder(), card())?.id ?? "";
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.equal(diskOf(folder(), card())?.id, id);
    const other = card({ [`${CARD}/device/cid`]: "03534453443332478012345679015900\n" });
    assert.notEqual(diskOf(folder(), other)?.id, id);
  });

  it("is a disk without partitions, or soldered in", () => {
    const whole = diskOf(
      folder(),
      sysfs("devices/virtual/block/dm-0", {
        "devices/virtual/block/dm-0/size": "2048\n",
        "devices/virtual/block/dm-0/stat": STAT,
      }),
    );
    assert.deepEqual(whole?.names, { disk: "dm-0", data: "dm-0", controller: undefined });
    assert.deepEqual([whole?.isCard, whole?.notedErrors()], [false, 0]);
    assert.equal(diskOf(folder(), card({ [`${CARD}/device/type`]: "MMC\n" }))?.isCard, false);
  });

  it("tells nothing once it is gone, and is none where the kernel names none", () => {
    const disk = diskOf(folder(), card());
    rmSync(join(folder(), "sys", CARD), { recursive: true });
    assert.equal(disk?.written(), undefined);
    assert.equal(diskOf(folder(), join(folder(), "nowhere")), undefined);
  });
});
