import { execFileSync } from "node:child_process";

/** Runs a program to its end; throws when it fails. */
export type Run = (program: string, ...args: string[]) => void;

export function runProgram(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: "ignore" });
}
