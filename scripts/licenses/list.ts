/** The files that tell of all parts: one for the command line, one for people. */

import { licensesPage } from "./page.ts";
import { distinct, type Part, packed } from "./part.ts";

const LIST = "docs/licenses.json";
const PAGE = "docs/licenses.html";

/** Their names below the web build. */
export const LIST_FILES: readonly string[] = [LIST, PAGE];

/** Name below the web build → bytes. */
export function listFiles(parts: readonly Part[]): Record<string, Uint8Array> {
  const list = packed(distinct(parts));
  return {
    [LIST]: Buffer.from(`${JSON.stringify(list)}\n`),
    [PAGE]: Buffer.from(licensesPage(list)),
  };
}
