import { execFileSync, type StdioOptions } from "node:child_process";

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
