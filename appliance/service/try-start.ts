import { runIn } from "../store/sqlite/copies/chore-process.ts";

/** As long as a start may take. */
const PATIENCE_MS = 120_000;

/**
 * Reads a database that nobody has open as a start does, in a process of its own with the memory that a
 * start has.
 * @throws {DatabaseRefused} where that fails
 */
export function tryStart(file: string, patienceMs: number = PATIENCE_MS): Promise<void> {
  return runIn(new URL("start-trial.ts", import.meta.url), { file }, patienceMs);
}
