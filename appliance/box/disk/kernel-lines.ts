import type { DiskError } from "../../base/text/disk-errors.ts";

/** The names by which the kernel calls a disk in its log. */
export interface DiskNames {
  /** `mmcblk0`, `sda` */
  readonly disk: string;
  /** The partition with the data, `mmcblk0p4`; the disk itself where it has no partitions. */
  readonly data: string;
  /** The controller of a card, `mmc0`. */
  readonly controller: string | undefined;
}

/** The name of a device in a message; a journal's ends with the number of its inode, `mmcblk0p4-8`. */
const DEVICE = "([\\w!-]{1,32}?)(?:-\\d{1,9})?";

/** An error, or one whose kind depends on the file system. */
type Found = DiskError | "file-system";

/**
 * The kernel's messages, as Linux 6 and 7 write them: block/blk-core.c, fs/buffer.c, fs/ext4/super.c, fs/jbd2, fs/fat,
 * fs/erofs, drivers/mmc. What is usual after power was cut (a journal that is recovered) is none of them, and neither is
 * what a card refuses that nothing depends on (DISCARD).
 */
const MESSAGES: Readonly<Record<Exclude<Found, "data" | "files">, readonly string[]>> = {
  read: [
    "error, dev DEVICE, sector \\d+ op 0x[0-9a-f]+:\\(READ\\)",
    "^Buffer I/O error on dev DEVICE, logical block \\d+(?:, async page read)?$",
  ],
  write: [
    "error, dev DEVICE, sector \\d+ op 0x[0-9a-f]+:\\((?:WRITE|FLUSH|ZONE_APPEND)\\)",
    "^Buffer I/O error on dev DEVICE, logical block \\d+, lost (?:a?sync )?page write",
    "^EXT4-fs warning \\(device DEVICE\\): ext4_end_bio:\\d+: I/O error",
    "^JBD2: (?:Detected IO errors|I/O error) .* (?:on|for) DEVICE\\.?$",
  ],
  "file-system": [
    "^EXT4-fs error \\(device DEVICE\\)",
    "^EXT4-fs \\(DEVICE\\): (?:error count since last fsck|Remounting filesystem read-only)",
    "^Aborting journal on device DEVICE\\.$",
    "^FAT-fs \\(DEVICE\\): (?:error, |FAT read failed|Directory bread|Filesystem has been set)",
    "^erofs:? \\(device DEVICE\\): .*(?:fail|corrupt|bogus|invalid|error)",
  ],
  device: [
    "^DEVICE: (?:recovery failed|card stuck|error -?\\d+ (?:requesting|sending|reading|writing))",
    "^(?:mmc_host )?DEVICE: (?:Timeout (?:waiting|sending)|card never left busy|error -\\d+ whilst init)",
    "^DEVICE: (?:card \\w+ removed|tried to (?:HW )?reset card, got error)",
  ],
};
const PATTERNS = Object.entries(MESSAGES).flatMap(([kind, patterns]) =>
  patterns.map((pattern) => ({
    kind: kind as Found,
    pattern: new RegExp(pattern.replace("DEVICE", DEVICE)),
  })),
);

/** The error of the disk that a line of the kernel's log tells; undefined for any other line, and for other disks. */
export function diskErrorIn(line: string, names: DiskNames): DiskError | undefined {
  for (const { pattern, kind } of PATTERNS) {
    const [, name] = pattern.exec(line) ?? [];
    if (name === undefined) continue;
    if (!isOf(name, names)) return undefined;
    if (kind !== "file-system") return kind;
    return name === names.data ? "data" : "files";
  }
  return undefined;
}

/** Partitions of disks whose names end with a digit have a `p` before their number. */
function isOf(name: string, { disk, controller }: DiskNames): boolean {
  if (name === disk || name === controller) return true;
  if (!name.startsWith(disk)) return false;
  return (/\d$/.test(disk) ? /^p\d+$/ : /^\d+$/).test(name.slice(disk.length));
}
