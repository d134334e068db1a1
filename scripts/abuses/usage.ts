import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Figure } from "./attack.ts";

const EVERY_MS = 1_000;
const PAGE_BYTES = 4_096;
/** Of the processor time in /proc: USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

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

/** A shell's command line that tells the usage of a process; also for a shell on another machine. */
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

/** Asks a shell of this machine. */
async function localShell(command: string): Promise<string> {
  // `ls` fails for a process that is gone; what is missing is noticed by who reads it.
  return (await promisify(execFile)("/bin/sh", ["-c", command])).stdout;
}

/** Looks again and again, and keeps the first, the highest and the last of what it saw. */
export class UsageWatch {
  readonly #look: () => Promise<Usage>;
  readonly #seen: Usage[] = [];
  readonly #end = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  private constructor(look: () => Promise<Usage>) {
    this.#look = look;
  }

  static async start(
    pid: number,
    shell: (command: string) => Promise<string> = localShell,
  ): Promise<UsageWatch> {
    const command = usageCommand(pid);
    const watch = new UsageWatch(async () => usageFrom(await shell(command)));
    watch.#seen.push(await watch.#look());
    watch.#watching = watch.#watch();
    return watch;
  }

  async #watch(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await pause(EVERY_MS, undefined, { signal: this.#end.signal }).catch(() => {});
      // A process that is gone is somebody else's finding.
      const usage = await this.#look().catch(() => undefined);
      if (usage !== undefined) this.#seen.push(usage);
    }
  }

  /** Looks once more, and tells what it saw. */
  async stop(): Promise<readonly Figure[]> {
    this.#end.abort();
    await this.#watching;
    return [
      ["memory of the service, MB (resident)", this.#told((usage) => megabytes(usage.resident))],
      ["memory of the service, MB (anonymous)", this.#told((usage) => megabytes(usage.anonymous))],
      ["memory of the kernel for TCP, MB", this.#told((usage) => megabytes(usage.kernel))],
      ["sockets the service has", this.#told((usage) => usage.sockets)],
      ["processor time of the service, s", this.#grown((usage) => usage.processor)],
    ];
  }

  #grown(of: (usage: Usage) => number): string {
    const all = this.#seen.map(of);
    return ((all.at(-1) ?? 0) - (all[0] ?? 0)).toFixed(1);
  }

  #told(of: (usage: Usage) => number): string {
    const all = this.#seen.map(of);
    return `${all[0]} before, ${Math.max(...all)} at most, ${all.at(-1)} after`;
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
