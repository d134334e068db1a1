import type { Document, DocumentKind } from "../base/documents.ts";
import type { QueryInput, QueryName, QueryResult } from "./queries.ts";
import type { WriteInput, WriteName, WriteResult } from "./writes.ts";

/** What of a store keeps documents. */
interface Keeper {
  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>>;
}

/** All documents of a kind, oldest first. @throws {Error} where one is not what its kind says */
export async function documentsOf<Body>(
  store: Pick<Keeper, "read">,
  kind: DocumentKind<Body>,
): Promise<Document<Body>[]> {
  const rows = await store.read("documents", { kind: kind.name });
  return rows.map(({ id, body }) => ({ id, body: kind.read(id, JSON.parse(body)) }));
}

/** Adds documents, or replaces those of the same id, and removes others: all or none. */
export function changeDocuments<Body>(
  store: Pick<Keeper, "write">,
  { name: kind }: DocumentKind<Body>,
  { put = [], remove = [] }: { put?: readonly Document<Body>[]; remove?: readonly string[] },
): Promise<void> {
  const rows = put.map(({ id, body }) => ({ id, body: JSON.stringify(body) }));
  return store.write("changeDocuments", { kind, put: rows, remove });
}
