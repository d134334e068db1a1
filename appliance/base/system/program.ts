import {
  type ChildProcessByStdio,
  execFile,
  execFileSync,
  type StdioOptions,
  spawn,
} from "node:child_process";
import type { Readable, Writable } from "node:stream";

/**
 * Words that stand in our code as they are, at least by their beginning (`--since=@${time}`). A text that comes from
 * elsewhere, a mere `string`, does not compile among them: a name like `--address=…` would be an option there.
 */
type OwnWords<Words extends readonly string[]> = Words & {
  readonly [Index in keyof Words]: string extends Words[Index] ? never : Words[Index];
};

/**
 * The words of a program: our own, then `--`, after which nothing is an option, and values from elsewhere. Programs that
 * do not know `--` are given no values.
 */
export function commandLine(own: readonly string[], values: readonly string[] = []): string[] {
  return values.length === 0 ? [...own] : [...own, "--", ...values];
}

/** Runs a program to its end; throws when it fails. */
export type Run = <const Words extends readonly string[]>(
  program: string,
  own: OwnWords<Words>,
  values?: readonly string[],
) => void;

export const runProgram: Run = (program, own, values) => {
  execFileSync(program, commandLine(own, values), { stdio: "ignore" });
};

/** Runs a program, and returns its output. Throws when it fails, or takes longer than ten seconds. */
export type AskProgram = <const Words extends readonly string[]>(
  program: string,
  own: OwnWords<Words>,
  values?: readonly string[],
) => string;

export const askProgram: AskProgram = (program, own, values) => {
  const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
  return execFileSync(program, commandLine(own, values), {
    stdio,
    encoding: "utf8",
    timeout: 10_000,
  });
};

/** Runs a program beside other work, and resolves with its output. Rejects when it fails, takes too long or is stopped. */
export type AskSoon = <const Words extends readonly string[]>(
  program: string,
  own: OwnWords<Words>,
  options: {
    readonly values?: readonly string[];
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
    /** The variables of the program; ours unless given. */
    readonly env?: Readonly<Record<string, string | undefined>>;
  },
) => Promise<string>;

/** The most bytes of an output. */
const MOST_OUTPUT = 2 * 1024 * 1024;

export const askSoon: AskSoon = (program, own, { values, timeoutMs, signal, env }) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = {
    timeout: timeoutMs,
    maxBuffer: MOST_OUTPUT,
    ...(signal && { signal }),
    ...(env && { env }),
  };
  execFile(program, commandLine(own, values), options, (error, stdout) => {
    if (error === null) resolve(stdout);
    else reject(error);
  });
  return promise;
};

/** Starts a program, whose end is the caller's to wait for. */
export function startProgram<const Words extends readonly string[]>(
  program: string,
  own: OwnWords<Words>,
  values?: readonly string[],
): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(program, commandLine(own, values), { stdio: ["pipe", "pipe", "ignore"] });
}
