import { comparableHost, isSiteId, tokenTwin } from "../../../base/names.ts";
import type { SiteAlarms, SurveyLabels } from "../../reports.ts";
import type { SiteInput, SiteOutcome, SiteRecord } from "../../sites/directory.ts";
import type { Database } from "../database.ts";
import { saveSiteAlarms } from "./site-alarms.ts";
import {
  addSite,
  changeAdminToken,
  changeSite,
  findRetired,
  findSite,
  readDirectory,
  removeSite,
  setReadToken,
  setShareToken,
} from "./sites.ts";
import { saveSurveyLabels } from "./survey-labels.ts";

/** Adds a site, or brings back a retired one with its numbers. */
export function createSite(db: Database, input: SiteInput): SiteOutcome {
  if (findSite(db, input.id)) return "exists";
  if (hasTwin(db, input.id)) return "same_token_name";
  if (isTaken(db, input)) return "host_taken";
  addSite(db, input.id);
  changeSite(db, (findSite(db, input.id) as SiteRecord).key, definedOf(input));
  return "done";
}

export function updateSite(db: Database, input: SiteInput): SiteOutcome {
  const site = findSite(db, input.id);
  if (!site) return absence(db, input.id);
  if (site.declared) return "declared";
  if (isTaken(db, input)) return "host_taken";
  changeSite(db, site.key, definedOf(input));
  return "done";
}

/** The numbers, the token and the host stay with the site. A retired one stays retired. */
export function renameSite(db: Database, { id, to }: { id: string; to: string }): SiteOutcome {
  const site = findSite(db, id) ?? findRetired(db, id);
  if (!site) return "not_found";
  // What cannot be declared any more is no longer the configuration's to name.
  if (site.declared && isSiteId(id)) return "declared";
  if (findSite(db, to) ?? findRetired(db, to)) return "exists";
  if (hasTwin(db, to, id)) return "same_token_name";
  changeSite(db, site.key, { id: to });
  return "done";
}

/** The site is gone at once; what it counted is erased by upkeep. */
export function eraseSite(db: Database, { id }: { id: string }): SiteOutcome {
  const site = findSite(db, id) ?? findRetired(db, id);
  if (!site) return "not_found";
  if (site.declared) return "declared";
  removeSite(db, site.key);
  return "done";
}

export function setSiteToken(
  db: Database,
  { id, hash }: { id: string; hash: Uint8Array | null },
): SiteOutcome {
  const site = findSite(db, id);
  if (!site) return absence(db, id);
  setReadToken(db, site.key, hash);
  return "done";
}

/** The labels take the place of those before. */
export function setSurveyLabels(
  db: Database,
  { id, labels }: { id: string; labels: SurveyLabels },
): SiteOutcome {
  const site = findSite(db, id);
  if (!site) return absence(db, id);
  saveSurveyLabels(db, site.key, labels);
  return "done";
}

/** What a site alarms of takes the place of what was set before. */
export function setSiteAlarms(
  db: Database,
  { id, alarms }: { id: string; alarms: SiteAlarms },
): SiteOutcome {
  const site = findSite(db, id);
  if (!site) return absence(db, id);
  saveSiteAlarms(db, site.key, alarms);
  return "done";
}

/** Shares a site by a link with this token, in place of the one before; null takes the link back. */
export function shareSite(
  db: Database,
  { id, hash }: { id: string; hash: Uint8Array | null },
): SiteOutcome {
  const site = findSite(db, id);
  if (!site) return absence(db, id);
  setShareToken(db, site.key, hash);
  return "done";
}

/** `kept` is the session, as it is stored, of who asks for it. */
export function setAdminToken(
  db: Database,
  { hash, kept }: { hash: Uint8Array | null; kept: Uint8Array | null },
): void {
  changeAdminToken(db, hash, kept);
}

function isTaken(db: Database, { id, host }: SiteInput): boolean {
  if (host === undefined || host === null) return false;
  return readDirectory(db).sites.some(
    (site) =>
      site.id !== id && site.host !== null && comparableHost(site.host) === comparableHost(host),
  );
}

/** True when another site than `id`, and than `but`, has a token of the same name. */
export function hasTwin(db: Database, id: string, but = id): boolean {
  const others = readDirectory(db).sites.filter((site) => site.id !== but);
  return (
    tokenTwin(
      id,
      others.map((site) => site.id),
    ) !== undefined
  );
}

/** Why a site is not found. */
function absence(db: Database, id: string): SiteOutcome {
  return findRetired(db, id) ? "retired" : "not_found";
}

function definedOf({ host, badge }: SiteInput): { host?: string | null; badge?: boolean } {
  return { ...(host !== undefined && { host }), ...(badge !== undefined && { badge }) };
}
