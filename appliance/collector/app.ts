import Router from "@koa/router";
import Koa, { type Middleware } from "koa";
import type { Clock } from "../clock.ts";
import type { Client } from "../http/client.ts";
import { errorBodies } from "../http/errors.ts";
import { methodNotAllowed } from "../http/methods.ts";
import type { Pages } from "../http/pages.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { Access } from "./access.ts";
import { badgeRoute } from "./badge.ts";
import { appPingRoute, beaconRoute, surveyPreflight, surveyRoute } from "./collect.ts";
import type { Sites } from "./sites.ts";
import { statsRoute } from "./stats.ts";
import { surveysExportRoute, surveysRoute } from "./surveys.ts";

export interface CollectorParts {
  store: Store;
  sites: Sites;
  client: Client;
  clock: Clock;
  log: Log;
  /** What the web build made. */
  pages: Pages;
  /** 32 bytes that seal the cursors of the survey export. */
  cursorSecret: Uint8Array;
}

const ASSETS = [
  "dashboard.css",
  "dashboard.js",
  "da-common.js",
  "help.js",
  "map.js",
  "favicon.svg",
  "vendor/frappe-charts.iife.min.js",
  "vendor/frappe-charts.min.css",
];

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // frappe-charts writes inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The public listener: collection, reads, badge, pages. */
export function createCollector(parts: CollectorParts): Koa {
  const { store, sites, client, clock, log, pages, cursorSecret } = parts;
  const access = new Access(sites, client, clock);

  const router = new Router({ sensitive: true, strict: true })
    .get("/", alive)
    .get("/s.js", script(pages))
    .get("/e", beaconRoute(parts))
    .get("/a", appPingRoute(parts))
    .post("/s", surveyRoute(parts))
    .options("/s", surveyPreflight)
    .get("/stats", statsRoute(access, store, clock))
    .get("/surveys", surveysRoute(access, store))
    .get("/surveys/export", surveysExportRoute(access, store, cursorSecret))
    .get("/sites", sitesRoute(access, sites))
    .get("/badge", badgeRoute(sites, store, client, clock))
    .get("/dashboard", page(pages, "dashboard.html"))
    .get("/help", page(pages, "help.html"));
  for (const name of ASSETS) router.get(`/${name}`, page(pages, name));

  const app = new Koa();
  // A client that goes away in the middle is nothing to write about.
  app.silent = true;
  app.use(errorBodies(log));
  app.use(router.routes());
  app.use(methodNotAllowed);
  return app;
}

const alive: Middleware = (ctx) => {
  // For people who type the address.
  ctx.set("Refresh", "2; url=dashboard");
  ctx.body = "ok";
};

function script(pages: Pages): Middleware {
  return (ctx) => {
    ctx.set({
      "Cross-Origin-Resource-Policy": "cross-origin",
      // For tags that are modules or ask for integrity.
      "Access-Control-Allow-Origin": "*",
    });
    pages.send(ctx, "s.js", "public, max-age=3600");
  };
}

function page(pages: Pages, name: string): Middleware {
  return (ctx) => {
    ctx.set({
      "Content-Security-Policy": PAGE_POLICY,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    });
    pages.send(ctx, name);
  };
}

function sitesRoute(access: Access, sites: Sites): Middleware {
  return (ctx) => {
    access.admin(ctx);
    ctx.set("Cache-Control", "no-store");
    ctx.body = sites.all.map(({ id, host }) => ({ id, host }));
  };
}
