import type { Middleware } from "koa";
import { HttpError } from "../../base/http/errors.ts";

/** Whether this collector can count, and is to be sent visitors. */
export interface Readiness {
  /** False until the sites are known: nothing can be counted before. */
  readonly ready: boolean;
  /** Whether it is about to stop: it still answers, but a load balancer should use others. */
  readonly draining: boolean;
}

/** `GET /`, the check of load balancers. */
export function readinessRoute(of: Readiness, alive: Middleware): Middleware {
  return (ctx, next) => {
    if (!of.ready) throw notReady(NO_DATABASE);
    if (of.draining) throw notReady("This collector is about to stop. Ask another.");
    return alive(ctx, next);
  };
}

/** Refuses requests that need the sites as long as these are not known. */
export function whenReady(of: Readiness): Middleware {
  return async (ctx, next) => {
    if (of.ready) return next();
    // Apps that are web views need these headers.
    ctx.set({
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": "Retry-After",
    });
    throw notReady(NO_DATABASE);
  };
}

const NO_DATABASE =
  "Nothing can be counted here now: the database has not answered yet, or is of a newer version. Try again.";

function notReady(message: string): HttpError {
  return new HttpError(503, "not_ready", message, { "Retry-After": "1" });
}
