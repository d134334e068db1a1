import type { SiteKey } from "../../counting.ts";
import { decodeBatch } from "../../log/batch.ts";
import type { BeforeImport, DeckRow } from "../../rows.ts";
import type { SiteInput } from "../../sites/directory.ts";
import { addedBy, importSites, undoImportOfSites } from "../../sites/settings-import.ts";
import type { Database } from "../database.ts";
import { deckSettings, removeDeck, saveDecks } from "./decks.ts";
import { carryOut } from "./site-changes.ts";
import { readDirectory } from "./sites.ts";

/** Adds and changes what settings name, by the rules of sites. */
export function importSettings(
  db: Database,
  { sites, decks }: { sites: readonly SiteInput[]; decks: readonly DeckRow[] },
): BeforeImport {
  const { before, changes } = importSites(readDirectory(db), sites);
  const known = decksBefore(db, decks);
  carryOut(db, changes);
  saveDecks(db, decks);
  return { decks: known, sites: before };
}

/** Puts back what was there before an import. @returns the sites that stay as they are */
export function undoImport(db: Database, { decks, sites }: BeforeImport): string[] {
  const directory = readDirectory(db);
  const counting = new Set(addedBy(sites, directory).filter((site) => hasNumbers(db, site)));
  const { stay, changes } = undoImportOfSites(directory, sites, counting);
  carryOut(db, changes);
  for (const { id, row } of decks) if (row === undefined) removeDeck(db, id);
  saveDecks(
    db,
    decks.flatMap(({ row }) => row ?? []),
  );
  return stay;
}

function decksBefore(db: Database, decks: readonly DeckRow[]): BeforeImport["decks"] {
  const known = new Map(deckSettings(db).map((row) => [row.id, row]));
  return decks.map(({ id }) => ({ id, row: known.get(id) }));
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
