import { statSync } from "node:fs";
import { bytesOf } from "../base/system/files.ts";

/** Root keeps no more. */
const MOST_BYTES = 1_048_576;

/** The end of the log that root keeps after a failure. @param file root's; empty where nothing keeps one */
export function keptLogIn(file: string) {
  return {
    /** Epoch milliseconds of the failure, by the box's clock; null where nothing has failed. */
    keptAt(): number | null {
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.isFile() ? Math.floor(found.mtimeMs) : null;
    },
    read: () => bytesOf(file, MOST_BYTES),
  };
}
