import type { SiteKey } from "../../counting.ts";
import type { BeforeImport, DeckRow } from "../../rows.ts";
import type { SiteInput, SiteRecord } from "../../sites/directory.ts";
import type { Database } from "../database.ts";
import { deckSettings, removeDeck, saveDecks } from "./decks.ts";
import { hasTwin, updateSite } from "./site-changes.ts";
import { addSite, findRetired, findSite, removeSite, retireSite } from "./sites.ts";

/**
 * Adds and changes what settings name, and deletes nothing; sites that the configuration declares
 * stay as they are.
 * @throws {Error} when a host or the name of a token belongs to another site: the caller has checked
 * that none does.
 */
export function importSettings(
  db: Database,
  { sites, decks }: { sites: readonly SiteInput[]; decks: readonly DeckRow[] },
): BeforeImport {
  const before = { decks: decksBefore(db, decks), sites: sitesBefore(db, sites) };
  for (const { id } of sites) {
    if (findSite(db, id)) continue;
    if (hasTwin(db, id)) throw new Error(`the token of ${id} belongs to another site`);
    addSite(db, id);
  }
  freeHosts(db, sites);
  for (const site of sites) {
    if (updateSite(db, site) === "host_taken")
      throw new Error(`${site.host} belongs to another site`);
  }
  saveDecks(db, decks);
  return before;
}

/**
 * Puts back what was there before an import.
 * @returns the sites that stay as they are: new ones that have counted since, and those whose host
 * another site has now
 */
export function undoImport(db: Database, { decks, sites }: BeforeImport): string[] {
  const there = sites.filter(({ id }) => findSite(db, id)?.declared === false);
  const added = there.filter(({ was }) => was === "none");
  const stay = added.filter(({ id }) => hasNumbers(db, (findSite(db, id) as SiteRecord).key));
  for (const { id } of added)
    if (!stay.some((site) => site.id === id)) removeSite(db, (findSite(db, id) as SiteRecord).key);
  for (const { id, was } of there) if (was === "retired") retireSite(db, id);
  const changed = there.filter(({ was }) => was === "there");
  freeHosts(db, changed);
  const taken = changed.filter((site) => updateSite(db, site) === "host_taken");
  for (const { id, row } of decks) {
    if (row === undefined) removeDeck(db, id);
    else saveDecks(db, [row]);
  }
  return [...stay, ...taken].map(({ id }) => id);
}

/** Two sites may swap their hosts. */
function freeHosts(db: Database, sites: readonly SiteInput[]): void {
  for (const { id, host } of sites) if (host !== undefined) updateSite(db, { id, host: null });
}

function decksBefore(db: Database, decks: readonly DeckRow[]): BeforeImport["decks"] {
  const known = new Map(deckSettings(db).map((row) => [row.id, row]));
  return decks.map(({ id }) => ({ id, row: known.get(id) }));
}

function sitesBefore(db: Database, sites: readonly SiteInput[]): BeforeImport["sites"] {
  return sites.map(({ id }) => {
    const site = findSite(db, id);
    const { host, badge } = site ?? { host: null, badge: false };
    return { id, was: site ? "there" : findRetired(db, id) ? "retired" : "none", host, badge };
  });
}

function hasNumbers(db: Database, site: SiteKey): boolean {
  return ["count", "packed_day", "survey", "waiting", "total"].some(
    (table) => db.prepare(`SELECT 1 FROM ${table} WHERE site = ? LIMIT 1`).get(site) !== undefined,
  );
}
