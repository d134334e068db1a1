import { HOUR_MS } from "../../base/calendar.ts";
import { type Change, changedSince, changeScript, type Revision } from "../changes.ts";
import { sitesThatCount } from "../counts/sites-that-count.ts";
import { monthBlocks, takeMonth, takeRest } from "../imports/imports.ts";
import { putBlocks } from "../settling/statements.ts";
import { alarmSince } from "../sites/alarms.ts";
import { type Directory, directoryScript } from "../sites/directory.ts";
import { DIRECTORY_KINDS } from "../sites/kinds.ts";
import type { SitesPlace } from "../sites/writes.ts";
import { deleteSource } from "../sources.ts";
import type { WriteInput, WriteResult } from "../writes.ts";
import type { Connection } from "./connection/connection.ts";
import { performOn, type Transaction } from "./connection/sql.ts";
import { drawEpoch, epochOf } from "./epoch.ts";
import { MANY_ROWS } from "./settle.ts";
import { PostgresSnapshot } from "./snapshot.ts";
import { SurveyIds } from "./surveys.ts";

/** Makes a change that was planned on this database. @returns and @throws as `changeScript` */
export async function changeFleet(sql: Transaction, wanted: Change): Promise<boolean> {
  const { unless } = wanted;
  await drawEpoch(sql);
  if (unless !== undefined && unless.since.epoch !== (await epochOf(sql))) return false;
  return performOn(sql, changeScript(wanted));
}

/** The directory as of now, in a transaction that reads. */
export async function readFleetDirectory(sql: Transaction): Promise<Directory> {
  return performOn(sql, directoryScript(await epochOf(sql)));
}

/** Whether the directory has changed since a revision. @returns the revision of now where it has not */
export async function unchangedSince(
  sql: Transaction,
  since: Revision | undefined,
): Promise<Revision | undefined> {
  const epoch = await epochOf(sql);
  const from = since?.epoch === epoch ? since.n : -1;
  const { n, hasChanged } = await performOn(sql, changedSince(DIRECTORY_KINDS, from));
  return hasChanged ? undefined : { n, epoch };
}

/** A database as the place of sites, without documents of a box. Each change is a transaction of its own. */
export function fleetSites(connection: Pick<Connection, "transaction">): SitesPlace {
  return {
    directory: () => connection.transaction(readFleetDirectory, { read: true }),
    change: (wanted) => connection.transaction((sql) => changeFleet(sql, wanted)),
    documents: () => [],
    counting: (sites) =>
      connection.transaction(
        (sql) =>
          sitesThatCount(
            new PostgresSnapshot(sql),
            (text, values) => sql.rows(text, values),
            sites,
          ),
        { read: true },
      ),
  };
}

/** The changes of a database that are not planned by the sites there are. */
export type FleetEngineWrite =
  | "change"
  | "saveAlarmSince"
  | "deleteSource"
  | "importMonth"
  | "importRest";

/** Writes, each in a transaction of the caller's. */
export const FLEET_WRITES: {
  readonly [W in FleetEngineWrite]: (
    sql: Transaction,
    input: WriteInput<W>,
  ) => Promise<WriteResult<W>>;
} = {
  change: changeFleet,
  async saveAlarmSince(sql, input) {
    await sql.all([alarmSince(input)]);
  },
  deleteSource: (sql, input) => performOn(sql, deleteSource(input)),
  importRest(sql, input) {
    // Numbers of an hour ago: at this moment others draw theirs.
    const ids = new SurveyIds({ now: () => input.now - HOUR_MS }, () => 0);
    return performOn(
      sql,
      takeRest(
        input,
        input.surveys.map(() => ids.draw()),
      ),
    );
  },
  async importMonth(sql, input) {
    const source = await performOn(sql, takeMonth(input));
    if (source !== undefined) await sql.all(putBlocks(monthBlocks(input, source), MANY_ROWS));
    return source !== undefined;
  },
};
