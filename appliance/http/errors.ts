import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, Middleware } from "koa";
import type { Log } from "../base/log.ts";
import type { ErrorAnswer } from "./wire.ts";

/** An error a client sees: `{"error": message, "code": code}` with the status and headers. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** @param seconds until it is worth trying again; rounded up, at least 1. */
export function rateLimited(seconds: number, message: string): HttpError {
  const retryAfter = String(Math.max(1, Math.ceil(seconds)));
  return new HttpError(429, "rate_limited", message, { "Retry-After": retryAfter });
}

/** Answers with an error where no app is asked. */
export function sendError(response: ServerResponse, error: HttpError): void {
  const { status, message, code, headers } = error;
  const type = { "Content-Type": "application/json; charset=utf-8" };
  response
    .writeHead(status, { ...type, ...headers })
    .end(JSON.stringify({ error: message, code } satisfies ErrorAnswer));
}

/** Turns whatever a route throws, and a path nobody serves, into the JSON error body. */
export function errorBodies(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      refuseMalformed(ctx.req);
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        throw new HttpError(404, "not_found", `Nothing is served at ${ctx.path}.`);
    } catch (error) {
      if (error instanceof HttpError) answer(ctx, error);
      else {
        log.error({ err: error, route: ctx.path }, "A request failed");
        answer(ctx, new HttpError(500, "internal_error", "Something went wrong on this box."));
      }
    }
  };
}

/** HTTP that a parser lets through and that no route could make sense of. */
function refuseMalformed({ url = "", headers, httpVersion }: IncomingMessage): void {
  const isTarget = url.startsWith("/") || url === "*" || URL.canParse(url);
  if (!isTarget || (headers.host === undefined && httpVersion === "1.1"))
    throw new HttpError(400, "bad_request", "This is not a valid HTTP request.");
}

function answer(ctx: Context, { status, code, message, headers }: HttpError): void {
  ctx.status = status;
  ctx.set({ "X-Content-Type-Options": "nosniff", ...headers });
  ctx.body = { error: message, code } satisfies ErrorAnswer;
}
