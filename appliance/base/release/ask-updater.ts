import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NEW } from "../system/files.ts";
import type { UpdaterRequest } from "./updater-state.ts";

/** The folder, in root's, in which the service may write. */
export const ASKED = "asked";

/**
 * Asks root's updater for something.
 * @param folder root's folder
 * @throws {Error} where it is not there
 */
export async function askUpdater(
  folder: string,
  request: UpdaterRequest,
  release?: number,
): Promise<void> {
  const file = join(folder, ASKED, request);
  await writeFile(file + NEW, release === undefined ? "" : String(release));
  await rename(file + NEW, file);
}
