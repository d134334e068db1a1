import type { ZoneSetting } from "../../../base/day-zone.ts";
import type { SiteKey } from "../../counting.ts";
import type { SurveyLabels } from "../../reports.ts";
import { DAY_ZONE } from "../../sites/day-zone.ts";
import { type Directory, directoryOf, type SiteRecord, siteIn } from "../../sites/directory.ts";
import type { SiteFields } from "../../sites/draft.ts";
import type { Database } from "../database.ts";
import { passGeneration } from "../settle.ts";
import { BYTES } from "../slices.ts";
import { put } from "./table.ts";

const ADMIN = 0;

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
    .all() as (Omit<SiteRecord, "badge" | "declared"> &
    Readonly<Record<"badge" | "declared" | "retired", number>>)[];
  const admin = db.prepare("SELECT hash FROM read_token WHERE site = ?").pluck().get(ADMIN);
  return directoryOf(
    rows.map((row) => ({
      ...row,
      badge: row.badge === 1,
      declared: row.declared === 1,
      retired: row.retired === 1,
    })),
    (admin as Uint8Array | undefined) ?? null,
    notedZone(db),
  );
}

/** A site that is not retired. */
export function findSite(db: Database, id: string): SiteRecord | undefined {
  return siteIn(readDirectory(db), id);
}

/** Sites whose blocks take the most, that first. */
export function largestSites(db: Database, limit: number): { key: SiteKey; id: string }[] {
  return db
    .prepare(
      `SELECT key, id FROM site LEFT JOIN block ON block.site = key GROUP BY key
       ORDER BY sum(${BYTES}) DESC, key LIMIT ?`,
    )
    .all(limit) as { key: SiteKey; id: string }[];
}

export function addSite(db: Database, id: string, fields: Partial<SiteFields> = {}): void {
  const { host = null, badge = false, declared = false } = fields;
  db.prepare("INSERT INTO site (id, host, badge, declared) VALUES (?, ?, ?, ?)").run(
    id,
    host,
    Number(badge),
    Number(declared),
  );
}

export function changeSite(
  db: Database,
  key: SiteKey,
  { id, host, badge, declared, retired }: SiteFields,
): void {
  db.prepare(
    "UPDATE site SET id = ?, host = ?, badge = ?, declared = ?, retired = ? WHERE key = ?",
  ).run(id, host, Number(badge), Number(declared), Number(retired), key);
}

/** The site is gone at once; what it counted is erased in steps by upkeep's `eraseSites`. */
export function removeSite(db: Database, key: SiteKey): void {
  db.transaction(() => {
    db.prepare("DELETE FROM site WHERE key = ?").run(key);
    db.prepare("DELETE FROM read_token WHERE site = ?").run(key);
    db.prepare("DELETE FROM survey_labels WHERE site = ?").run(key);
    db.prepare("DELETE FROM site_alarm WHERE site = ?").run(key);
    setShareToken(db, key, null);
    db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(key);
    passGeneration(db);
  }).immediate();
}

/** Sets the token of a site, or of the admin where `site` is null; a null hash revokes it. */
export function setReadToken(db: Database, site: SiteKey | null, hash: Uint8Array | null): void {
  if (hash === null) db.prepare("DELETE FROM read_token WHERE site = ?").run(site ?? ADMIN);
  else put(db, "read_token", "site", [{ site: site ?? ADMIN, hash }]);
}

/** Sets the token of the link by which a site is shared; a null hash revokes it. */
export function setShareToken(db: Database, site: SiteKey, hash: Uint8Array | null): void {
  if (hash === null) db.prepare("DELETE FROM share_token WHERE site = ?").run(site);
  else put(db, "share_token", "site", [{ site, hash }]);
}

/** A 32-byte secret of this database, made at first use. */
export function databaseSecret(db: Database, name: string, make: () => Uint8Array): Uint8Array {
  const find = db.prepare("SELECT value FROM meta WHERE key = ?").pluck();
  if (find.get(name) === undefined)
    db.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)").run(name, make());
  return find.get(name) as Uint8Array;
}

/** What is noted of the zone of days; null where nothing is. */
function notedZone(db: Database): string | null {
  const noted = db.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(DAY_ZONE);
  return (noted as string | undefined) ?? null;
}

export function noteZone(db: Database, setting: ZoneSetting): void {
  put(db, "meta", "key", [{ key: DAY_ZONE, value: JSON.stringify(setting) }]);
}

export function saveSurveyLabels(db: Database, site: SiteKey, labels: SurveyLabels): void {
  put(db, "survey_labels", "site", [{ site, labels: JSON.stringify(labels) }]);
}
