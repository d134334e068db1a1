import { type Change, changeScript } from "../../changes.ts";
import type { DocumentRow } from "../../rows.ts";
import type { Database } from "../database.ts";
import { perform } from "./table.ts";

/** All documents of a kind, oldest first. */
export function documents(db: Database, { kind }: { readonly kind: string }): DocumentRow[] {
  return db
    .prepare(
      "SELECT id, body, revision FROM document WHERE kind = ? AND body IS NOT NULL ORDER BY rowid",
    )
    .all(kind) as DocumentRow[];
}

/** Makes a change, in the caller's transaction. @returns and @throws as `changeScript` */
export function changeFile(db: Database, wanted: Change): boolean {
  return perform(db, changeScript(wanted));
}
