import type { WriteInput, WriteName, WriteResult } from "../writes.ts";
import type { Database } from "./database.ts";
import {
  allowOrigin,
  keepChannels,
  removeOrigin,
  removePushToken,
  removeSessions,
  saveImage,
  saveMqtt,
  savePublicAddress,
  savePushToken,
  saveSession,
  touch,
} from "./tables/box.ts";
import { saveDecks } from "./tables/decks.ts";
import { importSettings, undoImport } from "./tables/settings-import.ts";
import { saveAlarmSince } from "./tables/site-alarms.ts";
import { SITE_WRITES, setAdminToken } from "./tables/site-changes.ts";

export const WRITES: {
  readonly [W in WriteName]: (db: Database, input: WriteInput<W>) => WriteResult<W>;
} = {
  saveDecks,
  savePushToken,
  removePushToken,
  allowOrigin,
  removeOrigin,
  keepChannels,
  saveImage,
  saveMqtt,
  savePublicAddress,
  saveSession,
  removeSessions,
  touch,
  ...SITE_WRITES,
  setAdminToken,
  saveAlarmSince,
  importSettings,
  undoImport,
};
