import { bodyOf, closed, type DocumentKind } from "../../../base/documents.ts";
import { isText } from "../../../base/json.ts";
import type { SiteKey } from "../../counting.ts";
import type { Database } from "../database.ts";

export type Kinds = readonly DocumentKind[];

/** An id is a name, an address or a hash. */
const MAX_ID_BYTES = 1_024;
/** Of kinds that a later release has, all of them together. */
const UNKNOWN = { count: 1_000, bytes: 1_048_576, together: 4_194_304 };

/** Kinds that a backup has. */
export function keptKinds(kinds: Kinds): Kinds {
  return kinds.filter(({ inBackup }) => inBackup === "kept");
}

/**
 * Copies documents of these kinds, each one read as its kind says and written anew, with the revision
 * of one that was not written here.
 * @param off is told of what is off; what it returns from is left behind
 */
export function copyKept(
  from: Database,
  to: Database,
  kinds: Kinds,
  { off, siteOf }: Pick<Manner, "off" | "siteOf">,
): void {
  // An unknown field would take memory that no bound reckons with.
  for (const { schema, ...kind } of kinds)
    copyKind(from, to, { ...kind, schema: closed(schema) }, { anew: true, off, siteOf });
}

/** Copies what belongs to the box itself, of kinds that only a later release knows, too; what is off stays behind. */
export function copyLeft(from: Database, to: Database, kinds: Kinds): void {
  const kept = new Set(keptKinds(kinds).map(({ name }) => name));
  const known = new Map(kinds.map((kind) => [kind.name, kind]));
  const names = from.prepare("SELECT DISTINCT kind FROM document NOT INDEXED").pluck().all();
  for (const name of names as string[]) {
    if (kept.has(name)) continue;
    const kind = known.get(name) ?? { name, schema: {}, bound: UNKNOWN };
    copyKind(from, to, kind, { anew: false, off: () => {}, siteOf: () => undefined });
  }
}

interface Manner {
  /** Nothing of a row is taken as it is. */
  readonly anew: boolean;
  readonly off: (why: string) => void;
  /** The number that a site has by now; undefined for one that was not copied. */
  readonly siteOf: (id: string) => SiteKey | undefined;
}

function copyKind(
  from: Database,
  to: Database,
  kind: Pick<DocumentKind, "name" | "schema" | "bound" | "ofSite">,
  { anew, off, siteOf }: Manner,
): void {
  const { name, bound } = kind;
  const ofKind = "FROM document NOT INDEXED WHERE kind = ?";
  // Looks at lengths only: what is too long is never read into memory.
  const longer = `octet_length(body) > ${bound.bytes} OR octet_length(id) > ${MAX_ID_BYTES}`;
  if (from.prepare(`SELECT 1 ${ofKind} AND (${longer}) LIMIT 1`).get(name) !== undefined) {
    off("too long");
    return;
  }
  const add = to.prepare(
    "INSERT INTO document (kind, id, body, revision) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  let count = 0;
  let together = 0;
  for (const row of from.prepare(`SELECT id, body, revision ${ofKind}`).iterate(name)) {
    const { id, body, revision } = row as Readonly<Record<"id" | "body" | "revision", unknown>>;
    count += 1;
    together += Buffer.byteLength(String(body));
    if (count > bound.count || together > bound.together) {
      off("one too many");
      return;
    }
    const read = isText(id) && isText(body) ? bodyOf(kind, id, body) : undefined;
    if (read === undefined || !Number.isSafeInteger(revision)) {
      off("not as Tallydeck writes it");
      continue;
    }
    const here = kind.ofSite ? siteOf(String(id)) : id;
    // Its site is on its way out.
    if (here === undefined) continue;
    const written = anew ? JSON.stringify(read) : body;
    if (add.run(name, String(here), written, anew ? 0 : revision).changes === 0) off("there twice");
  }
}
