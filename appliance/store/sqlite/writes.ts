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
import {
  createSite,
  eraseSite,
  setAdminToken,
  setSiteAlarms,
  setSiteToken,
  setSurveyLabels,
  shareSite,
  updateSite,
} from "./tables/site-changes.ts";

/**
 * Every change to the data that is not a hit, by name. The committer runs each in a transaction of
 * its own; its answer comes after the commit.
 */
export const WRITES = {
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
  createSite,
  updateSite,
  eraseSite,
  setSiteToken,
  shareSite,
  setAdminToken,
  setSurveyLabels,
  setSiteAlarms,
  saveAlarmSince,
  importSettings,
  undoImport,
};

type Writes = typeof WRITES;
export type WriteName = keyof Writes;
/** What a write is asked with: its parameter after the connection. */
export type WriteInput<W extends WriteName> = Parameters<Writes[W]>[1];
export type WriteResult<W extends WriteName> = ReturnType<Writes[W]>;
