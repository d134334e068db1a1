import type { WriteInput, WriteName, WriteResult } from "../writes.ts";
import type { Database } from "./database.ts";
import { saveImage, touch } from "./tables/box.ts";
import { saveDecks } from "./tables/decks.ts";
import { changeDocuments } from "./tables/documents.ts";
import { importSettings, undoImport } from "./tables/settings-import.ts";
import { saveAlarmSince } from "./tables/site-alarms.ts";
import { SITE_WRITES, setAdminToken } from "./tables/site-changes.ts";

export const WRITES: {
  readonly [W in WriteName]: (db: Database, input: WriteInput<W>) => WriteResult<W>;
} = {
  saveDecks,
  changeDocuments,
  saveImage,
  touch,
  ...SITE_WRITES,
  setAdminToken,
  saveAlarmSince,
  importSettings,
  undoImport,
};
