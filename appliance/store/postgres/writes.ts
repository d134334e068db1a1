import { alarmSince } from "../sites/alarms.ts";
import { deleteSource } from "../sources.ts";
import type { WriteInput, WriteResult } from "../writes.ts";
import { performOn, type Transaction } from "./connection/sql.ts";
import { changeFleet } from "./tables/documents.ts";

/** The changes of a database that are not planned by the sites there are. */
export type FleetEngineWrite = "change" | "saveAlarmSince" | "deleteSource";

/** Each is made in a transaction of the caller's. */
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
};
