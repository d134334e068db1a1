import type { Middleware } from "koa";
import type { Clock } from "../../base/clock.ts";
import type { Decks } from "../../deck/decks.ts";
import { bearerToken } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import type { Client } from "../../http/client.ts";
import { HttpError, rateLimited } from "../../http/errors.ts";
import { allTogether, RateLimit } from "../../http/rate-limit.ts";
import { type Channels, channelName } from "../../push/channels.ts";
import { PUSH_BYTES, readPush } from "../../push/push-body.ts";
import type { PushTokens } from "../../push/tokens.ts";
import { expectJson } from "../input.ts";
import type { Answering } from "../route.ts";
import type { PushAnswer } from "../wire.ts";

export interface PushParts {
  channels: Channels;
  tokens: PushTokens;
  decks: Pick<Decks, "bound">;
  client: Client;
  clock: Clock;
}

const METHODS = "POST, DELETE";
const PUSHES = [
  { burst: 20, perSecond: 10, keyOf: (id: string) => id },
  allTogether({ burst: 50, perSecond: 25 }),
];
/** From an address, an IPv6 address being one: a home network is one /64. */
const FAILURES = [
  { burst: 10, perSecond: 10 / 60, keyOf: (address: string) => address },
  allTogether({ burst: 500, perSecond: 500 / 60 }),
];

/**
 * `/api/push/…`, for senders with a push token and nothing else. The order of the checks is part of
 * the interface: a sender sees the first that fails.
 */
export function pushRoute(parts: PushParts): Middleware {
  const { channels, client, clock } = parts;
  const gate = new Gate(parts.tokens, clock);
  return async (ctx, next) => {
    const segments = ctx.path.split("/").filter((segment) => segment !== "");
    const [api, push, name, ...rest] = segments;
    if (api !== "api" || push !== "push") return next();
    if (name === undefined || rest.length > 0)
      throw new HttpError(404, "not_found", "Push to /api/push/<channel>.");
    const channel = channelName(decoded(name));
    if (ctx.method !== "POST" && ctx.method !== "DELETE")
      throw new HttpError(405, "method_not_allowed", `${ctx.path} answers ${METHODS} only.`, {
        Allow: METHODS,
      });
    if (ctx.req.headers.origin !== undefined)
      throw new HttpError(
        403,
        "forbidden_origin",
        "Web pages may not push: send without an Origin header.",
      );
    gate.enter(client.address(ctx.req), bearerToken(ctx.req));
    if (ctx.method === "DELETE") {
      channels.clear(channel);
      ctx.status = 204;
      return;
    }
    await setChannel(ctx, channel, parts);
  };
}

/**
 * Gives a channel the value in the body and answers what came of it.
 * @throws {HttpError} 415, 413, 400
 * @throws {Refusal} `invalid_field`, `channel_limit`
 */
export async function setChannel(
  ctx: Answering<PushAnswer>,
  channel: string,
  { channels, decks }: Pick<PushParts, "channels" | "decks">,
): Promise<void> {
  expectJson(ctx);
  const push = readPush(await readJson(ctx.req, PUSH_BYTES));
  const { value, replaced, truncated } = channels.set(channel, push);
  ctx.body = {
    ok: true,
    channel: value.channel,
    expiresAt: value.expiresAt,
    bound: decks.bound(value.channel),
    replaced,
    truncated,
  };
}

/** Percent-encoding that is broken leaves a name that no channel has. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Lets requests with a good token through, at the rates allowed. */
class Gate {
  readonly #tokens: PushTokens;
  readonly #failures: RateLimit;
  readonly #pushes: RateLimit;

  constructor(tokens: PushTokens, clock: Clock) {
    this.#tokens = tokens;
    this.#failures = new RateLimit(clock, FAILURES);
    this.#pushes = new RateLimit(clock, PUSHES);
  }

  /** @throws {HttpError} 429, 401, 403 */
  enter(address: string, plaintext: string | undefined): void {
    const tooMany = (seconds: number) =>
      rateLimited(seconds, "Too many wrong tokens came from this address. Wait a moment.");
    // What others did shuts nobody out.
    const banned = this.#failures.ownWait(address);
    if (banned > 0) throw tooMany(banned);
    const token = plaintext === undefined ? undefined : this.#tokens.authenticate(plaintext);
    if (token === undefined) {
      const wait = this.#failures.take(address);
      if (wait > 0) throw tooMany(wait);
      throw new HttpError(
        401,
        "unauthorized",
        "Send a push token as `Authorization: Bearer <token>`. Make one in the push settings of the Web UI.",
        { "WWW-Authenticate": "Bearer" },
      );
    }
    if (!token.scopes.includes("push"))
      throw new HttpError(403, "insufficient_scope", "This push token is paused. Resume it first.");
    const wait = this.#pushes.take(token.id);
    if (wait > 0) throw rateLimited(wait, "Too many pushes at once. Slow down.");
  }
}
