import { uptime } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { bootId } from "../../base/system/system-clock.ts";
import { type Disk, diskOf } from "./disk.ts";
import { DiskWatch } from "./disk-watch.ts";

/** Begins to watch the disk of the data; undefined where the kernel tells nothing of it. */
export function watchDisk({
  config: { dataDir, kernelLinesFile },
  clock,
  log,
  disk: find = () => diskOf(dataDir),
}: {
  config: { readonly dataDir: string; readonly kernelLinesFile: string };
  clock: Clock;
  log: Log;
  /** Finds the disk of the data; the kernel's word on it unless given. */
  disk?: () => Disk | undefined;
}): DiskWatch | undefined {
  const disk = find();
  if (disk === undefined) return undefined;
  return new DiskWatch({
    clock,
    log,
    disk,
    machine: { boot: bootId(), upSeconds: uptime },
    file: join(dataDir, "disk", "record.json"),
    linesFile: kernelLinesFile,
  });
}
