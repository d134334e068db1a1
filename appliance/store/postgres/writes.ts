import { alarmSince } from "../sites/alarms.ts";
import { type PlannedWriteName, SITE_PLANS } from "../sites/plans.ts";
import { deleteSource } from "../sources.ts";
import type { FleetWriteName, WriteInput, WriteResult } from "../writes.ts";
import { performOn, type Transaction } from "./connection/sql.ts";
import { importFleetSettings, undoFleetImport } from "./tables/settings-import.ts";
import { carryOutLocked, lockDirectory } from "./tables/site-changes.ts";

type Write<W extends FleetWriteName> = (
  sql: Transaction,
  input: WriteInput<W>,
) => Promise<WriteResult<W>>;

/** The changes of a database that many share, each in a transaction of the caller's. */
export const FLEET_WRITES: { readonly [W in FleetWriteName]: Write<W> } = {
  createSite: planned("createSite"),
  updateSite: planned("updateSite"),
  renameSite: planned("renameSite"),
  eraseSite: planned("eraseSite"),
  setSiteToken: planned("setSiteToken"),
  shareSite: planned("shareSite"),
  setSurveyLabels: planned("setSurveyLabels"),
  setSiteAlarms: planned("setSiteAlarms"),
  async saveAlarmSince(sql, input) {
    await sql.all([alarmSince(input)]);
  },
  deleteSource: (sql, input) => performOn(sql, deleteSource(input)),
  async setAdminToken(sql, { hash }) {
    await lockDirectory(sql);
    await carryOutLocked(sql, [{ kind: "readToken", site: null, hash }]);
  },
  importSettings: importFleetSettings,
  undoImport: undoFleetImport,
};

/** By the rules of sites: of two at the same time the later one meets what the other has done. */
function planned<W extends PlannedWriteName>(name: W) {
  return async (sql: Transaction, input: WriteInput<W>) => {
    const { outcome, changes } = SITE_PLANS[name](await lockDirectory(sql), input);
    await carryOutLocked(sql, changes);
    return outcome;
  };
}
