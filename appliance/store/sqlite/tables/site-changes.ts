import { SESSION, tooMuch } from "../../../base/documents.ts";
import { SITE_ALARMS } from "../../sites/alarms.ts";
import { planDeclared } from "../../sites/declare.ts";
import type { DeclaredSite, SiteOutcome } from "../../sites/directory.ts";
import type { SiteChange } from "../../sites/draft.ts";
import { type PlannedWriteName, SITE_PLANS } from "../../sites/plans.ts";
import { changeStatements } from "../../sites/statements.ts";
import type { WriteInput } from "../../writes.ts";
import type { Database } from "../database.ts";
import { removeOtherDocuments } from "./documents.ts";
import { addSite, readDirectory, removeSite } from "./sites.ts";
import { runAll, within } from "./table.ts";

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
  const { changes, sentences } = planDeclared(readDirectory(db), declared);
  if (changes.length > 0) db.transaction(() => carryOut(db, changes)).immediate();
  return sentences;
}

/** `kept` is the session of the owner who asks for it, as it is stored. */
export function setAdminToken(
  db: Database,
  { hash, kept }: { hash: Uint8Array | null; kept: string | null },
): void {
  if (readDirectory(db).adminHash !== null) removeOtherDocuments(db, SESSION, kept);
  runAll(db, changeStatements({ kind: "readToken", site: null, hash }));
}

export function carryOut(db: Database, changes: readonly SiteChange[]): void {
  for (const change of changes) make(db, change);
}

/** @throws {Refusal} `alarm_limit` */
function make(db: Database, change: SiteChange): void {
  if (change.kind === "add") addSite(db, change.site.id, change.site);
  else if (change.kind === "remove") removeSite(db, change.key);
  else if (change.kind !== "alarms") runAll(db, changeStatements(change));
  else if (!within(db, ALARMS, SITE_ALARMS.bound, () => runAll(db, changeStatements(change))))
    throw tooMuch(SITE_ALARMS);
}

const ALARMS = {
  text: "FROM document WHERE kind = ?",
  values: [SITE_ALARMS.name],
  columns: ["body"],
};
