import { existsSync } from "node:fs";
import type { Client } from "../../base/http/client.ts";
import { HttpError, rateLimited } from "../../base/http/errors.ts";
import { allTogether, RateLimit } from "../../base/http/rate-limit.ts";
import { TEXT } from "../../base/input/schema.ts";
import { siteTokenKey } from "../../base/names.ts";
import { makeReadToken } from "../../base/system/secrets.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import { SetupCode } from "../../box/setup-code.ts";
import type { Config } from "../../config/config.ts";
import type { Store } from "../../store/store.ts";
import { documentsIn } from "../../store/store.ts";
import type { ReadSessions } from "../../traffic/collector/read-sessions.ts";
import type { Sites } from "../../traffic/collector/sites.ts";
import type { OwnerContext } from "../context.ts";
import { COOKIE, sessionOf, sessionsOf } from "../guard.ts";
import { bodyShape } from "../input.ts";
import type { ControlContext, Handler, RoutesOf } from "../route.ts";
import { SESSION_DAYS, SESSIONS, type SessionId, Sessions } from "../sessions.ts";
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

interface SessionParts extends SignInParts {
  store: Pick<Store, "write">;
  declared: Declared;
}

interface DashboardParts {
  /** Creates a code for one use of the dashboard, which ends with the session, if there is one. */
  makeCode: (session: SessionId | undefined) => string;
}

/**
 * The most wrong admin tokens a minute from an address, and in all. IPv6 counts by address here, since a home network is
 * one /64.
 */
export const WRONG_TOKENS = [
  { burst: 10, perSecond: 10 / 60, keyOf: (address: string) => address },
  allTogether({ burst: 500, perSecond: 500 / 60 }),
];

const readCredentials = bodyShape<{ token?: string; code?: string }>({
  description: 'must be {"token": "…"} or {"code": "…"}',
  properties: {
    token: TEXT,
    code: { type: "string", pattern: "^[0-9]{6}$", description: "must be a string of six digits" },
  },
  minProperties: 1,
  maxProperties: 1,
});

/** `POST /api/session` `{token}` or `{code}` → 204 and a cookie */
export const signIn: Handler<SignInParts> = async (ctx, parts) => {
  const { token, code } = await readCredentials(ctx);
  if (token !== undefined) checkToken(ctx, token, parts);
  else checkCode(ctx, code ?? "", parts);
  setCookie(ctx, parts, await parts.sessions.begin(), SESSION_DAYS * 86_400);
};

const ROUTES: RoutesOf<SessionParts & DashboardParts> = {
  "DELETE /api/session": async (ctx, parts) => {
    for (const session of sessionsOf(ctx, parts.sessions)) await parts.sessions.end(session);
    setCookie(ctx, parts, "", 0);
  },

  /** Whether making one takes the place of another. */
  "GET /api/admin-token": (ctx, { admin }): AdminTokenAnswer => {
    ctx.set("Cache-Control", "no-store");
    return { exists: admin.exists };
  },

  /** The token, shown only here: 201 for the first one, 200 for a new one. */
  "POST /api/admin-token": async (ctx, parts): Promise<NewReadToken> => {
    const { store, sessions, admin } = parts;
    if (parts.declared.adminToken) throw declared("STATS_TOKEN");
    const isFirst = !admin.exists;
    const { token, hash } = makeReadToken();
    const kept = sessionOf(ctx, sessions);
    await store.write("setAdminToken", { hash, kept: kept ?? null });
    // Sessions of the old token end.
    if (!isFirst) await sessions.endOthers(kept);
    ctx.status = isFirst ? 201 : 200;
    return { token };
  },

  /** A code for one use within a minute at the collector → 201 */
  "POST /api/dashboard-code": (ctx, { sessions, makeCode }): DashboardCode => {
    ctx.set("Cache-Control", "no-store");
    ctx.status = 201;
    return { code: makeCode(sessionOf(ctx, sessions)) };
  },
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

export async function startSessions({
  config,
  clock,
  client,
  random,
  store,
  routes,
  ends,
  sites,
  readSessions,
}: OwnerContext & { sites: Sites; readSessions: ReadSessions }): Promise<SessionParts> {
  const documents = documentsIn(store.local, SESSIONS);
  const { numbers } = store;
  const opened = await Sessions.open({ documents, numbers, clock, randomBytes: random.bytes });
  const sessions = closeWith(ends, opened);
  const needed = () => !sites.hasAdmin;
  const code = closeWith(ends, new SetupCode({ clock, randomInt: random.int, needed }));
  ends.defer(numbers.directoryChanged.on(() => code.changed.emit()));
  // Reads that a session opened end when its owner signs out.
  ends.defer(sessions.ended.on((id) => readSessions.endOf(id)));
  if (existsSync(config.showCodeFile)) code.show();
  const admin: Admin = {
    get exists() {
      return sites.hasAdmin;
    },
    matches: (token) => sites.isAdmin(token),
  };
  const wrongTokens = new RateLimit(clock, WRONG_TOKENS);
  const declared = declaredIn(config);
  const parts = { sessions, code, admin, client, wrongTokens, store, declared };
  routes.open(parts, { "POST /api/session": signIn });
  const makeCode = (session: SessionId | undefined) => readSessions.makeCode(session);
  routes.owner({ ...parts, makeCode }, ROUTES);
  return parts;
}

function declaredIn({ adminToken, badgeSites, siteTokens }: Config): Declared {
  return {
    adminToken: adminToken !== undefined,
    badge: (id) => badgeSites.includes(id),
    siteToken: (id) => siteTokens.has(siteTokenKey(id)),
  };
}
