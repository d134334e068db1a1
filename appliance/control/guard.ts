import type { Context, Middleware } from "koa";
import type { Client } from "../base/http/client.ts";
import { HttpError } from "../base/http/errors.ts";
import { isOwnHost } from "../base/http/own-host.ts";
import type { SessionId, Sessions } from "./sessions.ts";

export const COOKIE = "tallydeck";

export interface ControlDoor {
  client: Client;
  sessions: Sessions;
  /** Names, lower case, by which this listener may be addressed besides IP addresses. */
  names: () => ReadonlySet<string>;
  /** Whether this listener needs no sign-in. */
  isOpen: () => boolean;
}

/** The form of the values that `Sessions` makes. */
const COOKIE_VALUE = /^[\w-]{43}$/;

/** The session of a request; undefined without one. */
export function sessionOf(ctx: Context, sessions: Sessions): SessionId | undefined {
  return sessionsOf(ctx, sessions)[0];
}

/** Every session of a request: other services of this host may set cookies of our name, too. */
export function sessionsOf({ headers }: Context, sessions: Sessions): SessionId[] {
  return (headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`))
    .map((pair) => pair.slice(COOKIE.length + 1))
    .filter((value) => COOKIE_VALUE.test(value))
    .flatMap((value) => sessions.find(value) ?? []);
}

/**
 * Checks that a request has a name of this box, comes from no other web page, and is signed in where necessary.
 * `isPublic` decides about requests without a sign-in.
 * @throws {HttpError} 403 `forbidden_host`, 403 `forbidden_origin`, 401 `unauthorized`
 */
export function guard(
  door: ControlDoor,
  isPublic: (method: string, path: string) => boolean,
): Middleware {
  return async (ctx, next) => {
    const url = door.client.url(ctx.req);
    if (url === undefined || !isOwnHost(url.hostname, door.names()))
      throw new HttpError(
        403,
        "forbidden_host",
        "This machine does not go by that name. Use its IP address or its own name, or add the name to ALLOWED_HOSTS.",
      );
    if (isForeign(ctx, url))
      throw new HttpError(
        403,
        "forbidden_origin",
        "Pages of other addresses may not use the Web UI. Open it at its own address.",
      );
    const method = ctx.method === "HEAD" ? "GET" : ctx.method;
    if (
      !door.isOpen() &&
      !isPublic(method, ctx.path) &&
      sessionOf(ctx, door.sessions) === undefined
    )
      throw new HttpError(401, "unauthorized", "Sign in first, with the admin token or the code.");
    await next();
  };
}

/** A request that a page of another origin makes; one of the same host counts, too. */
function isForeign(ctx: Context, { origin: ours }: URL): boolean {
  const { origin, "sec-fetch-site": site } = ctx.req.headers;
  if (origin !== undefined) return !URL.canParse(origin) || new URL(origin).origin !== ours;
  // Pictures and links have no origin. Following a link to the page itself is fine.
  return ctx.path.startsWith("/api/") && (site === "cross-site" || site === "same-site");
}
