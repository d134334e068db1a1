import type { WriteInput, WriteName, WriteResult } from "../writes.ts";
import type { Database } from "./database.ts";
import { allowOrigin, removeOrigin } from "./tables/allowed-origins.ts";
import { keepChannels } from "./tables/channels.ts";
import { saveDecks } from "./tables/decks.ts";
import { saveImage } from "./tables/images.ts";
import { saveMqtt } from "./tables/mqtt.ts";
import { savePublicAddress } from "./tables/public-address.ts";
import { removePushToken, savePushToken } from "./tables/push-tokens.ts";
import { removeSessions, saveSession } from "./tables/sessions.ts";
import { importSettings, undoImport } from "./tables/settings-import.ts";
import { saveAlarmSince } from "./tables/site-alarms.ts";
import { SITE_WRITES, setAdminToken } from "./tables/site-changes.ts";
import { noteTouch } from "./tables/touched.ts";

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
  touch: noteTouch,
  ...SITE_WRITES,
  setAdminToken,
  saveAlarmSince,
  importSettings,
  undoImport,
};
