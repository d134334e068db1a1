import { createRequire } from "node:module";
import type KoaRouter from "@koa/router";
import type { RouterContext } from "@koa/router";
import type { Middleware } from "koa";
import { HttpError } from "./errors.ts";

/**
 * The router, as CommonJS: its other build imports `node:http`, for which Node loads its whole web
 * client (see node-http.ts).
 */
export const Router = createRequire(import.meta.url)("@koa/router") as typeof KoaRouter;
export type Router = KoaRouter;

/** Answers 405 to another method of a known path. Use it after a router. */
export const methodNotAllowed: Middleware = (ctx) => {
  const matched = (ctx as unknown as RouterContext).matched ?? [];
  const methods = [...new Set(matched.flatMap((layer) => layer.methods))].sort().join(", ");
  if (methods !== "")
    throw new HttpError(405, "method_not_allowed", `${ctx.path} answers ${methods} only.`, {
      Allow: methods,
    });
};
