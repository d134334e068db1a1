import type { Bound } from "../base/bounds.ts";
import { type DocumentKind, tooMuch } from "../base/documents.ts";
import type { SiteKey } from "./counting.ts";
import { PASS_GENERATION } from "./settling/statements.ts";
import type { Sql, Statement, Transaction } from "./sql.ts";

/** A document as it is kept. */
export interface DocumentRow {
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** See Document. */
  readonly revision: number;
  readonly size: number;
}

/** Documents of a kind that are added or replaced, and others that go. */
export interface DocumentsChange {
  /** The bounds are missing where the planner of the change has checked them. */
  readonly kind: Pick<DocumentKind, "name" | "full" | "of"> & Partial<Pick<DocumentKind, "bound">>;
  readonly put: readonly {
    /** Null for a site that is new: it gets the next number. */
    readonly id: string | null;
    /** JSON. */
    readonly body: string;
    readonly file?: Uint8Array | undefined;
    /** Stays as a backup had it. */
    readonly revision?: 0 | undefined;
  }[];
  /** Their ids; one that is not there is no error. */
  readonly remove: readonly string[];
  /** The id of the only document of the kind to keep, where there is one; all others are removed. */
  readonly keepOnly?: string | null;
}

/** A change of documents, in one transaction. */
export interface Change {
  readonly documents: readonly DocumentsChange[];
  /** Sites whose counts are to be erased. */
  readonly erase?: readonly SiteKey[];
  /** Settlements that were prepared before are void: they do not know a rule of it. */
  readonly voids?: true;
}

/** The moment that documents were read at. */
export interface Revision {
  /** Raised by each change. */
  readonly n: number;
  /** Elsewhere the same number may be of another moment; null where there is no elsewhere. */
  readonly epoch: number | null;
}

/** Marks of deletions are kept for so many changes; to a reader that is further behind, all may have changed. */
const KEPT_MARKS = 10_000;

/**
 * Makes a change. Counts of an erased site are removed later, by upkeep.
 * @throws {Refusal} the one of a kind whose limit would be exceeded
 */
export async function change(sql: Sql, { documents, erase = [], voids }: Change): Promise<void> {
  const added = documents.flatMap(({ put }) => put).filter(({ id }) => id === null).length;
  const [now] = await sql.rows<{ n: number; site: number }>(NEXT, [added]);
  if (now === undefined) throw new Error("the database has no revision");
  const bounded = documents.flatMap(({ kind: { bound, ...kind } }) =>
    bound === undefined ? [] : [{ kind, bound }],
  );
  const held = bounded.map(({ kind }) => ({ text: HELD, values: [kind.name] }));
  const before = (await sql.all(held)) as readonly (readonly Held[])[];
  let site = now.site - added;
  await sql.all(documents.flatMap((each) => statementsOf(each, now.n, () => String(++site))));
  const after = (await sql.all(held)) as readonly (readonly Held[])[];
  for (const [i, { kind, bound }] of bounded.entries())
    if (isBeyond(bound, before[i]?.[0], after[i]?.[0])) throw tooMuch(kind);
  if (erase.length > 0) {
    const gone = "INSERT INTO erased_site (key) VALUES ($1)";
    await sql.all(erase.map((key) => ({ text: gone, values: [key] })));
  }
  if (erase.length > 0 || voids) await sql.rows(PASS_GENERATION);
}

/** The moment of now. */
export async function revisionOf(sql: Pick<Transaction, "rows" | "epoch">): Promise<Revision> {
  const [now] = await sql.rows<{ n: number }>("SELECT n FROM revision");
  return { n: now?.n ?? 0, epoch: await sql.epoch() };
}

/**
 * Looks whether documents of some kinds have changed since they were read, or were deleted.
 * @returns the moment of now where none has; undefined where some may have
 */
export async function unchangedSince(
  sql: Pick<Transaction, "rows" | "epoch">,
  kinds: readonly string[],
  since: Revision,
): Promise<Revision | undefined> {
  const now = await revisionOf(sql);
  if (since.epoch !== now.epoch || since.n > now.n || since.n < now.n - KEPT_MARKS)
    return undefined;
  const names = kinds.map((_, i) => `$${i + 2}`).join();
  const some = await sql.rows(
    `SELECT 1 AS one FROM document WHERE revision > $1 AND kind IN (${names}) LIMIT 1`,
    [since.n, ...kinds],
  );
  return some.length > 0 ? undefined : now;
}

/** Takes the next revision. In PostgreSQL it locks the row, so that other changes wait for the transaction. */
const NEXT = `UPDATE revision SET n = n + 1, last_site = last_site + $1
  RETURNING n, last_site AS site`;

interface Held {
  readonly count: number;
  readonly together: number;
}

const HELD = `SELECT count(*) AS count,
    CAST(coalesce(sum(coalesce(octet_length(file), octet_length(body))), 0) AS double precision)
      AS together
  FROM document WHERE kind = $1 AND body IS NOT NULL`;

const PUT = `INSERT INTO document (kind, id, body, revision, file) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (kind, id)
  DO UPDATE SET body = excluded.body, revision = excluded.revision, file = excluded.file`;

function statementsOf(
  { kind: { name, of }, put, remove, keepOnly }: DocumentsChange,
  revision: number,
  nextSite: () => string,
): Statement[] {
  // Other processes hold documents of a fleet in memory: a mark shows them that one is removed.
  const gone = of === "fleet" ? MARK : "DELETE FROM document WHERE kind = $1 AND id = $2";
  return [
    ...put.map(({ id, body, file = null, revision: own = revision }) => ({
      text: PUT,
      values: [name, id ?? nextSite(), body, own, file],
    })),
    ...remove.map((id) => ({
      text: gone,
      values: [name, id, ...(of === "fleet" ? [revision] : [])],
    })),
    ...(of === "fleet" && remove.length > 0
      ? [{ text: FORGET, values: [name, revision - KEPT_MARKS] }]
      : []),
    ...(keepOnly === undefined
      ? []
      : [
          {
            text: "DELETE FROM document WHERE kind = $1 AND id <> $2",
            values: [name, keepOnly ?? ""],
          },
        ]),
  ];
}

const MARK = `UPDATE document SET body = NULL, revision = $3
  WHERE kind = $1 AND id = $2 AND body IS NOT NULL`;

const FORGET = "DELETE FROM document WHERE kind = $1 AND body IS NULL AND revision < $2";

/** Whether a change goes beyond a bound. One that reduces what is beyond it already is fine. */
function isBeyond(bound: Bound, before?: Held, after?: Held): boolean {
  if (before === undefined || after === undefined) return false;
  const isMore = (what: keyof Held) => after[what] > bound[what] && after[what] > before[what];
  return isMore("count") || isMore("together");
}
