import { planDeclared } from "../../sites/declare.ts";
import type { DeclaredSite } from "../../sites/directory.ts";
import type { Transaction } from "../connection/sql.ts";
import { readRevisedDirectory } from "./directory.ts";
import { carryOutLocked, lockDirectory } from "./site-changes.ts";

/**
 * Makes the sites as the configuration declares them. Where it names none, all stays as it is: many
 * share the database, and one of them that names no site is to retire none of the others'.
 * @returns what the owner should know of it, a sentence each
 * @throws {ConfigRefused} when the token of one site would open another; nothing is changed then
 */
export async function declareFleetSites(
  sql: Transaction,
  declared: readonly DeclaredSite[],
): Promise<readonly string[]> {
  if (declared.length === 0) return [];
  // A node that has nothing to change holds up no other, and needs no disk with room.
  const { directory } = await readRevisedDirectory(sql);
  const known = planDeclared(directory, declared);
  if (known.changes.length === 0) return known.sentences;
  const { changes, sentences } = planDeclared(await lockDirectory(sql), declared);
  await carryOutLocked(sql, changes);
  return sentences;
}
