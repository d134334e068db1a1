import { type Document, type DocumentKind, readDocument } from "../base/documents.ts";
import type { DocumentsChange } from "./changes.ts";
import type { QueryInput, QueryResult } from "./queries.ts";
import type { WriteInput, WriteResult } from "./writes.ts";

/** A place that keeps documents, as a box does. */
interface Keeper {
  read(query: "documents", input: QueryInput<"documents">): Promise<QueryResult<"documents">>;
  write(
    name: "changeDocuments",
    change: WriteInput<"changeDocuments">,
  ): Promise<WriteResult<"changeDocuments">>;
}

/** All documents of a kind, oldest first. @throws {Error} where one is not what its kind says */
export async function documentsOf<Body>(
  store: Pick<Keeper, "read">,
  kind: DocumentKind<Body>,
): Promise<Document<Body>[]> {
  const rows = await store.read("documents", { kind: kind.name });
  return rows.map((row) => ({ ...row, body: readDocument(kind, row.id, row.body) }));
}

interface Wanted<Body> {
  readonly put?: readonly (Pick<Document<Body>, "id" | "body"> & {
    readonly file?: Uint8Array;
  })[];
  readonly remove?: readonly string[];
}

/**
 * Adds documents, or replaces those of the same id, and removes others: all or none.
 * @throws {Refusal} as the kind says where there would be more than may be
 */
export function changeDocuments<Body>(
  store: Pick<Keeper, "write">,
  kind: DocumentKind<Body>,
  wanted: Wanted<Body>,
): Promise<void> {
  return store.write("changeDocuments", documentsChange(kind, wanted));
}

/** The same, to be made with other changes. */
export function documentsChange<Body>(
  { name, bound, full, of }: DocumentKind<Body>,
  { put = [], remove = [] }: Wanted<Body>,
): DocumentsChange {
  const rows = put.map(({ body, ...row }) => ({ ...row, body: JSON.stringify(body) }));
  return { kind: { name, bound, ...(full && { full }), ...(of && { of }) }, put: rows, remove };
}
