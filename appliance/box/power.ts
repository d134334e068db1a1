import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PowerAction } from "../control/wire.ts";

/**
 * Asks the system to restart or to shut down: the service may do neither, but root watches a folder of
 * it for a file of that name.
 */
export function powerSwitch(folder: string): (action: PowerAction) => Promise<void> {
  return (action) => writeFile(join(folder, action), "");
}
