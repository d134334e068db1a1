import type { Change } from "../../appliance/store/changes.ts";
import {
  type DeclaredSite,
  DIRECTORY_ROWS,
  type Directory,
  directoryOf,
  type SiteRecord,
  siteIn,
} from "../../appliance/store/sites/directory.ts";
import { Draft, type SiteFields } from "../../appliance/store/sites/draft.ts";
import { planDeclared } from "../../appliance/store/sites/writes.ts";
import type { Database } from "../../appliance/store/sqlite/database.ts";

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
  return siteIn(directoryIn(db), id);
}

/** Makes the sites as a configuration declares them. */
export function declareSites(db: Database, declared: readonly DeclaredSite[]): void {
  changeNow(db, planDeclared(directoryIn(db), declared).change);
}

/** Adds a site to any database, as a statement. */
export function siteRow(key: number, id: string): string {
  const body = { id, host: null, badge: false, declared: false, retired: false };
  const json = JSON.stringify({ ...body, token: null, share: null });
  return `INSERT INTO document (kind, id, body, revision) VALUES ('site', '${key}', '${json}', 1)`;
}

/** Makes a change in a file at once, whatever is bounded. */
export function changeNow(db: Database, { documents, erase = [] }: Change): void {
  const number = (what: string) =>
    db.prepare(`UPDATE revision SET ${what} = ${what} + 1 RETURNING ${what}`).pluck().get();
  const put = db.prepare(`INSERT INTO document (kind, id, body, revision) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET body = excluded.body, revision = excluded.revision`);
  const gone = db.prepare(
    "UPDATE document SET body = NULL, revision = ? WHERE kind = ? AND id = ?",
  );
  db.transaction(() => {
    const revision = number("n");
    for (const change of documents) {
      for (const { id, body } of change.put)
        put.run(change.kind.name, id ?? String(number("last_site")), body, revision);
      for (const id of change.remove) gone.run(revision, change.kind.name, id);
    }
    for (const key of erase) db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(key);
  }).immediate();
}

function changeSite(db: Database, wish: (draft: Draft) => void): void {
  const draft = new Draft(directoryIn(db));
  wish(draft);
  changeNow(db, draft.change());
}

function directoryIn(db: Database): Directory {
  const rows = db.prepare(DIRECTORY_ROWS).all() as Parameters<typeof directoryOf>[1];
  return directoryOf({ n: 0, epoch: null }, rows);
}
