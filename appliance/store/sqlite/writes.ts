import { alarmSince } from "../sites/alarms.ts";
import { deleteSource } from "../sources.ts";
import type { EngineWriteName, WriteInput, WriteResult } from "../writes.ts";
import type { Database } from "./database.ts";
import { changeFile } from "./tables/documents.ts";
import { perform, run } from "./tables/table.ts";

const TOUCH = `INSERT INTO meta (key, value) VALUES ('touched', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The changes of a file, each in a transaction of the caller's. */
export const WRITES: {
  readonly [W in EngineWriteName]: (db: Database, input: WriteInput<W>) => WriteResult<W>;
} = {
  change: changeFile,
  changeDocuments: (db, wanted) => void changeFile(db, { documents: [wanted] }),
  touch: (db, now) => void run(db, { text: TOUCH, values: [now] }),
  saveAlarmSince: (db, input) => void run(db, alarmSince(input)),
  deleteSource: (db, input) => perform(db, deleteSource(input)),
};
