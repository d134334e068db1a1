import { planDeclared } from "../../appliance/store/sites/declare.ts";
import {
  type DeclaredSite,
  type SiteRecord,
  siteIn,
} from "../../appliance/store/sites/directory.ts";
import { Draft, type SiteFields } from "../../appliance/store/sites/draft.ts";
import type { Database } from "../../appliance/store/sqlite/database.ts";
import { changeFile, readDirectory } from "../../appliance/store/sqlite/documents.ts";

/** Stores a site in a file, whatever the rules of sites say. */
export function addSite(db: Database, id: string): void {
  changeSite(db, (draft) => draft.add(id));
}

/** The same of one that is there. */
export function setSite(db: Database, id: string, fields: Partial<SiteFields>): void {
  changeSite(db, (draft) => draft.set(id, fields));
}

/** The site is gone at once; its counts are erased by upkeep. */
export function removeSite(db: Database, id: string): void {
  changeSite(db, (draft) => draft.remove(id));
}

/** A site that is not retired. */
export function findSite(db: Database, id: string): SiteRecord | undefined {
  return siteIn(readDirectory(db), id);
}

/** Makes the sites as a configuration declares them. */
export function declareSites(db: Database, declared: readonly DeclaredSite[]): void {
  changeFile(db, planDeclared(readDirectory(db), declared).change);
}

/** Adds a site to any database, as a statement. */
export function siteRow(key: number, id: string): string {
  const body = { id, host: null, badge: false, declared: false, retired: false };
  const json = JSON.stringify({ ...body, token: null, share: null });
  return `INSERT INTO document (kind, id, body, revision) VALUES ('site', '${key}', '${json}', 1)`;
}

function changeSite(db: Database, wish: (draft: Draft) => void): void {
  const draft = new Draft(readDirectory(db));
  wish(draft);
  db.transaction(() => changeFile(db, draft.change())).immediate();
}
