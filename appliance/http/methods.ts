import type { RouterContext } from "@koa/router";
import type { Middleware } from "koa";
import { HttpError } from "./errors.ts";

/** Answers 405 to another method of a known path. Use it after a router. */
export const methodNotAllowed: Middleware = (ctx) => {
  const matched = (ctx as unknown as RouterContext).matched ?? [];
  const methods = [...new Set(matched.flatMap((layer) => layer.methods))].sort().join(", ");
  if (methods !== "")
    throw new HttpError(405, "method_not_allowed", `${ctx.path} answers ${methods} only.`, {
      Allow: methods,
    });
};
