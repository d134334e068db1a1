import { spawn } from "node:child_process";

/** The status of `flock` when another still has it. */
const IS_HELD = 1;

/**
 * Waits until no other program of root's changes what the updater changes. The units of those which
 * do nothing else have it from their start to their end; it is gone with the program that took it.
 * @param file of the lock, as the units name it
 * @returns what lets go of it; undefined when another has it still after so many seconds. Where
 * there is no such file to be made, there is no program to wait for
 */
export function lockOf(file: string, seconds: number): Promise<(() => void) | undefined> {
  // It goes on for as long as it is written to, and says what it reads once the lock is there.
  const holder = spawn("flock", ["--timeout", `${seconds}`, file, "cat"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const letGo = () => void holder.stdin.end();
  return new Promise((resolve) => {
    holder.stdout.once("data", () => resolve(letGo));
    holder.on("close", (status) => resolve(status === IS_HELD ? undefined : letGo));
    holder.on("error", () => resolve(letGo));
    holder.stdin.on("error", () => {});
    holder.stdin.write("\n");
  });
}
