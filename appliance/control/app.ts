import type Koa from "koa";
import type { Pages } from "../base/http/pages.ts";
import type { Log } from "../base/log.ts";
import type { Origins } from "../deck/actions/origins.ts";
import type { Decks } from "../deck/decks.ts";
import type { MailServer } from "../links/mail/mail-server.ts";
import type { HomeAutomation } from "../links/mqtt/home-automation.ts";
import { doc, leadToDashboard, ownerApp, page, type Route, routesFor } from "./frame.ts";
import type { ControlDoor } from "./guard.ts";
import {
  type BackupsParts,
  changeBackups,
  findBackup,
  makeBackups,
  showBackups,
  takeFoundBackup,
} from "./routes/box/backups.ts";
import { type BoxParts, showBox, switchPower } from "./routes/box/box.ts";
import { type ClockParts, tellTime } from "./routes/box/clock.ts";
import { type DiagnosticsParts, showDiagnostics } from "./routes/box/diagnostics.ts";
import { type HealthParts, healthRoute } from "./routes/box/health.ts";
import { downloadLog, type KeptLogParts } from "./routes/box/kept-log.ts";
import { changeMachineSettings, type MachineParts, showMachine } from "./routes/box/machine.ts";
import { changeMail, showMail } from "./routes/box/mail.ts";
import { changeMqtt, showMqtt } from "./routes/box/mqtt.ts";
import {
  changePublic,
  makePhoneLink,
  type PublicParts,
  showPublic,
  testPublic,
} from "./routes/box/public-address.ts";
import { beginReset, callOffReset, type ResetParts, showReset } from "./routes/box/reset.ts";
import { makeTunnel, removeTunnel, showTunnel, type TunnelParts } from "./routes/box/tunnel.ts";
import { changeUpdate, showUpdate, type UpdateParts, uploadUpdate } from "./routes/box/update.ts";
import { joinWifi, showWifi, type WifiParts } from "./routes/box/wifi.ts";
import {
  type DeckEditParts,
  deletePage,
  moveSlot,
  patchPage,
  postPage,
  redoEdit,
  startDeck,
  undoEdit,
} from "./routes/decks/deck-edits.ts";
import {
  addDeck,
  changeDeck,
  listDecks,
  pressSlot,
  removeDeck,
  type SlotParts,
  setSlot,
  slotImage,
  swipeDeck,
} from "./routes/decks/decks.ts";
import { type ImageParts, keepImage } from "./routes/decks/images.ts";
import { type EventsParts, streamEvents } from "./routes/events.ts";
import { allowOrigin, listOrigins, removeOrigin } from "./routes/origins.ts";
import {
  acknowledgeChannel,
  clearPushChannel,
  listPushChannels,
  testPushChannel,
  watchPushChannel,
} from "./routes/push-channels.ts";
import {
  createPushToken,
  listPushTokens,
  pausePushToken,
  revokePushToken,
  rotatePushToken,
} from "./routes/push-tokens.ts";
import {
  type DashboardParts,
  findAdminToken,
  makeAdminToken,
  makeDashboardCode,
  type SessionParts,
  signIn,
  signOut,
} from "./routes/session.ts";
import { type DataParts, downloadBackup, restoreBackup } from "./routes/settings/backup.ts";
import { exportSettings, importSettings, type SettingsParts } from "./routes/settings/settings.ts";
import { type PrivacyParts, showPrivacy } from "./routes/sites/privacy.ts";
import { type ActivityParts, showSiteActivity } from "./routes/sites/site-activity.ts";
import { type AlarmsParts, changeAlarms, findAlarms } from "./routes/sites/site-alarms.ts";
import {
  changeDigest,
  type DigestParts,
  findDigest,
  sendDigest,
} from "./routes/sites/site-digest.ts";
import { type ExportParts, exportSite } from "./routes/sites/site-export.ts";
import {
  appendUpload,
  beginUpload,
  bringUpload,
  cancelUpload,
  deleteImport,
  type ImportParts,
  inspectUpload,
  listImports,
  showUpload,
} from "./routes/sites/site-imports.ts";
import { goals, marks, surveyLabels } from "./routes/sites/site-setting.ts";
import {
  addSite,
  changeSite,
  eraseSite,
  listSites,
  makeSiteToken,
  type SitesParts,
  shareSite,
  unshareSite,
} from "./routes/sites/sites.ts";
import { type PushParts, senderRoutes } from "./senders/senders.ts";

