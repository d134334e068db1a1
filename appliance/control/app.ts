import Router from "@koa/router";
import Koa, { type Middleware } from "koa";
import { errorBodies } from "../http/errors.ts";
import { methodNotAllowed } from "../http/methods.ts";
import type { Log } from "../log.ts";

/** The listener for the owner. */
export function createControl(log: Log): Koa {
  const router = new Router({ sensitive: true, strict: true }).get("/", welcome);
  const app = new Koa();
  app.silent = true;
  app.use(errorBodies(log));
  app.use(router.routes());
  app.use(methodNotAllowed);
  return app;
}

const welcome: Middleware = (ctx) => {
  ctx.set({
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
  });
  ctx.type = "text/plain";
  ctx.body =
    "Tallydeck runs. This address will manage the stream deck and its keys; the dashboard is on the collector's port, at /dashboard.\n";
};
