import type { DocumentKind } from "../../base/documents.ts";
import { SESSIONS } from "../../control/sessions.ts";
import { ORIGINS } from "../../deck/actions/origins.ts";
import { KEPT_CHANNELS } from "../../deck/push/kept-channels.ts";
import { PUSH_TOKENS } from "../../deck/push/tokens.ts";
import { DECKS } from "../../deck/settings/deck-settings.ts";
import { IMAGES } from "../../deck/settings/images.ts";
import { VIRTUAL_DECKS } from "../../deck/virtual-decks.ts";
import { BACKUP_SETTINGS } from "../../links/backups/checked.ts";
import { BACKUP_RECORD } from "../../links/backups/record.ts";
import { MAIL } from "../../links/mail/mail-server.ts";
import { MQTT } from "../../links/mqtt/home-automation.ts";
import { PUBLIC_ADDRESS } from "../../links/public/public-address.ts";
import {
  ADMIN_TOKEN,
  DAY_ZONE,
  KINDS_OF_SITES,
  KNOWN_PLACES,
  PLACE_ALARMS,
  PLACE_HOMES,
  PLACE_STATES,
  SITES,
} from "../../store/store.ts";
import { ALARM_LOG } from "../../traffic/alarms/alarm-log.ts";
import { DIGEST_RECORD } from "../../traffic/digest/record.ts";

/** All kinds of documents, for a start, a backup and a restore. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  SITES,
  ADMIN_TOKEN,
  DAY_ZONE,
  ...KINDS_OF_SITES,
  KNOWN_PLACES,
  PLACE_STATES,
  PLACE_HOMES,
  PLACE_ALARMS,
  DECKS,
  VIRTUAL_DECKS,
  IMAGES,
  PUSH_TOKENS,
  ORIGINS,
  KEPT_CHANNELS,
  SESSIONS,
  MQTT,
  PUBLIC_ADDRESS,
  DIGEST_RECORD,
  ALARM_LOG,
  MAIL,
  BACKUP_SETTINGS,
  BACKUP_RECORD,
];
