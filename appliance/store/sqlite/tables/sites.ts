import type { SiteKey } from "../../counting.ts";
import type { Directory, SiteRecord } from "../../sites/directory.ts";
import type { Database } from "../database.ts";
import { removeSiteAlarms } from "./site-alarms.ts";
import { removeSurveyLabels } from "./survey-labels.ts";

const ADMIN = 0;

type SiteRow = Omit<SiteRecord, "badge" | "declared"> &
  Readonly<Record<"badge" | "declared" | "retired", number>>;

export function readDirectory(db: Database): Directory {
  const rows = db
    .prepare(
      `SELECT key, id, host, badge, declared, retired,
         read_token.hash AS tokenHash, share_token.hash AS shareHash
       FROM site
       LEFT JOIN read_token ON read_token.site = key
       LEFT JOIN share_token ON share_token.site = key
       ORDER BY id`,
    )
    .all() as SiteRow[];
  const admin = db.prepare("SELECT hash FROM read_token WHERE site = ?").pluck().get(ADMIN);
  return {
    sites: rows.filter(({ retired }) => retired === 0).map(recordOf),
    retired: rows.filter(({ retired }) => retired !== 0).map(recordOf),
    adminHash: (admin as Uint8Array | undefined) ?? null,
  };
}

function recordOf({ retired: _, ...row }: SiteRow): SiteRecord {
  return { ...row, badge: row.badge === 1, declared: row.declared === 1 };
}

/** A site that is not retired. */
export function findSite(db: Database, id: string): SiteRecord | undefined {
  return readDirectory(db).sites.find((site) => site.id === id);
}

export function findRetired(db: Database, id: string): SiteRecord | undefined {
  return readDirectory(db).retired.find((site) => site.id === id);
}

/** Adds a site, or brings back a retired one with its numbers and its token. */
export function addSite(db: Database, id: string): void {
  db.prepare(
    `INSERT INTO site (id) VALUES (?)
     ON CONFLICT (id) DO UPDATE SET retired = 0, host = NULL, badge = 0`,
  ).run(id);
}

export function changeSite(
  db: Database,
  key: SiteKey,
  change: { id?: string; host?: string | null; badge?: boolean },
): void {
  if (change.id !== undefined)
    db.prepare("UPDATE site SET id = ? WHERE key = ?").run(change.id, key);
  if (change.host !== undefined)
    db.prepare("UPDATE site SET host = ? WHERE key = ?").run(change.host, key);
  if (change.badge !== undefined)
    db.prepare("UPDATE site SET badge = ? WHERE key = ?").run(change.badge ? 1 : 0, key);
}

/** The site keeps its numbers, and neither counts nor shows anything. */
export function retireSite(db: Database, id: string): void {
  db.prepare("UPDATE site SET retired = 1, host = NULL WHERE id = ?").run(id);
}

/** The site is gone at once; what it counted is erased in steps by upkeep's `eraseSites`. */
export function removeSite(db: Database, key: SiteKey): void {
  db.transaction(() => {
    db.prepare("DELETE FROM site WHERE key = ?").run(key);
    db.prepare("DELETE FROM read_token WHERE site = ?").run(key);
    removeSurveyLabels(db, key);
    removeSiteAlarms(db, key);
    setShareToken(db, key, null);
    db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(key);
  }).immediate();
}

/** Sets the token of a site, or of the admin where `site` is null; a null hash revokes it. */
export function setReadToken(db: Database, site: SiteKey | null, hash: Uint8Array | null): void {
  if (hash === null) db.prepare("DELETE FROM read_token WHERE site = ?").run(site ?? ADMIN);
  else
    db.prepare("INSERT OR REPLACE INTO read_token (site, hash) VALUES (?, ?)").run(
      site ?? ADMIN,
      hash,
    );
}

/** Sets the token of the link by which a site is shared; a null hash revokes it. */
export function setShareToken(db: Database, site: SiteKey, hash: Uint8Array | null): void {
  if (hash === null) db.prepare("DELETE FROM share_token WHERE site = ?").run(site);
  else db.prepare("INSERT OR REPLACE INTO share_token (site, hash) VALUES (?, ?)").run(site, hash);
}

/**
 * Sets the admin token, or revokes it where `hash` is null. Who signed in while there was another is
 * signed out, but for the session `kept`.
 */
export function changeAdminToken(
  db: Database,
  hash: Uint8Array | null,
  kept: Uint8Array | null = null,
): void {
  db.transaction(() => {
    if (readDirectory(db).adminHash !== null)
      db.prepare("DELETE FROM session WHERE hash IS NOT ?").run(kept);
    setReadToken(db, null, hash);
  }).immediate();
}

/** A 32-byte secret of this database, made at first use. */
export function databaseSecret(db: Database, name: string, make: () => Uint8Array): Uint8Array {
  const find = db.prepare("SELECT value FROM meta WHERE key = ?").pluck();
  if (find.get(name) === undefined)
    db.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)").run(name, make());
  return find.get(name) as Uint8Array;
}
