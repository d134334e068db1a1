import type { Day } from "../../base/calendar.ts";
import { bodyOf, documentKind, mapOf, NUMBER, objectOf, TEXT } from "../../base/documents.ts";
import type { DocumentsChange } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import { documentOfSite, documentsChange } from "../documents.ts";
import type { Transaction } from "../sql.ts";

/** The most links by which one site is shared. */
export const MAX_SHARES = 16;

export const HASH = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;

/** A link by which the traffic of a site is shared. */
export interface SiteShare {
  /** Names it among those of its site. */
  readonly id: string;
  /** The name for its owner. */
  readonly name: string;
  /** SHA-256 of its token. */
  readonly hash: Uint8Array;
  /** The conditions of what it shows, as texts; none for all of the traffic. */
  readonly where: readonly string[];
}

interface KeptShare extends Omit<SiteShare, "hash"> {
  /** In hex. */
  readonly hash: string;
}

/** The links by which a site is shared, oldest first. */
export const SHARES = documentKind<readonly KeptShare[]>(
  "shares",
  {
    type: "array",
    maxItems: MAX_SHARES,
    items: objectOf({ id: TEXT, name: TEXT, hash: HASH, where: { type: "array", items: TEXT } }),
  },
  {
    of: "site",
    bound: { count: 10_000, bytes: 32_768, together: 4 * 1_048_576 },
    full: {
      code: "share_limit",
      message: "The links of all sites are too long together. Take back one that is not used.",
    },
    inBackup: "kept",
  },
);

/** The day on which each link of a site was used last, by its id. */
export const SHARE_USES = documentKind<Readonly<Record<string, Day>>>("share_uses", mapOf(NUMBER), {
  of: "site",
  bound: { count: 10_000, bytes: 1_024, together: 4 * 1_048_576 },
  inBackup: "kept",
});

/**
 * The id of the link that is kept with the site itself: releases before there were several made it, and those of a fleet
 * still may.
 */
export const FIRST_SHARE = "first";

/** The link that is kept with the site itself, without the name that it never got. */
export type FirstShare = Omit<SiteShare, "id" | "name">;

interface Sharing {
  readonly share: FirstShare | null;
  readonly shares: readonly SiteShare[];
}

/** All links of a site, oldest first. */
export function sharesOf({ share, shares }: Sharing): readonly SiteShare[] {
  return share === null ? shares : [{ id: FIRST_SHARE, name: "First link", ...share }, ...shares];
}

/** @param json of a document of SHARES @returns none where it is damaged */
export function sharesIn(site: string, json: string): SiteShare[] {
  return (bodyOf(SHARES, site, json) ?? []).map(({ hash, ...share }) => ({
    ...share,
    hash: Uint8Array.from(Buffer.from(hash, "hex")),
  }));
}

/** The document stays when its last link goes: who holds it in memory sees the change by its revision. */
export function sharesChange(site: SiteKey, shares: readonly SiteShare[]): DocumentsChange {
  const body = shares.map(({ hash, ...share }) => ({
    ...share,
    hash: Buffer.from(hash).toString("hex"),
  }));
  return documentsChange(SHARES, { put: [{ id: String(site), body }] });
}

/** A use of a link. */
export interface ShareUse {
  readonly site: SiteKey;
  /** Its id. */
  readonly share: string;
  readonly day: Day;
}

/** Notes a use for the owner, and forgets those of links that are gone. Nothing that is held in memory changes. */
export async function saveShareUse(
  sql: Transaction,
  { site, share, day }: ShareUse,
): Promise<void> {
  // Two that note at once would each write what they read.
  await sql.lock();
  const [id, json] = [String(site), await documentOfSite(sql.rows, site, SHARE_USES.name)];
  const uses = (json === null ? undefined : bodyOf(SHARE_USES, id, json)) ?? {};
  if ((uses[share] ?? Number.NEGATIVE_INFINITY) >= day) return;
  const shares = await documentOfSite(sql.rows, site, SHARES.name);
  const known = new Set([
    FIRST_SHARE,
    ...(shares === null ? [] : sharesIn(id, shares)).map((one) => one.id),
  ]);
  const kept = Object.entries({ ...uses, [share]: day }).filter(([one]) => known.has(one));
  await sql.rows(
    `INSERT INTO document (kind, id, body, revision)
     SELECT CAST($1 AS text), id, CAST($3 AS text), 1 FROM document
     WHERE kind = 'site' AND id = $2 AND body IS NOT NULL
     ON CONFLICT (kind, id) DO UPDATE
     SET body = excluded.body, revision = document.revision + 1`,
    [SHARE_USES.name, id, JSON.stringify(Object.fromEntries(kept))],
  );
}
