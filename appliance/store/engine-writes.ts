import { change } from "./changes.ts";
import { takeMonth, takeRest } from "./imports/imports.ts";
import { obeyHome } from "./places/obey.ts";
import { takePlace, takePlaceDays } from "./places/take.ts";
import { alarmSince } from "./sites/alarms.ts";
import { saveShareUse } from "./sites/shares.ts";
import { SITE_WRITES } from "./sites/writes.ts";
import { deleteSource } from "./sources.ts";
import type { Transaction } from "./sql.ts";
import type { WriteInput, WriteName, WriteResult } from "./writes.ts";

const TOUCH = `INSERT INTO meta (key, value) VALUES ('touched', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Every change that is not a hit, in a transaction of the caller's. */
const WRITES: {
  readonly [W in WriteName]: (sql: Transaction, input: WriteInput<W>) => Promise<WriteResult<W>>;
} = {
  ...SITE_WRITES,
  changeDocuments: (sql, wanted) => change(sql, { documents: [wanted] }),
  async touch({ rows }, now) {
    await rows(TOUCH, [now]);
  },
  obeyHome,
  takePlace,
  takePlaceDays,
  changePlaces: (sql, documents) => change(sql, { documents }),
  async saveAlarmSince({ all }, input) {
    await all([alarmSince(input)]);
  },
  saveShareUse,
  deleteSource,
  importMonth: takeMonth,
  importRest: takeRest,
};

/** Makes a change in the caller's transaction. @throws {Refusal} the reason why it cannot be made in any state of the storage */
export function writeIn<W extends WriteName>(
  sql: Transaction,
  name: W,
  input: WriteInput<W>,
): Promise<WriteResult<W>> {
  return (WRITES[name] as (sql: Transaction, input: WriteInput<W>) => Promise<WriteResult<W>>)(
    sql,
    input,
  );
}
