import Router, { type RouterContext } from "@koa/router";
import Koa, { type Middleware } from "koa";
import type { Clock } from "../clock.ts";
import type { Decks } from "../deck/decks.ts";
import type { Client } from "../http/client.ts";
import { errorBodies, HttpError } from "../http/errors.ts";
import { methodNotAllowed } from "../http/methods.ts";
import type { Pages } from "../http/pages.ts";
import type { TokenBuckets } from "../http/token-buckets.ts";
import type { Log, RecentProblems } from "../log.ts";
import type { Channels } from "../push/channels.ts";
import type { PushTokens } from "../push/tokens.ts";
import { StorageUnavailable } from "../store/batch.ts";
import type { Exchange } from "../store/exchange.ts";
import type { Store } from "../store/store.ts";
import { downloadBackup, restoreBackup } from "./backup.ts";
import { tellTime } from "./clock.ts";
import { changeDeck, listDecks, pressSlot, setWidget, slotImage } from "./decks.ts";
import { diagnose } from "./diagnostics.ts";
import { type Events, streamEvents } from "./events.ts";
import { guard } from "./guard.ts";
import { pushRoute } from "./push.ts";
import { clearPushChannel, listPushChannels, testPushChannel } from "./push-channels.ts";
import {
  createPushToken,
  listPushTokens,
  pausePushToken,
  revokePushToken,
  rotatePushToken,
} from "./push-tokens.ts";
import type { ControlContext, Handler } from "./route.ts";
import { type Admin, makeAdminToken, signIn, signOut } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { exportSettings, importSettings } from "./settings.ts";
import type { SetupCode } from "./setup-code.ts";
import {
  addSite,
  changeSite,
  type Declared,
  eraseSite,
  listSites,
  makeSiteToken,
} from "./sites.ts";

/** All that the owner's listener works with. */
export interface ControlParts {
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
  wrongTokens: TokenBuckets;
  /** Names, lower case, by which this listener may be addressed besides IP addresses. */
  names: ReadonlySet<string>;
  /** True when everybody who reaches this listener may use it without signing in. */
  isOpen: () => boolean;
  collectorPort: () => number;
  reloadAfterRestore: () => Promise<void>;
  /** Believes the time a signed-in owner's browser tells, where the clock is not set. */
  believe: (now: number) => void;
}

/** A path and method of this listener, and whether it answers without signing in. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly isPublic: boolean;
  readonly handle: Handler<ControlParts>;
}

/** Everything this listener serves besides `/api/push/<channel>`, which has rules of its own. */
export const ROUTES: readonly Route[] = [
  open("GET", "/", page("control.html")),
  open("GET", "/control.css", page("control.css")),
  open("GET", "/control.js", page("control.js")),
  open("GET", "/da-common.js", page("da-common.js")),
  open("GET", "/favicon.svg", page("favicon.svg")),
  open("POST", "/api/session", signIn),
  owner("DELETE", "/api/session", signOut),
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
  owner("GET", "/api/backup", downloadBackup),
  owner("POST", "/api/restore", restoreBackup),
  owner("GET", "/api/diagnostics", diagnose),
  owner("POST", "/api/clock", tellTime),
];

const HEADERS = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** The listener for the owner, and for whoever holds a push token. */
export function createControl(parts: ControlParts): Koa {
  const router = new Router({ sensitive: true, strict: true });
  for (const { method, path, handle } of ROUTES)
    router.register(path, [method], (ctx) => handle(withParams(ctx), parts));
  const isPublic = new Set(
    ROUTES.filter((route) => route.isPublic).map(({ method, path }) => `${method} ${path}`),
  );

  const app = new Koa();
  // A client that goes away in the middle is nothing to write about.
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.set(HEADERS);
    await next();
  });
  app.use(errorBodies(parts.log));
  app.use(storageErrors);
  app.use(pushRoute(parts));
  app.use(guard(parts, (method, path) => isPublic.has(`${method} ${path}`)));
  app.use(router.routes());
  app.use(methodNotAllowed);
  return app;
}

function withParams(ctx: RouterContext): ControlContext {
  // Every path names those its handler reads.
  return Object.assign(ctx, { params: { id: "", slot: "", channel: "", ...ctx.params } });
}

function open(method: Route["method"], path: string, handle: Route["handle"]): Route {
  return { method, path, handle, isPublic: true };
}

function owner(method: Route["method"], path: string, handle: Route["handle"]): Route {
  return { method, path, handle, isPublic: false };
}

function page(name: string): Route["handle"] {
  return (ctx, { pages }) => void pages.send(ctx, name);
}

const storageErrors: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    throw new HttpError(503, "storage_unavailable", error.message, { "Retry-After": "60" });
  }
};
