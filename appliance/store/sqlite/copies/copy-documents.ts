import { bodyOf, closed, type DocumentKind, knownPart } from "../../../base/documents.ts";
import { isText } from "../../../base/input/json.ts";
import type { SiteKey } from "../../counting.ts";
import { SITES, type SiteBody } from "../../sites/kinds.ts";
import { NOT_OURS } from "../../transfer/counts.ts";
import type { Database } from "../database.ts";
import { RowLimit } from "./untrusted-rows.ts";

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
 * Copies sites, with new numbers.
 * @param off is called with each invalid site; the site is skipped where it returns
 * @returns old number → new number
 */
export function copySites(
  from: Database,
  to: Database,
  { anew, off }: Pick<Manner<unknown>, "anew" | "off">,
): ReadonlyMap<unknown, SiteKey> {
  const sites = new Map<unknown, SiteKey>();
  const names = new Set<string>();
  const idOf = (theirs: string, { id }: SiteBody) => {
    const number = sites.size + 1;
    if (names.has(id) || !/^[1-9]\d{0,14}$/.test(theirs)) off("there twice, or has no number");
    names.add(id);
    sites.set(Number(theirs), number);
    return String(number);
  };
  copyKind(from, to, { ...SITES, schema: closed(SITES.schema) }, { anew, off, idOf });
  to.prepare("UPDATE revision SET last_site = ?").run(sites.size);
  return sites;
}

/**
 * Copies documents of these kinds but sites. Each is parsed by its kind and written with the revision of
 * documents from elsewhere.
 * @param off is called with each invalid document; the document is skipped where it returns
 * @param siteOf maps the old number of a site to the new one; undefined for one that was not copied
 */
export function copyKept(
  from: Database,
  to: Database,
  kinds: Kinds,
  {
    anew,
    off,
    siteOf,
  }: Pick<Manner<unknown>, "anew" | "off"> & { siteOf: (id: number) => SiteKey | undefined },
): void {
  for (const { schema, ...kind } of kinds) {
    if (kind.name === SITES.name) continue;
    const idOf = (id: string) => (kind.of === "site" ? siteOf(Number(id))?.toString() : id);
    // An unknown field would take memory that no bound reckons with.
    copyKind(from, to, { ...kind, schema: closed(schema) }, { anew, off, idOf });
  }
}

/** Copies the documents of the box itself, kinds of later releases included. Invalid ones are skipped. */
export function copyLeft(from: Database, to: Database, kinds: Kinds): void {
  const kept = new Set(keptKinds(kinds).map(({ name }) => name));
  const known = new Map(kinds.map((kind) => [kind.name, kind]));
  const names = from.prepare("SELECT DISTINCT kind FROM document NOT INDEXED").pluck().all();
  for (const name of names as string[]) {
    if (kept.has(name)) continue;
    const kind = known.get(name) ?? { name, schema: {}, bound: UNKNOWN };
    copyKind(from, to, kind, { anew: false, off: () => {}, idOf: (id) => id });
  }
}

interface Manner<Body> {
  /**
   * Nothing of a row is taken as it is: one with fields that are not known is off, or, with `known`, is taken without
   * them.
   */
  readonly anew: boolean | "known";
  readonly off: (why: string) => void;
  /** The id that a document has by now; undefined where its site was not copied. */
  readonly idOf: (id: string, body: Body) => string | undefined;
}

function copyKind<Body>(
  from: Database,
  to: Database,
  kind: Pick<DocumentKind<Body>, "name" | "schema" | "bound" | "body" | "idPattern" | "hasFile">,
  { anew, off, idOf }: Manner<Body>,
): void {
  const { name, bound, idPattern = "", hasFile = false } = kind;
  const isId = new RegExp(idPattern, "u");
  const ofKind = "FROM document NOT INDEXED WHERE kind = ? AND body IS NOT NULL";
  // The query reads lengths only, so that a value that is too long never comes into memory.
  const longer = `octet_length(body) > ${bound.bytes} OR octet_length(id) > ${MAX_ID_BYTES}
    OR octet_length(file) > ${bound.bytes}`;
  if (from.prepare(`SELECT 1 ${ofKind} AND (${longer}) LIMIT 1`).get(name) !== undefined) {
    off("too long");
    return;
  }
  const add = to.prepare(
    "INSERT OR IGNORE INTO document (kind, id, body, revision, file) VALUES (?, ?, ?, ?, ?)",
  );
  const room = new RowLimit(bound);
  for (const row of from.prepare(`SELECT id, body, revision, file ${ofKind}`).iterate(name)) {
    const { id, body, revision, file } = row as Readonly<
      Record<"id" | "body" | "revision" | "file", unknown>
    >;
    if (!room.take(file instanceof Uint8Array ? file.length : Buffer.byteLength(String(body)))) {
      off("one too many");
      return;
    }
    const hasOne = file instanceof Uint8Array;
    const isDocument =
      isText(id) &&
      isId.test(id) &&
      isText(body) &&
      (hasOne === hasFile || !anew) &&
      (hasOne || file === null);
    const whole = isDocument ? bodyOf(kind, id, body) : undefined;
    const read = whole ?? (isDocument && anew === "known" ? knownPart(kind, body) : undefined);
    if (read === undefined || !Number.isSafeInteger(revision)) {
      off(NOT_OURS);
      continue;
    }
    const here = idOf(String(id), read);
    // The document's site is being removed.
    if (here === undefined) continue;
    const written = anew ? JSON.stringify(read) : body;
    const added = add.run(name, here, written, anew ? 0 : revision, file);
    if (added.changes === 0) off("there twice");
  }
}
