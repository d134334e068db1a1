import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { blockDeviceOf } from "../../base/system/block-device.ts";
import { isThere, textOf } from "../../base/system/files.ts";
import type { DiskNames } from "./kernel-lines.ts";

/** The disk that the data is on, as far as the kernel tells every program of it. */
export interface Disk {
  readonly names: DiskNames;
  /** Tells this disk from any other that the data may come to; it does not tell a serial number. */
  readonly id: string;
  /** Whether it is a memory card. */
  readonly isCard: boolean;
  readonly bytes: number;
  /** Bytes written to it since the machine started; undefined while it is gone. */
  written(): number | undefined;
  /** Errors that the ext4 of the data has noted on the disk since it was last repaired; 0 for other file systems. */
  notedErrors(): number;
}

/** The unit in which the kernel counts, of whatever disk. */
const SECTOR = 512;
/** The place of the sectors written, see Documentation/ABI/stable/sysfs-block. */
const SECTORS_WRITTEN = 6;

/**
 * Finds the disk that a folder is on; undefined where the kernel does not say, as with a file system over several disks.
 * @param sys the root of sysfs
 */
export function diskOf(folder: string, sys = "/sys"): Disk | undefined {
  const data = blockDeviceOf(folder, sys);
  if (data === undefined) return undefined;
  const disk = isThere(join(data, "partition")) ? dirname(data) : data;
  const about = (name: string) => textOf(join(disk, name))?.trim() ?? "";
  const bytes = Number(about("size")) * SECTOR;
  const names = {
    disk: basename(disk),
    data: basename(data),
    controller: /\/mmc_host\/(mmc\d+)\//.exec(disk)?.[1],
  };
  const marks = [bytes, ...["cid", "serial", "model"].map((name) => about(`device/${name}`))];
  return {
    names,
    id: createHash("sha256").update(marks.join("\n")).digest("hex").slice(0, 16),
    isCard: names.disk.startsWith("mmcblk") && about("device/type") === "SD",
    bytes,
    written() {
      const sectors = about("stat").split(/\s+/)[SECTORS_WRITTEN];
      return sectors === undefined ? undefined : Number(sectors) * SECTOR;
    },
    notedErrors: () => Number(textOf(join(sys, "fs/ext4", names.data, "errors_count")) ?? 0) || 0,
  };
}
