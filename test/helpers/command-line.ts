import { PassThrough, Readable } from "node:stream";
import { runCommandLine } from "../../appliance/app/commands/command-line.ts";
import { readInput } from "../../appliance/app/commands/input.ts";
import { clockZone } from "../../appliance/base/time-zone.ts";
import { type Ended, type Env, PROGRAM, Running } from "./tallydeck.ts";

/** Commands that end by a signal, or ask a person. */
const OF_A_PROCESS: ReadonlySet<string> = new Set(["run", "collect", "follow", "try-deck"]);

let masked = 0;
let before = 0;

/**
 * Runs the command line as the program does, in this process, with nothing in its environment but `env`: a process of its
 * own, as `Running` has it, takes half a second. Services have one.
 */
export async function tallydeck(
  args: readonly string[],
  env: Env = {},
  input?: string,
): Promise<Ended> {
  if (OF_A_PROCESS.has(args[0] ?? "")) return new Running(args, env, { input }).ended;
  return refused(args, env, input);
}

/** The same of any command that ends at once, as one does that is used wrongly, or a service that cannot start. */
export async function refused(
  args: readonly string[],
  env: Env = {},
  input?: string,
): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runHere(
    args,
    env,
    { out: (bytes) => out.push(bytes.toString()), err: (text) => err.push(text) },
    input,
  );
  return { code, out: out.join(""), err: err.join("") };
}

interface Streams {
  out(bytes: Buffer): void;
  err(text: string): void;
}

/** The same with what it prints as it comes. @returns its exit code */
export async function runHere(
  args: readonly string[],
  env: Env,
  { out, err }: Streams,
  input?: string,
): Promise<number> {
  const output = new PassThrough();
  output.on("data", out);
  const heard = listeners();
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
    });
  } finally {
    if (--masked === 0) process.umask(before);
    // Listeners of its own must not keep a signal from ending the tests.
    for (const [signal, listener] of listeners())
      if (!heard.some(([, one]) => one === listener)) process.off(signal, listener);
  }
}

function listeners() {
  return (["SIGTERM", "SIGINT"] as const).flatMap((signal) =>
    process.rawListeners(signal).map((one) => [signal, one as NodeJS.SignalsListener] as const),
  );
}
