import type { Context } from "koa";
import type { Clock } from "../base/clock.ts";
import { bearerToken } from "../http/bearer.ts";
import { addressKey, type Client } from "../http/client.ts";
import { HttpError, rateLimited } from "../http/errors.ts";
import { allTogether, RateLimit } from "../http/rate-limit.ts";
import { queryValue } from "./counting/payload.ts";
import type { Site, Sites } from "./sites.ts";

/** From an address and in all, where a token that is right passes nevertheless. */
const WRONG_TOKENS = [
  { burst: 60, perSecond: 1, keyOf: addressKey },
  allTogether({ burst: 6_000, perSecond: 100 }),
];

/** Decides who may read; every refusal looks the same, whether or not the site exists. */
export class Access {
  readonly #sites: Sites;
  readonly #client: Client;
  readonly #failures: RateLimit;

  constructor(sites: Sites, client: Client, clock: Clock) {
    this.#sites = sites;
    this.#client = client;
    this.#failures = new RateLimit(clock, WRONG_TOKENS);
  }

  /** The site a request may read. @throws {HttpError} 401, 429 */
  site(ctx: Context): Site {
    const host = this.#client.host(ctx.req);
    const site = this.#sites.forReading(host, queryValue(ctx.query, "site"));
    this.#check(ctx, (token) => this.#sites.mayRead(site, token));
    return site as Site;
  }

  /** @throws {HttpError} 401, 429 */
  admin(ctx: Context): void {
    this.#check(ctx, (token) => this.#sites.isAdmin(token));
  }

  #check(ctx: Context, mayRead: (token: string) => boolean): void {
    const token = tokenOf(ctx);
    if (mayRead(token)) return;
    // Who holds a token, and is at the wrong site with it, guesses nothing.
    if (token !== "" && !this.#sites.knows(token)) {
      const wait = this.#failures.take(this.#client.address(ctx.req));
      if (wait > 0)
        throw rateLimited(wait, "Too many wrong tokens came from this address. Wait a moment.");
    }
    throw new HttpError(
      401,
      "unauthorized",
      "The token is wrong, or does not belong to this site. Send the site's token, or the admin token, as `Authorization: Bearer`.",
      { "WWW-Authenticate": "Bearer" },
    );
  }
}

function tokenOf(ctx: Context): string {
  return bearerToken(ctx.req) ?? queryValue(ctx.query, "token") ?? "";
}
