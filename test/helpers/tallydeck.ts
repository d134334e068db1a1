import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Env, Inside } from "./here.ts";
import { aroundTests } from "./hooks.ts";
import { COMPILED, openProgram } from "./open-program.ts";
import { type Ask, askPort, type Reply } from "./world.ts";

const ROOT = join(import.meta.dirname, "../..");
export const MAIN = join(ROOT, "appliance/main.ts");

/** Makes another user's own compile cache: Node takes none that is not, and a start without one takes four times as long. */
function compiledFor(user: number, compiled: string): string {
  const folder = `${compiled}-${user}`;
  mkdirSync(folder, { recursive: true });
  chownSync(folder, user, user);
  return folder;
}

export interface Ended {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in a process of its own, with nothing in its environment but `env`. */
export function spawned(args: readonly string[], env: Env = {}, input?: string): Promise<Ended> {
  return new Running(args, env, { input }).ended;
}

const running = new Set<Running>();
let isOver = false;
// A process of a failed test would keep the whole run from ending.
aroundTests(
  () => {
    isOver = true;
    return Promise.all([...running].map((process) => process.abandon()));
  },
  () => {
    isOver = false;
  },
);

interface RunningOptions {
  /** Arguments of Node before those of the program, instead of the checkout's own. */
  program?: readonly string[];
  /** A command that runs another one elsewhere, in its own place. */
  within?: readonly string[];
  /** Is piped in. */
  input?: string | undefined;
  /** The most open files and sockets. */
  descriptors?: number;
  /** The id of its user; that of the tests unless given. */
  user?: number;
  /** It is a program that any user can read, as it is anyway where another one runs it. */
  isOpen?: boolean;
  /** It runs in the process of the tests, in which its modules are loaded already. */
  isHere?: boolean;
  /** A person watches what it prints there. */
  isTTY?: boolean;
}

const OWN = { node: process.execPath, main: MAIN, compiled: COMPILED };

function started(
  args: readonly string[],
  env: Env,
  { program, within = [], input, descriptors, user, isOpen = user !== undefined }: RunningOptions,
): ChildProcess {
  const { node, main, compiled } = isOpen ? openProgram() : OWN;
  const command = [...within, node, ...(program ?? [main]), ...args];
  const limited = ["bash", "-c", `ulimit -n ${descriptors}; exec "$@"`, "bash", ...command];
  const [file = "", ...rest] = descriptors === undefined ? command : limited;
  return spawn(file, rest, {
    env: {
      PATH: process.env.PATH ?? "",
      NODE_COMPILE_CACHE: user === undefined ? compiled : compiledFor(user, compiled),
      // Beside other tests, a nice one would hardly run.
      NICENESS: "0",
      ...env,
    },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    ...(user !== undefined && { uid: user, gid: user }),
  });
}

/** A process of the command line that stays, as `tallydeck run` does. */
export class Running {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess | Inside;
  #out = "";
  #err = "";

  constructor(args: readonly string[], env: Env = {}, options: RunningOptions = {}) {
    if (isOver) throw new Error("All tests are over.");
    this.#child = options.isHere
      ? new Inside(args, env, { isTTY: options.isTTY ?? false })
      : started(args, env, options);
    // It need not read all of it.
    this.#child.stdin?.on("error", () => {}).end(options.input);
    this.#child.stdout?.on("data", (bytes: Buffer) => {
      this.#out += bytes;
    });
    this.#child.stderr?.on("data", (bytes: Buffer) => {
      this.#err += bytes;
    });
    running.add(this);
    this.ended = once(this.#child, "close")
      .then(([code]) => ({ code: code as number | null, out: this.#out, err: this.#err }))
      .finally(() => running.delete(this));
  }

  get out(): string {
    return this.#out;
  }

  get err(): string {
    return this.#err;
  }

  /** Resolves with the first match of `pattern` in what it prints; rejects when it ends before. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#out);
      if (match !== null) return match;
      const ended = await Promise.race([
        once(this.#child.stdout as NodeJS.ReadableStream, "data"),
        this.ended,
      ]);
      if ("code" in ended) throw new Error(`it ended: ${ended.out}${ended.err}`);
    }
  }

  /** Closes the pipes it writes to, as `| head` does. */
  unheard(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    this.#child.kill(signal);
    return this.ended;
  }

  /** Ends it where its test left it running. */
  async abandon(): Promise<void> {
    await this.end(this.#child instanceof Inside ? "SIGTERM" : "SIGKILL");
  }

  /** Holds it in the middle of whatever it does; resolves when none of its threads moves. */
  async suspend(): Promise<void> {
    this.#child.kill("SIGSTOP");
    const tasks = `/proc/${this.#child.pid}/task`;
    const moves = (task: string) => !/\) T /.test(readFileSync(join(tasks, task, "stat"), "utf8"));
    while (readdirSync(tasks).some(moves)) await nextTurn();
  }
}

/** `tallydeck run` on free ports. */
export class RunningService extends Running {
  #port = 0;

  static async start(
    dataDir: string,
    env: Env = {},
    options: RunningOptions = {},
  ): Promise<RunningService> {
    const args = ["run", "--data-dir", dataDir, "--port", "0", "--webui-port", "0"];
    const service = new RunningService(args, env, options);
    const [, port] = await service.says(/localhost:(\d+)\/dashboard/);
    service.#port = Number(port);
    return service;
  }

  /** The same in this process: all but the process itself is as it is there, for a fifth of the work. */
  static startHere(dataDir: string, env: Env = {}): Promise<RunningService> {
    return RunningService.start(dataDir, env, { isHere: true });
  }

  get port(): number {
    return this.#port;
  }

  ask(path: string, ask: Ask = {}): Promise<Reply> {
    return askPort(this.#port, path, ask);
  }
}
