import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PowerAction } from "./view.ts";

/**
 * Requests a restart or shutdown. The service has no right to do it; root watches a folder for a file with the name of
 * the action.
 */
export function powerSwitch(folder: string): (action: PowerAction) => Promise<void> {
  return (action) => writeFile(join(folder, action), "");
}
