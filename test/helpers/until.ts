import { setTimeout } from "node:timers/promises";

const LOOK_MS = 5;
/** Each look at what has to be asked for is work for both. */
const ASK_MS = 25;

/** Resolves when `holds` does; a test that waits in vain ends by its own time limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(LOOK_MS);
}

/** The same for what only an answer tells. */
export async function untilTold(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(ASK_MS);
}
