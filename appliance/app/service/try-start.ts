import { type ChoreProcesses, runIn } from "../../store/desk.ts";

/**
 * Reads a database that no process has open like a start, in a process of its own with the same memory.
 * @throws {DatabaseRefused} where that fails
 */
export function tryStart(file: string, processes?: ChoreProcesses): Promise<void> {
  return runIn(new URL("start-trial.ts", import.meta.url), { file }, { processes });
}
