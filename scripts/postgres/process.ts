import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { postgresCommand, postgresFolder } from "./folder.ts";

/** Settings of postgresql.conf: `{max_connections: 10}`. */
export type Settings = Readonly<Record<string, string | number>>;

/** Long enough for a busy machine, and shorter than the limit of a test, since this failure has a better message. */
const PATIENCE_MS = 60_000;

/** The processes of a server, on a port of 127.0.0.1, and its folder. */
export class PostgresProcess {
  readonly settings: Settings;
  readonly folder = postgresFolder();
  readonly data = join(this.folder, "data");
  readonly #port: number;
  readonly #logFile = join(this.folder, "log");
  #child: ChildProcess | undefined;

  constructor(port: number, settings: Settings) {
    this.#port = port;
    this.settings = settings;
  }

  /** The id of the first process, whose children do the work. @throws {Error} while none runs */
  get pid(): number {
    const pid = this.#runs ? this.#child?.pid : undefined;
    if (pid === undefined) throw new Error("PostgreSQL does not run");
    return pid;
  }

  get log(): string {
    return readFileSync(this.#logFile, "utf8");
  }

  /** Becomes a standby of another server, by its URL. */
  async copyFrom(url: string): Promise<void> {
    const from = ["--dbname", url, "--wal-method=stream", "--checkpoint=fast"];
    const to = ["-D", this.data, "--write-recovery-conf", "--no-sync"];
    const [file, args] = postgresCommand("pg_basebackup", [...from, ...to]);
    await promisify(execFile)(file, args, { cwd: this.folder });
  }

  /** Resolves when the server takes connections. */
  async start(): Promise<void> {
    const child = this.#spawn();
    this.#child = child;
    const since = Date.now();
    while (!this.#isReady(child)) {
      if (!this.#runs || Date.now() - since > PATIENCE_MS)
        throw new Error(`PostgreSQL did not start: ${this.log.slice(-2000)}`);
      await setTimeout(5);
    }
  }

  /** Stops or continues all its processes, as on a machine that hangs. */
  freeze(isFrozen: boolean): void {
    const signal = isFrozen ? "SIGSTOP" : "SIGCONT";
    const { pid } = this;
    // A stopped server makes no further children.
    process.kill(pid, signal);
    for (const child of childrenOf(pid)) send(child, signal);
  }

  /** Sends a signal to the first process and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.#runs) return;
    const ended = once(child, "exit");
    // The process must not end early: its caller may wait for nothing else.
    child.ref();
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.end("SIGQUIT");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async kill(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.#runs) return;
    // The server is stopped first, so that it starts no further children and notices no death.
    process.kill(pid, "SIGSTOP");
    const children = childrenOf(pid);
    for (const each of children) send(each, "SIGKILL");
    await this.end("SIGKILL");
    while (children.some(isAlive)) await setTimeout(2);
    this.#freeMemory();
  }

  #spawn(): ChildProcess {
    const settings = Object.entries(this.settings).map(([name, value]) => `--${name}=${value}`);
    const where = ["-D", this.data, "-k", this.folder, "-p", `${this.#port}`];
    const [file, args] = postgresCommand("postgres", [...where, ...settings]);
    const log = openSync(this.#logFile, "a");
    const child = spawn(file, args, {
      stdio: ["ignore", log, log],
      // A terminal's Ctrl-C ends a whole group of processes.
      detached: true,
      cwd: this.folder,
    });
    closeSync(log);
    // The server's owner ends it; it must not keep this process alive.
    child.unref();
    return child;
  }

  get #runs(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  #isReady({ pid }: ChildProcess): boolean {
    const [first, ...rest] = this.#pidFile();
    return Number(first) === pid && /^(ready|standby)/.test(rest.at(6) ?? "");
  }

  /** The server's process, folder, start, port, socket's folder, address, shared memory and state, a line each. */
  #pidFile(): string[] {
    try {
      return readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n");
    } catch {
      return [];
    }
  }

  /** Shared memory of a killed server would outlive its folder. */
  #freeMemory(): void {
    const [, id] = (this.#pidFile()[6] ?? "").trim().split(/\s+/);
    if (id !== undefined) execFileSync("ipcrm", ["-m", id], { stdio: "ignore" });
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

/** Sends a signal to a process, which may have ended by itself a moment ago. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
