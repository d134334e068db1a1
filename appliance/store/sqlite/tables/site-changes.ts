import type { SiteOutcome } from "../../sites/directory.ts";
import type { SiteChange } from "../../sites/draft.ts";
import { type PlannedWriteName, SITE_PLANS } from "../../sites/plans.ts";
import type { WriteInput } from "../../writes.ts";
import type { Database } from "../database.ts";
import { noteZone } from "./day-zone.ts";
import { removeOtherSessions } from "./sessions.ts";
import { saveSiteAlarms } from "./site-alarms.ts";
import {
  addSite,
  changeSite,
  readDirectory,
  removeSite,
  setReadToken,
  setShareToken,
} from "./sites.ts";
import { saveSurveyLabels } from "./survey-labels.ts";

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

/** `kept` is the session, as it is stored, of who asks for it. */
export function setAdminToken(
  db: Database,
  { hash, kept }: { hash: Uint8Array | null; kept: Uint8Array | null },
): void {
  if (readDirectory(db).adminHash !== null) removeOtherSessions(db, kept);
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
