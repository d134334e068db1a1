import { existsSync, readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { setFlagsFromString } from "node:v8";

/** The heap grows by half before it is collected again, not to twice and more: a board has little memory. */
const SMALL_HEAP = "--heap-growing-percent=50";
/** A folder for each thread, on Linux. */
const THREADS = "/proc/self/task";

/** Lets the hits of a service beside this process come first, and takes little memory. */
export function stepBack(niceness: number): void {
  setFlagsFromString(SMALL_HEAP);
  setPriority(niceness);
  // Linux sets that of this thread alone, and those in which V8 collects the heap have begun.
  if (!existsSync(THREADS)) return;
  for (const thread of readdirSync(THREADS)) setPriority(Number(thread), niceness);
}
