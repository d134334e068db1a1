import { setTimeout } from "node:timers/promises";

const LOOK_MS = 5;

/** Resolves when `holds` does; a test that waits in vain ends by its own time limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(LOOK_MS);
}
