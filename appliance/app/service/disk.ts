import { uptime } from "node:os";
import { join } from "node:path";
import { bootId } from "../../base/system/system-clock.ts";
import { diskOf } from "../../box/disk/disk.ts";
import { DiskWatch } from "../../box/disk/disk-watch.ts";
import type { ServiceParts } from "./parts.ts";

/** Begins to watch the disk of the data; undefined where the kernel tells nothing of it. */
export function watchDisk({
  config: { dataDir, kernelLinesFile },
  clock,
  log,
  disk: find = () => diskOf(dataDir),
}: Pick<ServiceParts, "config" | "clock" | "log" | "disk">): DiskWatch | undefined {
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
