import { ORIGINS } from "../actions/origins.ts";
import { ALARM_LOG } from "../alarms/alarm-log.ts";
import { BACKUP_SETTINGS } from "../backups/checked.ts";
import { BACKUP_RECORD } from "../backups/record.ts";
import type { DocumentKind } from "../base/documents.ts";
import { SESSIONS } from "../control/sessions.ts";
import { DECKS } from "../deck/settings/deck-settings.ts";
import { IMAGES } from "../deck/settings/images.ts";
import { VIRTUAL_DECKS } from "../deck/virtual-decks.ts";
import { DIGEST_RECORD } from "../digest/record.ts";
import { MAIL } from "../mail/mail-server.ts";
import { MQTT } from "../mqtt/home-automation.ts";
import { PUBLIC_ADDRESS } from "../public/public-address.ts";
import { KEPT_CHANNELS } from "../push/kept-channels.ts";
import { PUSH_TOKENS } from "../push/tokens.ts";
import { ADMIN_TOKEN, DAY_ZONE, KINDS_OF_SITES, SITES } from "../store/store.ts";

/** All kinds of documents, for a start, a backup and a restore. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  SITES,
  ADMIN_TOKEN,
  DAY_ZONE,
  ...KINDS_OF_SITES,
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
