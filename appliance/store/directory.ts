import type { SiteKey } from "./counting.ts";
import type { Connection } from "./database.ts";

/** A site as the database knows it. */
export interface SiteRecord {
  readonly key: SiteKey;
  readonly id: string;
  /** The collector's own domain for the site, or null. */
  readonly host: string | null;
  readonly badge: boolean;
  /** True while the configuration names it: then it cannot be changed elsewhere. */
  readonly declared: boolean;
  /** SHA-256 of the site's own token, or null. */
  readonly tokenHash: Uint8Array | null;
}

/** All that decides which site a request is for and who may read it. */
export interface Directory {
  readonly sites: readonly SiteRecord[];
  readonly adminHash: Uint8Array | null;
}

const ADMIN = 0;

export function readDirectory(db: Connection): Directory {
  const rows = db
    .prepare(
      `SELECT key, id, host, badge, declared, hash AS tokenHash
       FROM site LEFT JOIN read_token ON read_token.site = key ORDER BY id`,
    )
    .all() as (Omit<SiteRecord, "badge" | "declared"> & { badge: number; declared: number })[];
  const admin = db.prepare("SELECT hash FROM read_token WHERE site = ?").pluck().get(ADMIN);
  return {
    sites: rows.map((row) => ({ ...row, badge: row.badge === 1, declared: row.declared === 1 })),
    adminHash: (admin as Uint8Array | undefined) ?? null,
  };
}

/**
 * Makes the declared sites and remembers which they are. Writes nothing when all is known already:
 * a service whose disk is full must still start.
 */
export function declareSites(
  db: Connection,
  sites: readonly { id: string; host: string | null }[],
): void {
  const asText = (all: typeof sites) =>
    JSON.stringify(all.map(({ id, host }) => [id, host]).sort());
  const known = readDirectory(db).sites.filter((site) => site.declared);
  if (asText(known) === asText(sites)) return;
  db.transaction(() => {
    db.prepare("UPDATE site SET declared = 0 WHERE declared = 1").run();
    const declare = db.prepare(
      `INSERT INTO site (id, host, declared) VALUES (:id, :host, 1)
       ON CONFLICT (id) DO UPDATE SET host = excluded.host, declared = 1`,
    );
    for (const { id, host } of sites) declare.run({ id, host });
  }).immediate();
}

export function findSite(db: Connection, id: string): SiteRecord | undefined {
  return readDirectory(db).sites.find((site) => site.id === id);
}

export function addSite(db: Connection, id: string): void {
  db.prepare("INSERT INTO site (id) VALUES (?)").run(id);
}

export function changeSite(
  db: Connection,
  key: SiteKey,
  change: { host?: string | null; badge?: boolean },
): void {
  if (change.host !== undefined)
    db.prepare("UPDATE site SET host = ? WHERE key = ?").run(change.host, key);
  if (change.badge !== undefined)
    db.prepare("UPDATE site SET badge = ? WHERE key = ?").run(change.badge ? 1 : 0, key);
}

/** The site is gone at once; what it counted is erased in steps by upkeep's `eraseSites`. */
export function removeSite(db: Connection, key: SiteKey): void {
  db.transaction(() => {
    db.prepare("DELETE FROM site WHERE key = ?").run(key);
    db.prepare("DELETE FROM read_token WHERE site = ?").run(key);
    db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(key);
  }).immediate();
}

/** Sets the token of a site, or of the admin where `site` is null; a null hash revokes it. */
export function setReadToken(db: Connection, site: SiteKey | null, hash: Uint8Array | null): void {
  if (hash === null) db.prepare("DELETE FROM read_token WHERE site = ?").run(site ?? ADMIN);
  else
    db.prepare("INSERT OR REPLACE INTO read_token (site, hash) VALUES (?, ?)").run(
      site ?? ADMIN,
      hash,
    );
}

/** A 32-byte secret of this database, made at first use. */
export function databaseSecret(db: Connection, name: string, make: () => Uint8Array): Uint8Array {
  const find = db.prepare("SELECT value FROM meta WHERE key = ?").pluck();
  if (find.get(name) === undefined)
    db.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)").run(name, make());
  return find.get(name) as Uint8Array;
}
