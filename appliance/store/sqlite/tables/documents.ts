import { type Change, changeScript, type DocumentRow } from "../../changes.ts";
import type { QueryInput } from "../../queries.ts";
import type { Database } from "../database.ts";
import { perform } from "./table.ts";

/** All documents of a kind, oldest first. */
export function documents(db: Database, { kind }: QueryInput<"documents">): DocumentRow[] {
  return db
    .prepare(
      `SELECT id, body, revision, coalesce(octet_length(file), 0) AS size FROM document
       WHERE kind = ? AND body IS NOT NULL ORDER BY rowid`,
    )
    .all(kind) as DocumentRow[];
}

export function documentFile(
  db: Database,
  { kind, id }: QueryInput<"documentFile">,
): Uint8Array | null {
  const find = db.prepare("SELECT file FROM document WHERE kind = ? AND id = ?").pluck();
  return (find.get(kind, id) as Uint8Array | null | undefined) ?? null;
}

/** Makes a change, in the caller's transaction. @returns and @throws as `changeScript` */
export function changeFile(db: Database, wanted: Change): boolean {
  return perform(db, changeScript(wanted));
}
