import type { RouterContext } from "@koa/router";
import Koa, { type Middleware } from "koa";
import { errorBodies, nothingAt } from "../base/http/errors.ts";
import { leadsTo, type Pages } from "../base/http/pages.ts";
import { methodNotAllowed, Router } from "../base/http/router.ts";
import type { Log } from "../base/log.ts";
import { type ControlDoor, guard } from "./guard.ts";
import type { ControlContext, Handler, RoutesOf } from "./route.ts";

/** A path and method of this listener, and whether it answers without signing in. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly handle: (ctx: ControlContext) => unknown;
}

/** The routes of a listener, to which each part of it adds its own. */
export class Routes {
  readonly all: Route[] = [];
  /** They are asked first, and need no sign-in. */
  readonly first: Middleware[] = [];

  /** Adds routes that answer without signing in. */
  open<Parts>(parts: Parts, routes: RoutesOf<Parts>): void {
    this.#add(true, parts, routes);
  }

  /** Adds routes that need a sign-in. */
  owner<Parts>(parts: Parts, routes: RoutesOf<Parts>): void {
    this.#add(false, parts, routes);
  }

  #add<Parts>(isPublic: boolean, parts: Parts, routes: RoutesOf<Parts>): void {
    for (const [name, handle] of Object.entries<Handler<Parts>>(routes)) {
      const [method = "", path = ""] = name.split(" ");
      this.all.push({ method, path, isPublic, handle: (ctx) => handle(ctx, parts) });
    }
  }
}

const HEADERS = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

interface OwnerParts {
  readonly door: ControlDoor;
  readonly log: Log;
}

export function ownerApp(routes: Routes, { door, log }: OwnerParts): Koa {
  const router = new Router({ sensitive: true, strict: true });
  for (const { method, path, handle } of routes.all)
    router.register(path, [method], (ctx) => answer(withParams(ctx), handle));
  const open = routes.all
    .filter(({ isPublic }) => isPublic)
    .map(
      ({ method, path }) =>
        new RegExp(`^${method} ${path.replaceAll(".", "\\.").replace(/:\w+/, "[^/]+")}$`),
    );

  const app = new Koa();
  // A client that disconnects early is not worth a log line.
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.set(HEADERS);
    await next();
  });
  app.use(errorBodies(log));
  for (const step of routes.first) app.use(step);
  app.use(guard(door, (method, path) => open.some((pattern) => pattern.test(`${method} ${path}`))));
  app.use(router.routes());
  app.use(methodNotAllowed);
  return app;
}

function withParams(ctx: RouterContext): ControlContext {
  // A path names the parameters that its handler reads.
  const params = { id: "", slot: "", channel: "", ...ctx.params };
  return Object.assign(ctx, { params }) as unknown as ControlContext;
}

async function answer(ctx: ControlContext, handle: Route["handle"]): Promise<void> {
  const body = await handle(ctx);
  if (body !== undefined) ctx.body = body;
  else if (ctx.status === 404 && ctx.respond !== false) ctx.status = 204;
}

/** Leads a browser that asked for the dashboard here to the page that opens it, signed in. */
const leadToDashboard: Handler<Pages> = (ctx) => {
  ctx.status = 302;
  ctx.set("Location", ctx.path.endsWith("/") ? "../?go=dashboard" : "./?go=dashboard");
};

const doc: Handler<Pages> = (ctx, pages) => expectSent(ctx, pages.sendDoc(ctx, ctx.params.page));

export function page(name: string): Handler<Pages> {
  return (ctx, pages) => expectSent(ctx, pages.send(ctx, name));
}

function expectSent({ path }: ControlContext, isSent: boolean): void {
  if (!isSent) throw nothingAt(path);
}

/** Routes to files of the web build, each by its own name. */
export function files(...names: string[]): RoutesOf<Pages> {
  return Object.fromEntries(names.map((name) => [`GET /${name}`, page(name)]));
}

/** Pages and files that each listener for the owner has. */
export const COMMON_PAGES: RoutesOf<Pages> = {
  ...files("control.css", "da-common.js", "favicon.svg", "docs.css"),
  ...files("plex-condensed-400.woff2", "plex-condensed-600.woff2"),
  "GET /docs": leadsTo("docs/index"),
  "GET /docs/": leadsTo("index"),
  "GET /docs/:page": doc,
  // Browsers ask for it where a page names no icon.
  "GET /favicon.ico": leadsTo("favicon.svg"),
};

/** The listener for the owner, and for senders with a push token: its pages, and the routes of all parts. */
export function createControl(
  routes: Routes,
  { pages, ...parts }: OwnerParts & { readonly pages: Pages },
): Koa {
  routes.open(pages, {
    "GET /": page("control.html"),
    "GET /dashboard": leadToDashboard,
    "GET /dashboard/": leadToDashboard,
    ...files("control.js"),
    ...COMMON_PAGES,
  });
  routes.owner(pages, { "GET /api/icons": page("icons.json") });
  return ownerApp(routes, parts);
}
