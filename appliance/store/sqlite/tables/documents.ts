import type { DocumentRow } from "../../rows.ts";
import type { WriteInput } from "../../writes.ts";
import type { Database } from "../database.ts";

/** All documents of a kind, oldest first. */
export function documents(db: Database, { kind }: { readonly kind: string }): DocumentRow[] {
  return db
    .prepare("SELECT id, body FROM document WHERE kind = ? ORDER BY rowid")
    .all(kind) as DocumentRow[];
}

export function changeDocuments(
  db: Database,
  { kind, put, remove }: WriteInput<"changeDocuments">,
): void {
  const add = db.prepare(
    `INSERT INTO document (kind, id, body) VALUES (?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body`,
  );
  const drop = db.prepare("DELETE FROM document WHERE kind = ? AND id = ?");
  for (const { id, body } of put) add.run(kind, id, body);
  for (const id of remove) drop.run(kind, id);
}

/** Removes all of a kind but one, where it is named. */
export function removeOtherDocuments(db: Database, kind: string, kept: string | null): void {
  db.prepare("DELETE FROM document WHERE kind = ? AND id IS NOT ?").run(kind, kept);
}
