import { bodyOf, closed, type DocumentKind, knownPart } from "../../../base/documents.ts";
import { isText } from "../../../base/input/json.ts";
import type { SiteKey } from "../../counting.ts";
import { SITES, type SiteBody } from "../../sites/kinds.ts";
import type { Transaction } from "../../sql.ts";
import { NOT_OURS } from "../../transfer/counts.ts";
import { isBlob } from "../../transfer/values.ts";
import type { Database } from "../database.ts";
import { type TableRule, untrustedRows } from "./untrusted-rows.ts";

export type Kinds = readonly DocumentKind[];

/** An id is a name, an address or a hash. */
const MAX_ID_BYTES = 1_024;
/** Limits for documents of all kinds of a later release together. */
const UNKNOWN = { count: 1_000, bytes: 1_048_576, together: 4_194_304 };

/** Kinds that a backup has. */
export function keptKinds(kinds: Kinds): Kinds {
  return kinds.filter(({ inBackup }) => inBackup === "kept");
}

/** The same kinds, for a backup that has also what is the machine's own. */
export function wholeKinds(kinds: Kinds): Kinds {
  return kinds.map((kind) => (kind.inBackup === "own" ? { ...kind, inBackup: "kept" } : kind));
}

/**
 * Copies documents that a backup has, sites first, which get new numbers. Each is parsed by its kind and written with
 * the revision of documents from elsewhere.
 * @param off is called with each invalid document; the document is skipped where it returns
 * @returns old number of a site → new number
 */
export async function copyKept(
  from: Database,
  to: Transaction,
  kinds: Kinds,
  manner: Pick<CopyOfKind<unknown>, "anew" | "off">,
): Promise<ReadonlyMap<unknown, SiteKey>> {
  const sites = new Map<unknown, SiteKey>();
  const names = new Set<string>();
  const newSite = (theirs: string, { id }: SiteBody) => {
    const number = sites.size + 1;
    if (names.has(id) || !/^[1-9]\d{0,14}$/.test(theirs))
      manner.off("there twice, or has no number");
    names.add(id);
    sites.set(Number(theirs), number);
    return String(number);
  };
  await copyKind(from, to, SITES, { ...manner, idOf: newSite });
  await to.rows("UPDATE revision SET last_site = $1", [sites.size]);
  for (const kind of keptKinds(kinds)) {
    if (kind.name === SITES.name) continue;
    const idOf = (id: string) => (kind.of === "site" ? sites.get(Number(id))?.toString() : id);
    await copyKind(from, to, kind, { ...manner, idOf });
  }
  return sites;
}

/** Copies the documents of the box itself, kinds of later releases included. Invalid ones are skipped. */
export async function copyLeft(from: Database, to: Transaction, kinds: Kinds): Promise<void> {
  const kept = new Set(keptKinds(kinds).map(({ name }) => name));
  const known = new Map(kinds.map((kind) => [kind.name, kind]));
  const names = from.prepare("SELECT DISTINCT kind FROM document NOT INDEXED").pluck().all();
  for (const name of names as string[]) {
    if (kept.has(name)) continue;
    const kind = known.get(name) ?? { name, schema: {}, bound: UNKNOWN };
    await copyKind(from, to, kind, { anew: false, off: () => {}, idOf: (id) => id });
  }
}

interface CopyOfKind<Body> {
  /**
   * Nothing of a row is taken as it is: one with fields that are not known is off, or, with `known`, is taken without
   * them.
   */
  readonly anew: boolean | "known";
  readonly off: (why: string) => void;
  /** The id that a document has by now; undefined where its site was not copied. */
  readonly idOf: (id: string, body: Body) => string | undefined;
}

async function copyKind<Body>(
  from: Database,
  to: Transaction,
  kind: Pick<DocumentKind<Body>, "name" | "schema" | "bound" | "body" | "idPattern" | "hasFile">,
  { anew, off, idOf }: CopyOfKind<Body>,
): Promise<void> {
  const { name, bound, idPattern = "", hasFile = false } = kind;
  const isId = new RegExp(idPattern, "u");
  // An unknown field would take memory that no bound reckons with.
  const read = { ...kind, schema: anew ? closed(kind.schema) : kind.schema };
  const rule: TableRule = {
    columns: {
      id: (id) => isText(id) && Buffer.byteLength(id) <= MAX_ID_BYTES && isId.test(id),
      body: isText,
      revision: Number.isSafeInteger,
      file: (file) => (file === null || isBlob(file)) && (!anew || isBlob(file) === hasFile),
    },
    where: ["kind = ? AND body IS NOT NULL", name],
    bound,
    size: "coalesce(octet_length(file), octet_length(body))",
  };
  for (const { id, body, revision, file } of untrustedRows(from, "document", rule, off)) {
    const text = String(body);
    const known =
      bodyOf(read, String(id), text) ?? (anew === "known" ? knownPart(read, text) : undefined);
    if (known === undefined) {
      off(NOT_OURS);
      continue;
    }
    const here = idOf(String(id), known);
    // The document's site is being removed.
    if (here === undefined) continue;
    const written = anew ? JSON.stringify(known) : text;
    const added = await to.rows(
      `INSERT INTO document (kind, id, body, revision, file) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING RETURNING 1 AS one`,
      [name, here, written, anew ? 0 : revision, file],
    );
    if (added.length === 0) off("there twice");
  }
}
