import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import type { Clock } from "../../base/clock.ts";
import { basicPassword, bearerToken, type Client } from "../../base/http/client.ts";
import { HttpError, rateLimited } from "../../base/http/errors.ts";
import { allTogether, RateLimit } from "../../base/http/rate-limit.ts";
import { channelName } from "../../deck/push/channels.ts";
import type { Scope } from "../../deck/push/push-token.ts";
import type { PushTokens } from "../../deck/push/tokens.ts";

/** The request of a sender with a valid token. */
interface Sent {
  channel: string;
  /** The parts of the path after the channel. */
  rest: readonly string[];
  query: URLSearchParams;
  token: string;
}

/** A path for programs with a push token. */
export interface SenderRoute {
  /** The parts of the path before the channel. */
  readonly path: readonly string[];
  /** The form of the path, for people. */
  readonly usage: string;
  readonly methods: readonly string[];
  readonly scope: Scope;
  /** Whether the token may be in the address, in the query or as a password, for senders that cannot set headers. */
  readonly takesTokenOfAddress?: true;
  /** Whether senders append parts of the path to an address that ends with a query. */
  readonly takesAppended?: true;
  /** The parts that may follow the channel; none unless given. */
  readonly fits?: (rest: readonly string[]) => boolean;
  readonly handle: (ctx: Context, sent: Sent) => void | Promise<void>;
}

const REQUESTS = [
  { burst: 20, perSecond: 10, keyOf: (id: string) => id },
  allTogether({ burst: 50, perSecond: 25 }),
];
/** The limits of failures for an address. Each IPv6 address counts alone, since a home network is one /64. */
const FAILURES = [
  { burst: 10, perSecond: 10 / 60, keyOf: (address: string) => address },
  allTogether({ burst: 500, perSecond: 500 / 60 }),
];

/** The advice for a token without a scope. */
const LACKING: Readonly<Record<Scope, string>> = {
  push: "This token only sends access logs. Make another one for channels in the push settings of the Web UI.",
  read: "This push token may not read channels: it only sends access logs, or is older than the reading. Make a new one for it.",
  logs: "This push token is for channels. Make one for access logs in the push settings of the Web UI.",
};

type Gate = ReturnType<typeof gateOf>;

/** Lets requests with a good token through, at the rates allowed. */
export function gateOf(tokens: PushTokens, clock: Clock) {
  const failures = new RateLimit(clock, FAILURES);
  const requests = new RateLimit(clock, REQUESTS);
  /**
   * Checks a token. A right one always passes, so that guesses from the same address block no sender.
   * @returns the id of the token
   * @throws {HttpError} 401 and 429 for a wrong token, 403, 429
   */
  return (address: string, plaintext: string | undefined, scope: Scope): string => {
    const token = plaintext === undefined ? undefined : tokens.authenticate(plaintext);
    if (token === undefined) {
      const wait = failures.take(address);
      if (wait > 0)
        throw rateLimited(wait, "Too many wrong tokens came from this address. Wait a moment.");
      throw new HttpError(
        401,
        "unauthorized",
        "Send a push token as `Authorization: Bearer <token>`. Make one in the push settings of the Web UI.",
        { "WWW-Authenticate": "Bearer" },
      );
    }
    if (!token.scopes.includes(scope))
      throw new HttpError(
        403,
        "insufficient_scope",
        token.scopes.length === 0 ? "This push token is paused. Resume it first." : LACKING[scope],
      );
    const wait = requests.take(token.id);
    if (wait > 0) throw rateLimited(wait, "Too many requests at once. Slow down.");
    return token.id;
  };
}

/** The order of the checks is part of the interface: a sender sees the first that fails. */
export function senderRoute(
  {
    path,
    usage,
    methods,
    scope,
    takesTokenOfAddress,
    takesAppended,
    fits = ({ length }) => length === 0,
    handle,
  }: SenderRoute,
  { gate, client }: { gate: Gate; client: Client },
): Middleware {
  return async (ctx, next) => {
    const segments = ctx.path.split("/").filter((segment) => segment !== "");
    if (path.some((part, at) => segments[at] !== part)) return next();
    const [name, ...ofPath] = segments.slice(path.length);
    const { appended, query } = splitQuery(ctx.querystring, takesAppended);
    const rest = [...ofPath, ...appended];
    if (name === undefined || !fits(rest)) throw new HttpError(404, "not_found", usage);
    const channel = channelName(decoded(name));
    if (!methods.includes(ctx.method)) {
      const allowed = methods.join(", ");
      throw new HttpError(405, "method_not_allowed", `${ctx.path} answers ${allowed} only.`, {
        Allow: allowed,
      });
    }
    if (isOfPage(ctx.req))
      throw new HttpError(
        403,
        "forbidden_origin",
        "Web pages may not push: send without the headers Origin, Referer and Sec-Fetch-Site.",
      );
    const ofAddress = takesTokenOfAddress
      ? (basicPassword(ctx.req) ?? query.get("token") ?? undefined)
      : undefined;
    const plaintext = bearerToken(ctx.req) ?? ofAddress;
    const token = gate(client.address(ctx.req), plaintext, scope);
    await handle(ctx, { channel, rest, query, token });
  };
}

/**
 * A query, which programs may have taken for the end of a path, and appended to: `token=…/start`, `token=…/start?rid=…`. No
 * value that we know has a slash.
 */
function splitQuery(querystring: string, takesAppended = false) {
  const [, own = "", path = "", more = ""] =
    (takesAppended &&
      /^((?:token|period|grace|rid)=[^/?]*|[^/?]*&(?:token|period|grace|rid)=[^/?&]*)((?:\/[^/?]*)+)(?:\?(.*))?$/.exec(
        querystring,
      )) ||
    [];
  const appended = path.split("/").filter((part) => part !== "");
  return { appended, query: new URLSearchParams(path === "" ? querystring : `${own}&${more}`) };
}

/**
 * Whether a web page sends this request, by headers that browsers add and pages cannot forge. The host says nothing, since
 * senders use names for this box that it does not know itself.
 */
function isOfPage({ headers }: IncomingMessage): boolean {
  const { origin, referer, "sec-fetch-site": site = "none" } = headers;
  // Browsers send `none` for a typed address. On plain HTTP they send no such header, and pictures have no Origin:
  // then the Referer names the page.
  return origin !== undefined || referer !== undefined || site !== "none";
}

/** Percent-encoding that is broken leaves a name that no channel has. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
