import type { Clock } from "../../base/clock.ts";
import { jsonBody } from "../../base/http/body.ts";
import type { Client } from "../../base/http/client.ts";
import { HttpError, rateLimited } from "../../base/http/errors.ts";
import { allTogether, type RateLimit } from "../../base/http/rate-limit.ts";
import { makeReadToken } from "../../base/system/secrets.ts";
import type { SetupCode } from "../../box/setup-code.ts";
import type { Store } from "../../store/store.ts";
import { COOKIE, sessionOf, sessionsOf } from "../guard.ts";
import { shape } from "../input.ts";
import type { ControlContext, Handler } from "../route.ts";
import { SESSION_DAYS, type SessionId, type Sessions } from "../sessions.ts";
import type { AdminTokenAnswer, DashboardCode, NewReadToken } from "../wire.ts";
import { type Declared, declared } from "./sites/sites.ts";

/** The admin token, to check against. */
export interface Admin {
  readonly exists: boolean;
  matches(token: string): boolean;
}

/** The parts that signing in takes. */
export interface SignInParts {
  sessions: Sessions;
  code: SetupCode;
  admin: Admin;
  client: Client;
  /** Wrong admin tokens by address. */
  wrongTokens: RateLimit;
}

export interface SessionParts extends SignInParts {
  store: Pick<Store, "write">;
  declared: Declared;
  clock: Clock;
}

/**
 * The most wrong admin tokens a minute from an address, and in all. IPv6 counts by address here, since a home network is
 * one /64.
 */
export const WRONG_TOKENS = [
  { burst: 10, perSecond: 10 / 60, keyOf: (address: string) => address },
  allTogether({ burst: 500, perSecond: 500 / 60 }),
];

const readCredentials = shape<{ token?: string; code?: string }>({
  description: 'must be {"token": "…"} or {"code": "…"}',
  properties: {
    token: { type: "string", description: "must be a string" },
    code: { type: "string", pattern: "^[0-9]{6}$", description: "must be a string of six digits" },
  },
  minProperties: 1,
  maxProperties: 1,
});

/** `POST /api/session` `{token}` or `{code}` → 204 and a cookie */
export const signIn: Handler<SignInParts> = async (ctx, parts) => {
  const { token, code } = readCredentials(await jsonBody(ctx));
  if (token !== undefined) checkToken(ctx, token, parts);
  else checkCode(ctx, code ?? "", parts);
  setCookie(ctx, parts, await parts.sessions.begin(), SESSION_DAYS * 86_400);
  ctx.status = 204;
};

/** `DELETE /api/session`: signs out. */
export const signOut: Handler<SessionParts> = async (ctx, parts) => {
  for (const session of sessionsOf(ctx, parts.sessions)) await parts.sessions.end(session);
  setCookie(ctx, parts, "", 0);
  ctx.status = 204;
};

/** `GET /api/admin-token` → `{exists}`: whether making one takes the place of another. */
export const findAdminToken: Handler<SessionParts, AdminTokenAnswer> = (ctx, { admin }) => {
  ctx.set("Cache-Control", "no-store");
  ctx.body = { exists: admin.exists };
};

/** `POST /api/admin-token` → `{token}`, shown only here: 201 for the first one, 200 for a new one. */
export const makeAdminToken: Handler<SessionParts, NewReadToken> = async (ctx, parts) => {
  const { store, sessions, admin } = parts;
  if (parts.declared.adminToken) throw declared("STATS_TOKEN");
  const isFirst = !admin.exists;
  const { token, hash } = makeReadToken();
  const kept = sessionOf(ctx, sessions);
  await store.write("setAdminToken", { hash, kept: kept ?? null });
  // Sessions of the old token end.
  if (!isFirst) await sessions.endOthers(kept);
  ctx.status = isFirst ? 201 : 200;
  ctx.body = { token };
};

function checkToken(
  ctx: ControlContext,
  token: string,
  { admin, client, wrongTokens }: SignInParts,
): void {
  if (admin.matches(token)) return;
  const wait = wrongTokens.take(client.address(ctx.req));
  if (wait > 0)
    throw rateLimited(wait, "Too many wrong tokens came from this address. Wait a moment.");
  throw unauthorized("This is not the admin token. Lost it? Sign in with the setup code.");
}

function checkCode(ctx: ControlContext, typed: string, { client, code }: SignInParts): void {
  const outcome = code.use(typed, client.address(ctx.req));
  if (outcome.kind === "refused")
    throw rateLimited(outcome.seconds, "Too many wrong codes were tried.");
  if (outcome.kind === "wrong")
    throw unauthorized(
      "This is not the code. It stands on the deck; where there is an admin token, only for ten minutes after a key was held for five seconds.",
    );
}

function unauthorized(message: string): HttpError {
  return new HttpError(401, "unauthorized", message);
}

function setCookie(
  ctx: ControlContext,
  { client }: SignInParts,
  value: string,
  seconds: number,
): void {
  const secure = client.url(ctx.req)?.protocol === "https:" ? "; Secure" : "";
  const set = (text: string, path: string, age: number) =>
    ctx.append(
      "Set-Cookie",
      `${COOKIE}=${text}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`,
    );
  // Cookies ignore ports. With the path /api, the collector on this host does not get this one.
  set(value, "/api", seconds);
  // Earlier versions set it at this path.
  set("", "/", 0);
}

export interface DashboardParts {
  sessions: Sessions;
  /** Creates a code for one use of the dashboard, which ends with the session, if there is one. */
  makeCode: (session: SessionId | undefined) => string;
}

/** `POST /api/dashboard-code` → 201 `{code}`, for one use within a minute at the collector. */
export const makeDashboardCode: Handler<DashboardParts, DashboardCode> = (
  ctx,
  { sessions, makeCode },
) => {
  ctx.set("Cache-Control", "no-store");
  ctx.status = 201;
  ctx.body = { code: makeCode(sessionOf(ctx, sessions)) };
};
