import { SESSION } from "../../../base/documents.ts";
import { declareSites as plan } from "../../sites/declare.ts";
import type { DeclaredSite, SiteOutcome } from "../../sites/directory.ts";
import type { SiteChange } from "../../sites/draft.ts";
import { type PlannedWriteName, SITE_PLANS } from "../../sites/plans.ts";
import type { WriteInput } from "../../writes.ts";
import type { Database } from "../database.ts";
import { removeOtherDocuments } from "./documents.ts";
import { saveSiteAlarms } from "./site-alarms.ts";
import {
  addSite,
  changeSite,
  noteZone,
  readDirectory,
  removeSite,
  saveSurveyLabels,
  setReadToken,
  setShareToken,
} from "./sites.ts";

/** The writes that change sites, by their rules. */
export const SITE_WRITES = {
  createSite: planned("createSite"),
  updateSite: planned("updateSite"),
  renameSite: planned("renameSite"),
  eraseSite: planned("eraseSite"),
  setSiteToken: planned("setSiteToken"),
  shareSite: planned("shareSite"),
  setSurveyLabels: planned("setSurveyLabels"),
  setSiteAlarms: planned("setSiteAlarms"),
};

function planned<W extends PlannedWriteName>(name: W) {
  return (db: Database, input: WriteInput<W>): SiteOutcome => {
    const { outcome, changes } = SITE_PLANS[name](readDirectory(db), input);
    carryOut(db, changes);
    return outcome;
  };
}

/**
 * Makes the sites as the configuration declares them.
 * @returns what the owner should know of it, a sentence each
 * @throws {ConfigRefused} when the token of one site would open another; nothing is changed then
 */
export function declareSites(db: Database, declared: readonly DeclaredSite[]): readonly string[] {
  const { changes, sentences } = plan(readDirectory(db), declared);
  if (changes.length > 0) db.transaction(() => carryOut(db, changes)).immediate();
  return sentences;
}

/** `kept` is the session, as it is stored, of who asks for it. */
export function setAdminToken(
  db: Database,
  { hash, kept }: { hash: Uint8Array | null; kept: string | null },
): void {
  if (readDirectory(db).adminHash !== null) removeOtherDocuments(db, SESSION, kept);
  setReadToken(db, null, hash);
}

export function carryOut(db: Database, changes: readonly SiteChange[]): void {
  for (const change of changes) make(db, change);
}

function make(db: Database, change: SiteChange): void {
  switch (change.kind) {
    case "add":
      addSite(db, change.site.id, change.site);
      break;
    case "change":
      changeSite(db, change.key, change.site);
      break;
    case "remove":
      removeSite(db, change.key);
      break;
    case "readToken":
      setReadToken(db, change.site, change.hash);
      break;
    case "shareToken":
      setShareToken(db, change.site, change.hash);
      break;
    case "labels":
      saveSurveyLabels(db, change.site, change.labels);
      break;
    case "alarms":
      saveSiteAlarms(db, change.site, change.alarms);
      break;
    case "dayZone":
      noteZone(db, change.setting);
      break;
  }
}
