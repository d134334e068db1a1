import type { SiteKey } from "../../counting.ts";
import { decodeBatch } from "../../log/batch.ts";
import type { BeforeImport } from "../../rows.ts";
import { addedBy, importSites, undoImportOfSites } from "../../sites/settings-import.ts";
import type { WriteInput } from "../../writes.ts";
import type { Database } from "../database.ts";
import { wayBack, writeDocuments } from "./documents.ts";
import { carryOut } from "./site-changes.ts";
import { readDirectory } from "./sites.ts";

/** Adds and changes what settings name, by the rules of sites. */
export function importSettings(
  db: Database,
  { sites, documents }: WriteInput<"importSettings">,
): BeforeImport {
  const { before, changes } = importSites(readDirectory(db), sites);
  const back = documents.map((change) => wayBack(db, change));
  carryOut(db, changes);
  for (const change of documents) writeDocuments(db, change);
  return { documents: back, sites: before };
}

/** Puts back what was there before an import. @returns the sites that stay as they are */
export function undoImport(db: Database, { documents, sites }: BeforeImport): string[] {
  const directory = readDirectory(db);
  const counting = new Set(addedBy(sites, directory).filter((site) => hasNumbers(db, site)));
  const { stay, changes } = undoImportOfSites(directory, sites, counting);
  carryOut(db, changes);
  for (const change of documents) writeDocuments(db, change);
  return stay;
}

function hasNumbers(db: Database, site: SiteKey): boolean {
  return (
    ["block", "past", "survey", "waiting_survey"].some(
      (table) =>
        db.prepare(`SELECT 1 FROM ${table} WHERE site = ? LIMIT 1`).get(site) !== undefined,
    ) || isInLog(db, site)
  );
}

function isInLog(db: Database, site: SiteKey): boolean {
  for (const body of db.prepare("SELECT body FROM log").pluck().iterate())
    if (decodeBatch(body as Uint8Array).sites.includes(site)) return true;
  return false;
}
