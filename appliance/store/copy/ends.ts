import { SqliteEnd } from "../sqlite/copying.ts";
import type { CopySource } from "./source.ts";
import type { CopyTarget } from "./target.ts";

/**
 * Opens what is copied from.
 * @param where a data folder
 * @throws {CopyRefused | DatabaseRefused} with a sentence for the owner
 */
export async function openSource(where: string): Promise<CopySource> {
  return SqliteEnd.openSource(where);
}

/**
 * Opens what is copied to, which is made where there is none.
 * @param where a data folder
 * @param now epoch milliseconds
 * @throws {CopyRefused | DatabaseRefused} with a sentence for the owner
 */
export async function openTarget(where: string, now: () => number): Promise<CopyTarget> {
  return SqliteEnd.openTarget(where, now);
}
