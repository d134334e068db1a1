import type { RouterContext } from "@koa/router";
import Koa, { type Middleware } from "koa";
import { errorBodies } from "../base/http/errors.ts";
import type { Pages } from "../base/http/pages.ts";
import { methodNotAllowed, Router } from "../base/http/router.ts";
import type { Log } from "../base/log.ts";
import { type ControlDoor, guard } from "./guard.ts";
import type { ControlContext, Handler } from "./route.ts";

/** A path and method of this listener, and whether it answers without signing in. */
export interface Route<Parts> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly isPublic: boolean;
  readonly handle: Handler<Parts>;
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

/** The owner's listener with these routes; those of `before` need no sign-in. */
export function ownerApp<Parts extends { door: ControlDoor; log: Log }>(
  routes: readonly Route<Parts>[],
  parts: Parts,
  ...before: Middleware[]
): Koa {
  const router = new Router({ sensitive: true, strict: true });
  for (const { method, path, handle } of routes)
    router.register(path, [method], (ctx) => handle(withParams(ctx), parts));
  const open = routes
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
  app.use(errorBodies(parts.log));
  for (const step of before) app.use(step);
  app.use(
    guard(parts.door, (method, path) => open.some((pattern) => pattern.test(`${method} ${path}`))),
  );
  app.use(router.routes());
  app.use(methodNotAllowed);
  return app;
}

function withParams(ctx: RouterContext): ControlContext<never> {
  // A path names the parameters that its handler reads, and a handler the body that it answers.
  const params = { id: "", slot: "", channel: "", ...ctx.params };
  return Object.assign(ctx, { params }) as unknown as ControlContext<never>;
}

/** Makes the routes of a listener, and hands each the parts that it works with. */
export function routesFor<Parts>() {
  const making =
    (isPublic: boolean) =>
    <Name extends keyof Parts>(
      method: Route<Parts>["method"],
      path: string,
      part: Name,
      handle: Handler<Parts[Name]>,
    ): Route<Parts> => ({
      method,
      path,
      isPublic,
      handle: (ctx, parts) => handle(ctx, parts[part]),
    });
  return {
    /** A route that answers without signing in. */
    open: making(true),
    /** A route that needs a sign-in. */
    owner: making(false),
  };
}

/** Leads a browser that asked for the dashboard here to the page that opens it, signed in. */
export const leadToDashboard: Handler<Pages> = (ctx) => {
  ctx.status = 302;
  ctx.set("Location", ctx.path.endsWith("/") ? "../?go=dashboard" : "./?go=dashboard");
};

/** Answers a page of the documentation. */
export const doc: Handler<Pages> = (ctx, pages) => void pages.sendDoc(ctx, ctx.params.page);

/** Answers a file of the web build. */
export function page(name: string): Handler<Pages> {
  return (ctx, pages) => void pages.send(ctx, name);
}
