import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { runCommandLine } from "../../appliance/app/commands/command-line.ts";
import { readInput } from "../../appliance/app/commands/input.ts";
import { Signal } from "../../appliance/base/signal.ts";
import { clockZone } from "../../appliance/base/time-zone.ts";
import { reusedThreads } from "./threads.ts";

/** The name by which a shell in the checkout finds the program. */
const PROGRAM = "./scripts/tallydeck";

export type Env = Readonly<Record<string, string>>;

interface Streams {
  out(bytes: Buffer): void;
  err(text: string): void;
}

interface Told {
  /** Is piped in. */
  readonly input?: string | undefined;
  /** A person watches its output. */
  readonly isTTY?: boolean;
  /** Tells it to end. */
  readonly stopped?: Signal;
}

let masked = 0;
let before = 0;

/**
 * Runs the command line as the program does, in this process, with nothing in its environment but `env`.
 * @returns its exit code
 */
export async function runHere(
  args: readonly string[],
  env: Env,
  { out, err }: Streams,
  { input, isTTY = false, stopped = new Signal() }: Told = {},
): Promise<number> {
  const output = Object.assign(new PassThrough(), { isTTY });
  output.on("data", out);
  // As the program has it: its files are for its own user alone.
  if (masked++ === 0) before = process.umask(0o077);
  try {
    return await runCommandLine(args, {
      env: { PATH: process.env.PATH ?? "", ...env },
      program: PROGRAM,
      columns: Number(env.COLUMNS) || 80,
      now: () => Date.now() + Number(env.CLOCK_AHEAD_MS ?? 0),
      timeZone: () => env.TZ ?? clockZone({ warn: (line) => err(`${line}.\n`) }),
      out: (line) => void output.write(`${line}\n`),
      err: (line) => err(`${line}\n`),
      output,
      yieldToOthers: () => {},
      isPiped: () => input !== undefined,
      input: (limit) => readInput(Readable.from([Buffer.from(input ?? "")]), limit),
      onStop: (stop) => stopped.on(stop),
      threads: reusedThreads,
    });
  } finally {
    if (--masked === 0) process.umask(before);
  }
}

/** A command in this process, which looks like a process of its own. */
export class Inside extends EventEmitter {
  readonly pid = undefined;
  readonly stdin = null;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly #stopped = new Signal();

  constructor(args: readonly string[], env: Env, told: Omit<Told, "stopped"> = {}) {
    super();
    const streams: Streams = {
      out: (bytes) => void this.stdout.write(bytes),
      err: (text) => void this.stderr.write(text),
    };
    runHere(args, env, streams, { ...told, stopped: this.#stopped })
      .then(async (code) => {
        await Promise.all([this.stdout, this.stderr].map((stream) => finished(stream.end())));
        this.emit("close", code);
      })
      .catch((error: unknown) => this.emit("error", error));
  }

  /** @throws {TypeError} for a signal that no command could handle, either */
  kill(signal: NodeJS.Signals): void {
    if (signal !== "SIGTERM" && signal !== "SIGINT")
      throw new TypeError(`${signal} needs a process of its own`);
    this.#stopped.emit();
  }
}
