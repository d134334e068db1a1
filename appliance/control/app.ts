import type Koa from "koa";
import type { Pages } from "../base/http/pages.ts";
import type { Log } from "../base/log.ts";
import { COMMON_PAGES, files, leadToDashboard, ownerApp, page, type Routes } from "./frame.ts";
import type { ControlDoor } from "./guard.ts";

interface ControlParts {
  log: Log;
  door: ControlDoor;
  pages: Pages;
}

/** The listener for the owner, and for senders with a push token: its pages, and the routes of all parts. */
export function createControl(routes: Routes, { pages, ...parts }: ControlParts): Koa {
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
