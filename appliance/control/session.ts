import type { Clock } from "../clock.ts";
import { addressKey, type Client } from "../http/client.ts";
import { HttpError, rateLimited } from "../http/errors.ts";
import type { TokenBuckets } from "../http/token-buckets.ts";
import { makeReadToken } from "../store/read-tokens.ts";
import type { Store } from "../store/store.ts";
import { COOKIE, sessionOf } from "./guard.ts";
import { jsonBody, shape } from "./input.ts";
import type { ControlContext, Handler } from "./route.ts";
import { SESSION_DAYS, type Sessions } from "./sessions.ts";
import type { SetupCode } from "./setup-code.ts";
import { type Declared, declared } from "./sites.ts";

/** Who holds the admin token. */
export interface Admin {
  readonly exists: boolean;
  matches(token: string): boolean;
}

export interface SessionParts {
  store: Store;
  sessions: Sessions;
  code: SetupCode;
  admin: Admin;
  declared: Declared;
  client: Client;
  clock: Clock;
  /** Wrong admin tokens by address. */
  wrongTokens: TokenBuckets;
}

/** So many wrong admin tokens a minute are taken from an address. */
export const WRONG_TOKENS = { burst: 10, perSecond: 10 / 60 };

const readCredentials = shape<{ token?: string; code?: string }>({
  description: 'must be {"token": "…"} or {"code": "…"}',
  properties: {
    token: { type: "string", description: "must be a string" },
    code: { type: "string", description: "must be a string of six digits" },
  },
  minProperties: 1,
  maxProperties: 1,
});

/** `POST /api/session` `{token}` or `{code}` → 204 and a cookie */
export const signIn: Handler<SessionParts> = async (ctx, parts) => {
  const { token, code } = readCredentials(await jsonBody(ctx));
  if (token !== undefined) checkToken(ctx, token, parts);
  else checkCode(code ?? "", parts);
  setCookie(ctx, parts, await parts.sessions.begin(), SESSION_DAYS * 86_400);
  ctx.status = 204;
};

/** `DELETE /api/session`: signs out. */
export const signOut: Handler<SessionParts> = async (ctx, parts) => {
  const session = sessionOf(ctx, parts.sessions);
  if (session !== undefined) await parts.sessions.end(session);
  setCookie(ctx, parts, "", 0);
  ctx.status = 204;
};

/** `POST /api/admin-token` → `{token}`, this once: 201 for the first, 200 for a new one. */
export const makeAdminToken: Handler<SessionParts> = async (ctx, parts) => {
  const { store, sessions, admin } = parts;
  if (parts.declared.adminToken) throw declared("STATS_TOKEN");
  const isFirst = !admin.exists;
  const { token, hash } = makeReadToken();
  await store.write("setAdminToken", hash);
  // Who came in by the old token does not stay.
  if (!isFirst) await sessions.endOthers(sessionOf(ctx, sessions));
  ctx.status = isFirst ? 201 : 200;
  ctx.body = { token };
};

function checkToken(
  ctx: ControlContext,
  token: string,
  { admin, client, wrongTokens }: SessionParts,
): void {
  const address = addressKey(client.address(ctx.req));
  const wait = wrongTokens.wait(address);
  if (wait > 0)
    throw rateLimited(wait, "Too many wrong tokens came from this address. Wait a moment.");
  if (admin.matches(token)) return;
  wrongTokens.take(address);
  throw unauthorized("This is not the admin token. Lost it? Sign in with the setup code.");
}

function checkCode(typed: string, { code }: SessionParts): void {
  const outcome = code.use(typed);
  if (outcome.kind === "refused")
    throw rateLimited(outcome.seconds, "Too many wrong codes were tried on this box.");
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
  { client }: SessionParts,
  value: string,
  seconds: number,
): void {
  const secure = client.url(ctx.req)?.protocol === "https:" ? "; Secure" : "";
  ctx.append(
    "Set-Cookie",
    `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
  );
}
