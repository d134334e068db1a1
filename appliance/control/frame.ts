import type { RouterContext } from "@koa/router";
import Koa, { type Middleware } from "koa";
import { errorBodies } from "../base/http/errors.ts";
import type { Pages } from "../base/http/pages.ts";
import { methodNotAllowed, Router } from "../base/http/router.ts";
import type { Log } from "../base/log.ts";
import { type ControlDoor, guard } from "./guard.ts";
import type { ControlContext, Handler } from "./route.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A path and method of this listener, and whether it answers without signing in. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly isPublic: boolean;
  readonly handle: (ctx: ControlContext<never>) => void | Promise<void>;
}

/** A route that works with this part of the box. */
export type RouteOf<Part> = readonly [method: Method, path: string, handle: Handler<Part>];

/** The routes of a listener, to which each part of it adds its own. */
export class Routes {
  readonly all: Route[] = [];
  /** They are asked first, and need no sign-in. */
  readonly first: Middleware[] = [];

  /** Adds routes that answer without signing in. */
  open<Part>(part: Part, ...routes: readonly RouteOf<Part>[]): void {
    this.#add(true, part, routes);
  }

  /** Adds routes that need a sign-in. */
  owner<Part>(part: Part, ...routes: readonly RouteOf<Part>[]): void {
    this.#add(false, part, routes);
  }

  #add<Part>(isPublic: boolean, part: Part, routes: readonly RouteOf<Part>[]): void {
    for (const [method, path, handle] of routes)
      this.all.push({ method, path, isPublic, handle: (ctx) => handle(ctx, part) });
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

/** The owner's listener with these routes. */
export function ownerApp(
  routes: Routes,
  { door, log }: { readonly door: ControlDoor; readonly log: Log },
): Koa {
  const router = new Router({ sensitive: true, strict: true });
  for (const { method, path, handle } of routes.all)
    router.register(path, [method], (ctx) => handle(withParams(ctx)));
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

function withParams(ctx: RouterContext): ControlContext<never> {
  // A path names the parameters that its handler reads, and a handler the body that it answers.
  const params = { id: "", slot: "", channel: "", ...ctx.params };
  return Object.assign(ctx, { params }) as unknown as ControlContext<never>;
}

/** Leads a browser that asked for the dashboard here to the page that opens it, signed in. */
export const leadToDashboard: Handler<Pages> = (ctx) => {
  ctx.status = 302;
  ctx.set("Location", ctx.path.endsWith("/") ? "../?go=dashboard" : "./?go=dashboard");
};

/** Answers a page of the documentation. */
const doc: Handler<Pages> = (ctx, pages) => void pages.sendDoc(ctx, ctx.params.page);

/** Answers a file of the web build. */
export function page(name: string): Handler<Pages> {
  return (ctx, pages) => void pages.send(ctx, name);
}

/** Pages and files that each listener for the owner has. */
export const COMMON_PAGES: readonly RouteOf<Pages>[] = [
  ["GET", "/control.css", page("control.css")],
  ["GET", "/da-common.js", page("da-common.js")],
  ["GET", "/favicon.svg", page("favicon.svg")],
  ["GET", "/plex-condensed-400.woff2", page("plex-condensed-400.woff2")],
  ["GET", "/plex-condensed-600.woff2", page("plex-condensed-600.woff2")],
  ["GET", "/docs.css", page("docs.css")],
  ["GET", "/docs/:page", doc],
];