/** The parts of the owner's listener, by the subject of its routes. */
export interface ControlParts {
  log: Log;
  door: ControlDoor;
  /** The files of the web build. */
  pages: Pages;
  session: SessionParts;
  decks: Decks;
  slots: SlotParts;
  starts: DeckEditParts;
  events: EventsParts;
  push: PushParts;
  origins: Origins;
  images: ImageParts;
  sites: SitesParts;
  dashboard: DashboardParts;
  mqtt: HomeAutomation;
  mail: MailServer;
  backups: BackupsParts;
  public: PublicParts;
  activity: ActivityParts;
  alarms: AlarmsParts;
  digest: DigestParts;
  imports: ImportParts;
  exports: ExportParts;
  settings: SettingsParts;
  data: DataParts;
  diagnostics: DiagnosticsParts;
  privacy: PrivacyParts;
  clock: ClockParts;
  box: BoxParts;
  keptLog: KeptLogParts;
  machine: MachineParts;
  tunnel: TunnelParts;
  reset: ResetParts;
  wifi: WifiParts;
  update: UpdateParts;
  health: HealthParts;
}

const { open, owner } = routesFor<ControlParts>();

/** The routes of this listener, without those for push tokens: see senders/. */
export const ROUTES: readonly Route<ControlParts>[] = [
  open("GET", "/", "pages", page("control.html")),
  open("GET", "/dashboard", "pages", leadToDashboard),
  open("GET", "/dashboard/", "pages", leadToDashboard),
  open("GET", "/control.css", "pages", page("control.css")),
  open("GET", "/control.js", "pages", page("control.js")),
  open("GET", "/da-common.js", "pages", page("da-common.js")),
  open("GET", "/favicon.svg", "pages", page("favicon.svg")),
  open("GET", "/plex-condensed-400.woff2", "pages", page("plex-condensed-400.woff2")),
  open("GET", "/plex-condensed-600.woff2", "pages", page("plex-condensed-600.woff2")),
  open("GET", "/docs.css", "pages", page("docs.css")),
  open("GET", "/docs/:page", "pages", doc),
  open("POST", "/api/session", "session", signIn),
  owner("DELETE", "/api/session", "session", signOut),
  owner("GET", "/api/admin-token", "session", findAdminToken),
  owner("POST", "/api/admin-token", "session", makeAdminToken),
  owner("GET", "/api/decks", "decks", listDecks),
  owner("POST", "/api/decks", "decks", addDeck),
  owner("DELETE", "/api/decks/:id", "decks", removeDeck),
  owner("POST", "/api/decks/undo", "decks", undoEdit),
  owner("POST", "/api/decks/redo", "decks", redoEdit),
  owner("PATCH", "/api/decks/:id", "decks", changeDeck),
  owner("POST", "/api/decks/:id/starting-point", "starts", startDeck),
  owner("POST", "/api/decks/:id/pages", "decks", postPage),
  owner("PATCH", "/api/decks/:id/pages/:page", "decks", patchPage),
  owner("DELETE", "/api/decks/:id/pages/:page", "decks", deletePage),
  owner("PUT", "/api/decks/:id/slots/:slot", "slots", setSlot),
  owner("GET", "/api/decks/:id/slots/:slot/image.png", "decks", slotImage),
  owner("POST", "/api/decks/:id/slots/:slot/move", "decks", moveSlot),
  owner("POST", "/api/decks/:id/slots/:slot/press", "decks", pressSlot),
  owner("POST", "/api/decks/:id/swipe", "decks", swipeDeck),
  owner("GET", "/api/icons", "pages", page("icons.json")),
  owner("GET", "/api/events", "events", streamEvents),
  owner("GET", "/api/push-tokens", "push", listPushTokens),
  owner("POST", "/api/push-tokens", "push", createPushToken),
  owner("PATCH", "/api/push-tokens/:id", "push", pausePushToken),
  owner("DELETE", "/api/push-tokens/:id", "push", revokePushToken),
  owner("POST", "/api/push-tokens/:id/rotate", "push", rotatePushToken),
  owner("GET", "/api/push-channels", "push", listPushChannels),
  owner("POST", "/api/push-channels/:channel", "push", testPushChannel),
  owner("PATCH", "/api/push-channels/:channel", "push", watchPushChannel),
  owner("DELETE", "/api/push-channels/:channel", "push", clearPushChannel),
  owner("POST", "/api/push-channels/:channel/acknowledge", "push", acknowledgeChannel),
  owner("PUT", "/api/images", "images", keepImage),
  owner("GET", "/api/origins", "origins", listOrigins),
  owner("POST", "/api/origins", "origins", allowOrigin),
  owner("DELETE", "/api/origins", "origins", removeOrigin),
  owner("GET", "/api/sites", "sites", listSites),
  owner("POST", "/api/sites", "sites", addSite),
  owner("GET", "/api/site-activity", "activity", showSiteActivity),
  owner("PATCH", "/api/sites/:id", "sites", changeSite),
  owner("DELETE", "/api/sites/:id", "sites", eraseSite),
  owner("POST", "/api/sites/:id/token", "sites", makeSiteToken),
  owner("GET", "/api/sites/:id/survey-labels", "sites", surveyLabels.find),
  owner("PUT", "/api/sites/:id/survey-labels", "sites", surveyLabels.change),
  owner("GET", "/api/sites/:id/goals", "sites", goals.find),
  owner("PUT", "/api/sites/:id/goals", "sites", goals.change),
  owner("GET", "/api/sites/:id/marks", "sites", marks.find),
  owner("PUT", "/api/sites/:id/marks", "sites", marks.change),
  owner("GET", "/api/sites/:id/alarms", "alarms", findAlarms),
  owner("PUT", "/api/sites/:id/alarms", "alarms", changeAlarms),
  owner("GET", "/api/sites/:id/digest", "digest", findDigest),
  owner("PUT", "/api/sites/:id/digest", "digest", changeDigest),
  owner("POST", "/api/sites/:id/digest", "digest", sendDigest),
  owner("GET", "/api/sites/:id/imports", "imports", listImports),
  owner("DELETE", "/api/sites/:id/imports/:number", "imports", deleteImport),
  owner("POST", "/api/sites/:id/uploads", "imports", beginUpload),
  owner("GET", "/api/sites/:id/uploads/:upload", "imports", showUpload),
  owner("PUT", "/api/sites/:id/uploads/:upload", "imports", appendUpload),
  owner("DELETE", "/api/sites/:id/uploads/:upload", "imports", cancelUpload),
  owner("POST", "/api/sites/:id/uploads/:upload/inspect", "imports", inspectUpload),
  owner("POST", "/api/sites/:id/uploads/:upload/bring", "imports", bringUpload),
  owner("GET", "/api/sites/:id/export", "exports", exportSite),
  owner("POST", "/api/sites/:id/share", "sites", shareSite),
  owner("DELETE", "/api/sites/:id/share", "sites", unshareSite),
  owner("POST", "/api/dashboard-code", "dashboard", makeDashboardCode),
  owner("GET", "/api/wifi", "wifi", showWifi),
  owner("POST", "/api/wifi", "wifi", joinWifi),
  owner("GET", "/api/public/tunnel", "tunnel", showTunnel),
  owner("POST", "/api/public/tunnel", "tunnel", makeTunnel),
  owner("DELETE", "/api/public/tunnel", "tunnel", removeTunnel),
  owner("GET", "/api/update", "update", showUpdate),
  owner("POST", "/api/update", "update", changeUpdate),
  owner("PUT", "/api/update/file", "update", uploadUpdate),
  owner("GET", "/api/mqtt", "mqtt", showMqtt),
  owner("PUT", "/api/mqtt", "mqtt", changeMqtt),
  owner("GET", "/api/mail", "mail", showMail),
  owner("PUT", "/api/mail", "mail", changeMail),
  owner("GET", "/api/backups", "backups", showBackups),
  owner("PUT", "/api/backups", "backups", changeBackups),
  owner("POST", "/api/backups", "backups", makeBackups),
  owner("GET", "/api/found-backup", "backups", findBackup),
  owner("POST", "/api/found-backup", "backups", takeFoundBackup),
  owner("GET", "/api/public", "public", showPublic),
  owner("PUT", "/api/public", "public", changePublic),
  owner("POST", "/api/public/test", "public", testPublic),
  owner("POST", "/api/public/phone", "public", makePhoneLink),
  owner("GET", "/api/settings/export", "settings", exportSettings),
  owner("POST", "/api/settings/import", "settings", importSettings),
  owner("GET", "/api/backup", "data", downloadBackup),
  owner("POST", "/api/restore", "data", restoreBackup),
  owner("GET", "/api/log", "keptLog", downloadLog),
  owner("GET", "/api/diagnostics", "diagnostics", showDiagnostics),
  owner("GET", "/api/privacy", "privacy", showPrivacy),
  owner("POST", "/api/clock", "clock", tellTime),
  owner("GET", "/api/box", "box", showBox),
  owner("POST", "/api/power", "box", switchPower),
  owner("GET", "/api/machine", "machine", showMachine),
  owner("PUT", "/api/machine", "machine", changeMachineSettings),
  owner("GET", "/api/reset", "reset", showReset),
  owner("POST", "/api/reset", "reset", beginReset),
  owner("DELETE", "/api/reset", "reset", callOffReset),
];

/** The listener for the owner, and for senders with a push token. */
export function createControl(parts: ControlParts): Koa {
  return ownerApp(ROUTES, parts, ...senderRoutes(parts.push), healthRoute(parts.health));
}
