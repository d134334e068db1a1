import { runIn } from "../store/desk.ts";

/**
 * Reads a database that no process has open as a start does, in a process of its own with the
 * memory that a start has.
 * @throws {DatabaseRefused} where that fails
 */
export function tryStart(file: string): Promise<void> {
  return runIn(new URL("start-trial.ts", import.meta.url), { file });
}
