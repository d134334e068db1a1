import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, Middleware } from "koa";
import type { Log } from "../log.ts";
import { REFUSAL_ANSWERS, Refusal } from "../refusal.ts";
import { htmlText } from "../text/html-text.ts";
import type { ErrorAnswer } from "./wire.ts";

/** An error a client sees: `{"error": message, "code": code}` with the status and headers. */
export class HttpError extends Error {
  override readonly name = "HttpError";
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
  return new HttpError(429, "rate_limited", message, retryAfterHeader(seconds));
}

/** Sends an error outside of any app. */
export function sendError(response: ServerResponse, error: HttpError): void {
  const { status, message, code, headers } = error;
  const type = { "Content-Type": "application/json; charset=utf-8" };
  response
    .writeHead(status, { ...type, ...headers })
    .end(JSON.stringify({ error: message, code } satisfies ErrorAnswer));
}

function answerTo({ code, message, retryAfter }: Refusal): HttpError {
  const { status, code: name = code, retryAfter: usual } = REFUSAL_ANSWERS[code];
  const seconds = retryAfter ?? usual;
  const headers = seconds === undefined ? {} : retryAfterHeader(seconds);
  return new HttpError(status, name, message, headers);
}

function retryAfterHeader(seconds: number): Record<string, string> {
  return { "Retry-After": String(Math.max(1, Math.ceil(seconds))) };
}

/** Turns errors that a route throws, and paths without a route, into the JSON error body. */
export function errorBodies(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      refuseMalformed(ctx.req);
      await next();
      if (ctx.status === 404 && ctx.body === undefined) throw nothingAt(ctx.path);
    } catch (error) {
      if (error instanceof HttpError) answer(ctx, error);
      else if (error instanceof Refusal) answer(ctx, answerTo(error));
      else {
        log.error({ err: error, route: ctx.path }, "A request failed");
        answer(ctx, new HttpError(500, "internal_error", "Something went wrong on this machine."));
      }
    }
  };
}

export function nothingAt(path: string): HttpError {
  return new HttpError(404, "not_found", `Nothing is served at ${path}.`);
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
  ctx.vary("Accept");
  // Programs accept anything, or JSON; a browser that shows a page names HTML before all else.
  if (ctx.accepts("json", "html") === "html") {
    ctx.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    ctx.type = "html";
    ctx.body = errorPage(message, ctx.path);
    return;
  }
  ctx.body = { error: message, code } satisfies ErrorAnswer;
}

/** The page for a person whom a browser leads to an error. */
function errorPage(message: string, path: string): string {
  // Relative, for there may be a prefix before the path.
  const root = "../".repeat(path.split("/").length - 2) || "./";
  const text = htmlText(message);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Tallydeck</title>
<h1>Tallydeck</h1>
<p>${text}</p>
<p><a href="${root}">Go to the start</a></p>
</html>
`;
}
