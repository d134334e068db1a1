import type { RouterMiddleware } from "@koa/router";
import type Koa from "koa";
import type { Middleware } from "koa";
import { isFromHere } from "../../base/http/client.ts";
import { errorBodies, HttpError } from "../../base/http/errors.ts";
import { leadsTo, type Pages } from "../../base/http/pages.ts";
import { methodNotAllowed, Router } from "../../base/http/router.ts";
import type { Log } from "../../base/log.ts";
import { CONTROL_PORT } from "../../base/ports.ts";
import { VERSION_HEADER } from "../../base/release/health.ts";
import { version } from "../../base/system/version.ts";

const ASSETS = [
  "below.css",
  "below.js",
  "dashboard.css",
  "dashboard.js",
  "docs.css",
  "da-common.js",
  "help.js",
  "help.css",
  "map.js",
  "overview.js",
  "panels.js",
  "sign-in.js",
  "surveys.js",
  "favicon.svg",
  "plex-condensed-400.woff2",
  "plex-condensed-600.woff2",
  "vendor/frappe-charts.iife.min.js",
  "vendor/frappe-charts.min.css",
];

/** @param reached the origins that a page asks besides its own */
function pageHeaders(reached: readonly string[] = []): Record<string, string> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      "script-src 'self'",
      // frappe-charts writes inline styles.
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      ["connect-src 'self'", ...reached].join(" "),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
}

const PAGE_HEADERS = pageHeaders();

interface FixedParts {
  readonly root?: Middleware;
  /** The origins of places, to which the setup page sends a test view. */
  readonly reached?: () => Promise<readonly string[]>;
}

/**
 * The routes that do not depend on the state of the data: the script and the pages.
 * @param ahead the milliseconds that the clock of days is ahead of UTC now
 */
export function fixedRoutes(
  pages: Pages,
  ahead: () => number,
  { root = alive, reached = async () => [] }: FixedParts = {},
): Router {
  const router = new Router({ sensitive: true, strict: true })
    .get("/", root)
    .get("/s.js", script(pages, ahead))
    .get("/dashboard", page(pages, "dashboard.html"))
    .get("/dashboard/", leadsTo("../dashboard"))
    .get("/help/", leadsTo("../help"))
    .get("/help", async (ctx) => {
      ctx.set(pageHeaders(await reached()));
      pages.send(ctx, "help.html");
    })
    .get("/docs", leadsTo("docs/index"))
    .get("/docs/", leadsTo("index"))
    .get("/docs/:page", doc(pages))
    .get("/favicon.ico", leadsTo("favicon.svg"))
    .all("/api/push{/*channel}", pushElsewhere);
  for (const name of ASSETS) router.get(`/${name}`, page(pages, name));
  return router;
}

/** Makes `app` the public listener with these routes. */
export function withRoutes(app: Koa, router: Router, log: Log, ...before: Middleware[]): Koa {
  // A client that disconnects early is not worth a log line.
  app.silent = true;
  app.use(errorBodies(log));
  app.use(tellVersion(version()));
  for (const step of before) app.use(step);
  app.use(router.routes());
  app.use(methodNotAllowed);
  return app;
}

/** Adds the version to answers to this machine, for the updater, which judges a trial by it. */
function tellVersion(running: string): Middleware {
  return (ctx, next) => {
    if (ctx.path === "/" && isFromHere(ctx.req)) ctx.set(VERSION_HEADER, running);
    return next();
  };
}

export const alive: Middleware = (ctx) => {
  // People may type this address.
  ctx.set("Refresh", "2; url=dashboard");
  ctx.body = "ok";
};

/** Many a sender is given this port first. */
const pushElsewhere: Middleware = () => {
  throw new HttpError(
    404,
    "not_found",
    `Pushes go to the Web UI's port, which is ${CONTROL_PORT} unless WEBUI_PORT names another. This is the collector's.`,
  );
};

/** The number in the beacon that stands for the offset of days. */
const OFFSET = "7654321";

function script(pages: Pages, ahead: () => number): Middleware {
  return (ctx) => {
    ctx.set({
      "Cross-Origin-Resource-Policy": "cross-origin",
      // Tags that are modules or ask for integrity need it.
      "Access-Control-Allow-Origin": "*",
    });
    pages.sendWith(ctx, "s.js", { text: OFFSET, by: `${ahead()}` }, "public, max-age=3600");
  };
}

function page(pages: Pages, name: string): Middleware {
  return (ctx) => {
    ctx.set(PAGE_HEADERS);
    pages.send(ctx, name);
  };
}

function doc(pages: Pages): RouterMiddleware {
  return (ctx) => {
    if (pages.sendDoc(ctx, ctx.params.page ?? "")) ctx.set(PAGE_HEADERS);
  };
}
