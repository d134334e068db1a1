import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { TICKS_A_SECOND } from "../stall.ts";
import type { Figure } from "./attack.ts";

const EVERY_MS = 1_000;
const PAGE_BYTES = 4_096;

/** Memory and time of a process, and memory of the kernel for all connections of the machine, both ends. */
interface Usage {
  /** Bytes. */
  readonly resident: number;
  readonly anonymous: number;
  readonly kernel: number;
  readonly sockets: number;
  /** Seconds of processor time since it began. */
  readonly processor: number;
}

/** A command line that prints the usage of a process, for a shell of this or another machine. */
function usageCommand(pid: number): string {
  return `cat /proc/${pid}/status /proc/net/sockstat; echo sockets: $(ls -l /proc/${pid}/fd | grep -c socket:); echo ticks: $(cut -d' ' -f14,15 /proc/${pid}/stat)`;
}

/** @throws {Error} when there is no such process. */
function usageFrom(text: string): Usage {
  const found = (pattern: RegExp) => {
    const number = pattern.exec(text)?.[1];
    if (number === undefined) throw new Error(`no ${pattern} in ${text.slice(0, 200)}`);
    return Number(number);
  };
  const [, user, system] = /^ticks: (\d+) (\d+)$/m.exec(text) ?? [];
  return {
    processor: (Number(user) + Number(system)) / TICKS_A_SECOND,
    resident: 1_024 * found(/VmRSS:\s+(\d+) kB/),
    anonymous: 1_024 * found(/RssAnon:\s+(\d+) kB/),
    kernel: PAGE_BYTES * found(/^TCP: .*mem (\d+)/m),
    sockets: found(/^sockets: (\d+)/m),
  };
}

/** Runs a command on this machine. */
async function localShell(command: string): Promise<string> {
  // `ls` fails for a process that has ended, which the parser notices.
  return (await promisify(execFile)("/bin/sh", ["-c", command])).stdout;
}

/**
 * Measures the usage of a process every second.
 * @returns a function that measures once more, and tells the first, the highest and the last value
 */
export async function watchUsage(
  pid: number,
  shell: (command: string) => Promise<string> = localShell,
): Promise<() => Promise<readonly Figure[]>> {
  const look = async () => usageFrom(await shell(usageCommand(pid)));
  const seen = [await look()];
  const end = new AbortController();
  const watching = (async () => {
    while (!end.signal.aborted) {
      await pause(EVERY_MS, undefined, { signal: end.signal }).catch(() => {});
      // The end of the process is reported elsewhere.
      const usage = await look().catch(() => undefined);
      if (usage !== undefined) seen.push(usage);
    }
  })();
  const told = (of: (usage: Usage) => number) => {
    const all = seen.map(of);
    return `${all[0]} before, ${Math.max(...all)} at most, ${all.at(-1)} after`;
  };
  return async () => {
    end.abort();
    await watching;
    const spent = (seen.at(-1)?.processor ?? 0) - (seen[0]?.processor ?? 0);
    return [
      ["memory of the service, MB (resident)", told(({ resident }) => megabytes(resident))],
      ["memory of the service, MB (anonymous)", told(({ anonymous }) => megabytes(anonymous))],
      ["memory of the kernel for TCP, MB", told(({ kernel }) => megabytes(kernel))],
      ["sockets the service has", told(({ sockets }) => sockets)],
      ["processor time of the service, s", spent.toFixed(1)],
    ];
  };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
