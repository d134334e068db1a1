import type Koa from "koa";
import type { Clock, FarAhead } from "../base/clock.ts";
import type { Log, RecentProblems } from "../base/log.ts";
import type { Decks } from "../deck/decks.ts";
import type { Client } from "../http/client.ts";
import type { Pages } from "../http/pages.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { Channels } from "../push/channels.ts";
import type { PushTokens } from "../push/tokens.ts";
import type { Exchange, Store } from "../store/store.ts";
import { open, owner, ownerApp, page, type Route } from "./frame.ts";
import { tellAddress } from "./routes/address.ts";
import { downloadBackup, restoreBackup } from "./routes/backup.ts";
import { tellTime } from "./routes/clock.ts";
import { changeDeck, listDecks, pressSlot, setWidget, slotImage } from "./routes/decks.ts";
import { diagnose } from "./routes/diagnostics.ts";
import { type Events, streamEvents } from "./routes/events.ts";
import { pushRoute } from "./routes/push.ts";
import { clearPushChannel, listPushChannels, testPushChannel } from "./routes/push-channels.ts";
import {
  createPushToken,
  listPushTokens,
  pausePushToken,
  revokePushToken,
  rotatePushToken,
} from "./routes/push-tokens.ts";
import { type Admin, findAdminToken, makeAdminToken, signIn, signOut } from "./routes/session.ts";
import { exportSettings } from "./routes/settings.ts";
import { importSettings, type LastImport, undoImport } from "./routes/settings-import.ts";
import {
  addSite,
  changeSite,
  type Declared,
  eraseSite,
  listSites,
  makeSiteToken,
} from "./routes/sites.ts";
import type { Sessions } from "./sessions.ts";
import type { SetupCode } from "./setup-code.ts";
import type { AddressAnswer } from "./wire.ts";

/** All that the owner's listener works with. */
interface ControlParts {
  log: Log;
  clock: Clock;
  client: Client;
  /** What the web build made. */
  pages: Pages;
  store: Store;
  exchange: Exchange;
  channels: Channels;
  tokens: PushTokens;
  decks: Decks;
  events: Events;
  sessions: Sessions;
  code: SetupCode;
  admin: Admin;
  declared: Declared;
  problems: RecentProblems;
  version: string;
  /** Monotonic milliseconds. */
  startedAt: number;
  /** How many are open. */
  connections: () => { collector: number; control: number };
  wrongTokens: RateLimit;
  /** Names, lower case, by which this listener may be addressed besides IP addresses. */
  names: () => ReadonlySet<string>;
  /** Where the own network finds the Web UI now. */
  address: () => AddressAnswer;
  /** True when everybody who reaches this listener may use it without signing in. */
  isOpen: () => boolean;
  collectorPort: () => number;
  reloadAfterRestore: () => Promise<void>;
  lastImport: LastImport;
  /** Believes the time a signed-in owner's browser tells, where the clock is not set. */
  believe: (now: number, confirmed: boolean) => FarAhead | undefined;
}

/** Everything this listener serves besides `/api/push/<channel>`, which has rules of its own. */
export const ROUTES: readonly Route<ControlParts>[] = [
  open("GET", "/", page("control.html")),
  open("GET", "/control.css", page("control.css")),
  open("GET", "/control.js", page("control.js")),
  open("GET", "/da-common.js", page("da-common.js")),
  open("GET", "/favicon.svg", page("favicon.svg")),
  open("POST", "/api/session", signIn),
  owner("DELETE", "/api/session", signOut),
  owner("GET", "/api/admin-token", findAdminToken),
  owner("POST", "/api/admin-token", makeAdminToken),
  owner("GET", "/api/decks", listDecks),
  owner("PATCH", "/api/decks/:id", changeDeck),
  owner("PUT", "/api/decks/:id/slots/:slot", setWidget),
  owner("GET", "/api/decks/:id/slots/:slot/image.png", slotImage),
  owner("POST", "/api/decks/:id/slots/:slot/press", pressSlot),
  owner("GET", "/api/events", streamEvents),
  owner("GET", "/api/push-tokens", listPushTokens),
  owner("POST", "/api/push-tokens", createPushToken),
  owner("PATCH", "/api/push-tokens/:id", pausePushToken),
  owner("DELETE", "/api/push-tokens/:id", revokePushToken),
  owner("POST", "/api/push-tokens/:id/rotate", rotatePushToken),
  owner("GET", "/api/push-channels", listPushChannels),
  owner("POST", "/api/push-channels/:channel", testPushChannel),
  owner("DELETE", "/api/push-channels/:channel", clearPushChannel),
  owner("GET", "/api/sites", listSites),
  owner("POST", "/api/sites", addSite),
  owner("PATCH", "/api/sites/:id", changeSite),
  owner("DELETE", "/api/sites/:id", eraseSite),
  owner("POST", "/api/sites/:id/token", makeSiteToken),
  owner("GET", "/api/settings/export", exportSettings),
  owner("POST", "/api/settings/import", importSettings),
  owner("POST", "/api/settings/undo-import", undoImport),
  owner("GET", "/api/backup", downloadBackup),
  owner("POST", "/api/restore", restoreBackup),
  owner("GET", "/api/diagnostics", diagnose),
  owner("POST", "/api/clock", tellTime),
  owner("GET", "/api/address", tellAddress),
];

/** The listener for the owner, and for whoever holds a push token. */
export function createControl(parts: ControlParts): Koa {
  return ownerApp(ROUTES, parts, pushRoute(parts));
}
