import {
  bodyOf,
  type Document,
  type DocumentKind,
  type Documents,
  type DocumentsWanted,
  readDocument,
} from "../base/documents.ts";
import type { DocumentRow, DocumentsChange } from "./changes.ts";
import type { SiteKey } from "./counting.ts";
import type { Asker } from "./reads/answer.ts";
import type { Rows } from "./sql.ts";

/** The data that keeps documents. */
interface Keeper {
  read(query: "documents", input: { readonly kind: string }): Promise<DocumentRow[]>;
  read(
    query: "documentFile",
    input: { readonly kind: string; readonly id: string },
  ): Promise<Uint8Array | null>;
  write(name: "changeDocuments", change: DocumentsChange): Promise<void>;
}

/** All documents of a kind, oldest first. @throws {Error} where one is not what its kind says */
export async function documentsOf<Body>(
  from: Pick<Keeper, "read">,
  kind: DocumentKind<Body>,
): Promise<Document<Body>[]> {
  const rows = await from.read("documents", { kind: kind.name });
  return rows.map((row) => ({ ...row, body: readDocument(kind, row.id, row.body) }));
}

/** The documents of a kind. */
export function documentsIn<Body>(from: Keeper, kind: DocumentKind<Body>): Documents<Body> {
  return {
    list: () => documentsOf(from, kind),
    change: (wanted) => from.write("changeDocuments", documentsChange(kind, wanted)),
    file: (id) => from.read("documentFile", { kind: kind.name, id }),
  };
}

/** A change of documents as the store makes it, perhaps with others. */
export function documentsChange<Body>(
  { name, bound, full, of }: DocumentKind<Body>,
  { put = [], remove = [] }: DocumentsWanted<Body>,
): DocumentsChange {
  const rows = put.map(({ body, ...row }) => ({ ...row, body: JSON.stringify(body) }));
  return { kind: { name, bound, ...(full && { full }), ...(of && { of }) }, put: rows, remove };
}

/** The document of a kind that a site has, as JSON; null where it has none. */
export async function documentOfSite(
  rows: Rows,
  site: SiteKey,
  kind: string,
): Promise<string | null> {
  const [row] = await rows<{ body: string }>(
    "SELECT body FROM document WHERE kind = $1 AND id = $2",
    [kind, String(site)],
  );
  return row?.body ?? null;
}

/** The documents of a kind that sites have, as JSON. */
export async function documentsOfSites(
  rows: Rows,
  kind: string,
): Promise<{ site: SiteKey; body: string }[]> {
  const found = await rows<{ id: string; body: string }>(
    "SELECT id, body FROM document WHERE kind = $1",
    [kind],
  );
  return found.map(({ id, body }) => ({ site: Number(id), body }));
}

/** @returns the document that a site has of a kind; undefined where it has none, or its JSON is damaged */
export async function settingOfSite<Body>(
  numbers: {
    read(
      query: "ofSite",
      input: { readonly site: SiteKey; readonly kind: string },
      asker?: Asker,
    ): Promise<string | null>;
  },
  kind: DocumentKind<Body>,
  site: SiteKey,
  asker?: Asker,
): Promise<Body | undefined> {
  const body = await numbers.read("ofSite", { site, kind: kind.name }, asker);
  return body === null ? undefined : bodyOf(kind, String(site), body);
}
