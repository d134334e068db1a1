import { databaseUrl } from "../../base/database-url.ts";
import type { CopySource, CopyTarget } from "./end.ts";
import type { Opening } from "./options.ts";

/**
 * Opens what is copied from, or only compared.
 * @param where a data folder, or `postgres://…`
 * @throws {CopyRefused | Refusal} with a sentence for the owner
 */
export async function openSource(where: string, opening: Opening): Promise<CopySource> {
  if (databaseUrl(where) === undefined)
    return (await import("../sqlite/copies/copying.ts")).SqliteEnd.openSource(where);
  return (await import("../postgres/copying.ts")).PostgresEnd.openSource(where, opening);
}

/**
 * Opens what is copied to, which is made where there is none.
 * @param where a data folder, or `postgres://…`
 * @throws {CopyRefused | Refusal} with a sentence for the owner
 */
export async function openTarget(where: string, opening: Opening): Promise<CopyTarget> {
  if (databaseUrl(where) === undefined)
    return (await import("../sqlite/copies/copying.ts")).SqliteEnd.openTarget(where);
  return (await import("../postgres/copying.ts")).PostgresEnd.openTarget(where, opening);
}
