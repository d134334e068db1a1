import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The kernel's folder about the partition or disk that a file is on; undefined where the file system is on none of its
 * own, as in memory.
 * @param sys the root of sysfs
 * @throws {Error} when there is no such file
 */
export function blockDeviceOf(path: string, sys = "/sys"): string | undefined {
  const { dev } = statSync(path);
  // The parts of a device number, see makedev(3).
  const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)];
  try {
    return realpathSync(join(sys, "dev/block", `${major}:${minor}`));
  } catch {
    return undefined;
  }
}
