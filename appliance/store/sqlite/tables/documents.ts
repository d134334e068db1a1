import { tooMuch } from "../../../base/documents.ts";
import type { DocumentRow, DocumentsChange } from "../../rows.ts";
import type { Database } from "../database.ts";
import { within } from "./table.ts";

/** All documents of a kind, oldest first. */
export function documents(db: Database, { kind }: { readonly kind: string }): DocumentRow[] {
  return db
    .prepare("SELECT id, body, revision FROM document WHERE kind = ? ORDER BY rowid")
    .all(kind) as DocumentRow[];
}

/** @throws {Refusal} as the kind says where there would be more than may be */
export function writeDocuments(db: Database, { kind, put, remove }: DocumentsChange): void {
  const revision = nextRevision(db);
  const add = db.prepare(
    `INSERT INTO document (kind, id, body, revision) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body, revision = excluded.revision`,
  );
  const drop = db.prepare("DELETE FROM document WHERE kind = ? AND id = ?");
  const rows = { text: "FROM document WHERE kind = ?", values: [kind.name], columns: ["body"] };
  const change = () => {
    for (const { id, body, revision: own = revision } of put) add.run(kind.name, id, body, own);
    for (const id of remove) drop.run(kind.name, id);
  };
  if (!within(db, rows, kind.bound, change)) throw tooMuch(kind);
}

/** The change that puts documents back as they are now, once they were changed so. */
export function wayBack(db: Database, { kind, put, remove }: DocumentsChange): DocumentsChange {
  const ids = new Set([...put.map(({ id }) => id), ...remove]);
  const known = documents(db, { kind: kind.name }).filter(({ id }) => ids.has(id));
  for (const { id } of known) ids.delete(id);
  return {
    kind,
    put: known.map(({ id, body, revision }) => ({ id, body, ...(revision === 0 && { revision }) })),
    remove: [...ids],
  };
}

/** Removes all of a kind but one, where it is named. */
export function removeOtherDocuments(db: Database, kind: string, kept: string | null): void {
  db.prepare("DELETE FROM document WHERE kind = ? AND id IS NOT ?").run(kind, kept);
}

const REVISION = "revision";

/** A higher one than any change had before. */
function nextRevision(db: Database): number {
  return db
    .prepare(
      `INSERT INTO meta (key, value) VALUES (?, 1)
       ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value`,
    )
    .pluck()
    .get(REVISION) as number;
}
