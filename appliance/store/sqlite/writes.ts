import { alarmSince } from "../sites/alarms.ts";
import { deleteSource } from "../sources.ts";
import type { WriteInput, WriteName, WriteResult } from "../writes.ts";
import type { Database } from "./database.ts";
import { saveImage, touch } from "./tables/box.ts";
import { writeDocuments } from "./tables/documents.ts";
import { importSettings, undoImport } from "./tables/settings-import.ts";
import { SITE_WRITES, setAdminToken } from "./tables/site-changes.ts";
import { perform, run } from "./tables/table.ts";

export const WRITES: {
  readonly [W in WriteName]: (db: Database, input: WriteInput<W>) => WriteResult<W>;
} = {
  changeDocuments: writeDocuments,
  saveImage,
  touch,
  ...SITE_WRITES,
  setAdminToken,
  saveAlarmSince: (db, input) => void run(db, alarmSince(input)),
  deleteSource: (db, input) => perform(db, deleteSource(input)),
  importSettings,
  undoImport,
};
