import { execFile, execFileSync, type StdioOptions } from "node:child_process";

/** Runs a program to its end; throws when it fails. */
export type Run = (program: string, ...args: string[]) => void;

export function runProgram(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: "ignore" });
}

/** Runs a program, and returns its output. Throws when it fails, or takes longer than ten seconds. */
export type AskProgram = (program: string, ...args: string[]) => string;

export function askProgram(program: string, ...args: string[]): string {
  const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
  return execFileSync(program, args, { stdio, encoding: "utf8", timeout: 10_000 });
}

/** Runs a program beside other work, and resolves with its output. Rejects when it fails, takes too long or is stopped. */
export type AskSoon = (
  program: string,
  args: readonly string[],
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
) => Promise<string>;

/** The most bytes of an output. */
const MOST_OUTPUT = 2 * 1024 * 1024;

export const askSoon: AskSoon = (program, args, { timeoutMs, signal }) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = { timeout: timeoutMs, maxBuffer: MOST_OUTPUT, ...(signal && { signal }) };
  execFile(program, args, options, (error, stdout) => {
    if (error === null) resolve(stdout);
    else reject(error);
  });
  return promise;
};
