import { open, readdir } from "node:fs/promises";
import { totalmem, uptime } from "node:os";
import type { Vitals } from "./view.ts";

export interface MachineFiles {
  /** The beginning of a file; undefined when it cannot be read. */
  read(path: string): Promise<string | undefined>;
  /** The names in a folder; none when it cannot be read. */
  list(path: string): Promise<readonly string[]>;
}

const READ_BYTES = 16_384;
/** The most bytes of a network's name. */
const NAME_LENGTH = 32;
const ZONES = "/sys/class/thermal";
/** The most thermal zones to read, more than any machine has. */
const MAX_ZONES = 32;
/** The names of processors' sensors: boards, then PCs. */
const PROCESSOR = /^(?:cpu|soc|x86_pkg_temp)/;

/**
 * The vitals of this machine, without those that the system does not have, or has in another form.
 * @param wifiNameFile a file with the name of the wireless network; empty where there is none
 */
export async function vitalsOf(
  wifiNameFile: string,
  files: MachineFiles = machineFiles,
): Promise<Vitals> {
  const [memory = "", wireless = "", wifiName = "", temperature] = await Promise.all([
    files.read("/proc/meminfo"),
    // The sandbox of the image shows a process its own part of /proc only.
    files.read("/proc/self/net/wireless"),
    wifiNameFile === "" ? undefined : files.read(wifiNameFile),
    temperatureOf(files),
  ]);
  const availableBytes = availableOf(memory);
  const dbm = signalOf(wireless);
  const name = wifiName.replaceAll(/\p{Cc}/gu, "").slice(0, NAME_LENGTH);
  return {
    upSeconds: Math.floor(uptime()),
    memory: {
      totalBytes: totalmem(),
      serviceBytes: process.memoryUsage.rss(),
      ...(availableBytes !== undefined && { availableBytes }),
    },
    ...(temperature !== undefined && { temperature }),
    ...(dbm !== undefined && { wifi: { dbm, ...(name !== "" && { name }) } }),
  };
}

/** See proc_meminfo(5). */
function availableOf(text: string): number | undefined {
  const kilobytes = /^MemAvailable:\s+(\d{1,12}) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The level of the first interface that has one, `wlan0: 0000 54. -56. …`; see proc_pid_net(5). */
function signalOf(text: string): number | undefined {
  const level = /^\s*\w+: +\w+ +\d+\.? +(-\d{1,3})\.? /m.exec(text)?.[1];
  return level === undefined ? undefined : Number(level);
}

/** Degrees Celsius, from the first sensor of a processor. */
async function temperatureOf({ read, list }: MachineFiles): Promise<number | undefined> {
  const zones = (await list(ZONES)).filter((name) => /^thermal_zone\d{1,3}$/.test(name)).sort();
  for (const zone of zones.slice(0, MAX_ZONES)) {
    if (!PROCESSOR.test((await read(`${ZONES}/${zone}/type`)) ?? "")) continue;
    const thousandths = /^(-?\d{1,6})\n?$/.exec((await read(`${ZONES}/${zone}/temp`)) ?? "")?.[1];
    if (thousandths !== undefined) return Number(thousandths) / 1_000;
  }
  return undefined;
}

export const machineFiles: MachineFiles = {
  async read(path) {
    try {
      await using file = await open(path);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES));
      return buffer.toString("utf8", 0, bytesRead);
    } catch {
      return undefined;
    }
  },
  list: (path) => readdir(path).catch(() => []),
};
