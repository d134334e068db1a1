import { existsSync } from "node:fs";
import { join } from "node:path";

/** An empty file in the data folder of a place, beside the data: commands that open none find it, too. */
export function placeMark(dataDir: string): string {
  return join(dataDir, "place");
}

/** Whether what ran last on this data was a place: it is started by another command. */
export function wasPlace(dataDir: string): boolean {
  return existsSync(placeMark(dataDir));
}
