import { declareSites as plan } from "../../sites/declare.ts";
import type { DeclaredSite } from "../../sites/directory.ts";
import type { Database } from "../database.ts";
import { carryOut } from "./site-changes.ts";
import { readDirectory } from "./sites.ts";

/**
 * Makes the sites as the configuration declares them.
 * @returns what the owner should know of it, a sentence each
 * @throws {ConfigRefused} when the token of one site would open another; nothing is changed then
 */
export function declareSites(db: Database, declared: readonly DeclaredSite[]): readonly string[] {
  const { changes, sentences } = plan(readDirectory(db), declared);
  if (changes.length > 0) db.transaction(() => carryOut(db, changes)).immediate();
  return sentences;
}
