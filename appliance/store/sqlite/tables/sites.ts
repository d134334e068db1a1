import type { SiteKey } from "../../counting.ts";
import { type Directory, type SiteRecord, siteIn } from "../../sites/directory.ts";
import type { SiteFields } from "../../sites/draft.ts";
import { directoryIn, directoryQuery, removalOf } from "../../sites/statements.ts";
import type { Database } from "../database.ts";
import { passGeneration } from "../settle.ts";
import { BYTES } from "../slices.ts";
import { run } from "./table.ts";

const DIRECTORY = directoryQuery("(SELECT 1 AS directory)");

export function readDirectory(db: Database): Directory {
  return directoryIn(run(db, { text: DIRECTORY }));
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

/** The site is gone at once; what it counted is erased in steps by upkeep's `eraseSites`. */
export function removeSite(db: Database, key: SiteKey): void {
  db.transaction(() => {
    for (const statement of removalOf(key)) run(db, statement);
    db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(key);
    passGeneration(db);
  }).immediate();
}
