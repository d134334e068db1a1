import type { Connection } from "./database.ts";
import { type DeckRow, saveDecks } from "./deck-settings.ts";
import {
  addSite,
  changeSite,
  findSite,
  readDirectory,
  removeSite,
  type SiteRecord,
  setReadToken,
} from "./directory.ts";

/** What became of a change; nothing is changed unless it is done. */
export type SiteOutcome = "done" | "exists" | "not_found" | "declared" | "host_taken";

/** A host is given as requests to the collector are compared: see `comparableHost`. */
export interface SiteInput {
  readonly id: string;
  readonly host?: string | null | undefined;
  readonly badge?: boolean | undefined;
}

export function createSite(db: Connection, input: SiteInput): SiteOutcome {
  if (findSite(db, input.id)) return "exists";
  if (isTaken(db, input)) return "host_taken";
  addSite(db, input.id);
  changeSite(db, (findSite(db, input.id) as SiteRecord).key, definedOf(input));
  return "done";
}

export function updateSite(db: Connection, input: SiteInput): SiteOutcome {
  const site = findSite(db, input.id);
  if (!site) return "not_found";
  if (site.declared) return "declared";
  if (isTaken(db, input)) return "host_taken";
  changeSite(db, site.key, definedOf(input));
  return "done";
}

/** The site is gone at once; what it counted is erased by upkeep. */
export function eraseSite(db: Connection, { id }: { id: string }): SiteOutcome {
  const site = findSite(db, id);
  if (!site) return "not_found";
  if (site.declared) return "declared";
  removeSite(db, site.key);
  return "done";
}

export function setSiteToken(
  db: Connection,
  { id, hash }: { id: string; hash: Uint8Array },
): SiteOutcome {
  const site = findSite(db, id);
  if (!site) return "not_found";
  setReadToken(db, site.key, hash);
  return "done";
}

export function setAdminToken(db: Connection, hash: Uint8Array): void {
  setReadToken(db, null, hash);
}

/**
 * Adds and changes what settings name, and deletes nothing; sites that the configuration declares
 * stay as they are.
 * @throws Error when a host belongs to another site: the caller has checked that none does.
 */
export function importSettings(
  db: Connection,
  { sites, decks }: { sites: readonly SiteInput[]; decks: readonly DeckRow[] },
): void {
  for (const site of sites) {
    if (!findSite(db, site.id)) addSite(db, site.id);
    // Two sites may swap their hosts.
    if (site.host !== undefined) updateSite(db, { id: site.id, host: null });
  }
  for (const site of sites) {
    if (updateSite(db, site) === "host_taken")
      throw new Error(`${site.host} belongs to another site`);
  }
  saveDecks(db, decks);
}

function isTaken(db: Connection, { id, host }: SiteInput): boolean {
  if (host === undefined || host === null) return false;
  return readDirectory(db).sites.some((site) => site.id !== id && bare(site.host) === bare(host));
}

function bare(host: string | null): string | undefined {
  return host?.toLowerCase().replace(/^www\./, "");
}

function definedOf({ host, badge }: SiteInput): { host?: string | null; badge?: boolean } {
  return { ...(host !== undefined && { host }), ...(badge !== undefined && { badge }) };
}
