import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Figure } from "./attack.ts";

const EVERY_MS = 1_000;
const PAGE_BYTES = 4_096;
/** The unit of processor time in /proc: USER_HZ is 100 on every Linux that Node runs on. */
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

/** Measures the usage of a process every second, and reports the first, the highest and the last value. */
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
      // The end of the process is reported elsewhere.
      const usage = await this.#look().catch(() => undefined);
      if (usage !== undefined) this.#seen.push(usage);
    }
  }

  /** Measures once more, and returns the figures. */
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
