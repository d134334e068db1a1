import type { Context } from "koa";
import type { Clock } from "../../base/clock.ts";
import { addressKey, bearerToken, type Client } from "../../base/http/client.ts";
import { HttpError, rateLimited } from "../../base/http/errors.ts";
import { allTogether, RateLimit } from "../../base/http/rate-limit.ts";
import { conditionsOf } from "../../base/input/conditions.ts";
import type { Condition } from "../../base/text/condition.ts";
import type { SiteRecord, SiteShare } from "../../store/store.ts";
import { queryValue } from "./counting/payload.ts";
import { isByStranger } from "./public-surface.ts";
import type { ReadSessions } from "./read-sessions.ts";
import { invalid } from "./routes/question.ts";
import type { ShareUses } from "./share-uses.ts";
import type { Sites } from "./sites.ts";

const WRONG_TOKEN =
  "The token is wrong, or does not belong to this site. Send the site's token, or the admin token, as `Authorization: Bearer`.";
const NAMED_AS_TAG =
  "Name the site as `site`, like ?site=blog: `s` is the name that its tag has for it. If it is named so, the token is wrong.";
const WRONG_CODE =
  "This code has been used, or is older than a minute. Open the dashboard from the Web UI again.";

/** The limits for an address and in all; a valid token passes all the same. */
const WRONG_TOKENS = [
  { burst: 60, perSecond: 1, keyOf: addressKey },
  allTogether({ burst: 6_000, perSecond: 100 }),
];

/** The traffic of a site, or the part of it that a link shares. */
interface Traffic {
  readonly site: SiteRecord;
  /** The conditions of that part; none for all of it. */
  readonly bound: readonly Condition[];
  /** Whether a link shares it, which opens no survey. */
  readonly isShared: boolean;
}

interface AccessParts {
  sites: Sites;
  readSessions: ReadSessions;
  shareUses: Pick<ShareUses, "note">;
  client: Client;
  clock: Clock;
}

/** Decides about the right to read. Refusals are the same for sites that exist and others. */
export class Access {
  readonly #parts: AccessParts;
  readonly #failures: RateLimit;

  constructor(parts: AccessParts) {
    this.#parts = parts;
    this.#failures = new RateLimit(parts.clock, WRONG_TOKENS);
  }

  /** The site whose traffic and surveys a request may read. @throws {HttpError} 401, 429 */
  site(ctx: Context): SiteRecord {
    const site = this.#siteOf(ctx);
    this.#check(ctx, (token) => this.#mayRead(ctx, site, token));
    return site as SiteRecord;
  }

  /** The traffic that a request may read, also by a shared link. @throws {HttpError} 401, 429 */
  traffic(ctx: Context): Traffic {
    const site = this.#siteOf(ctx);
    let share: SiteShare | undefined;
    this.#check(ctx, (token) => {
      share = this.#parts.sites.shareOf(site, token);
      const mayRead = this.#mayRead(ctx, site, token);
      return mayRead || share !== undefined;
    });
    return this.#trafficBy(site as SiteRecord, share);
  }

  #trafficBy(site: SiteRecord, share: SiteShare | undefined): Traffic {
    if (share === undefined) return { site, bound: [], isShared: false };
    this.#parts.shareUses.note(site.key, share.id);
    return { site, bound: conditionsOf(share.where, invalid), isShared: true };
  }

  /** @throws {HttpError} 401, 429 */
  admin(ctx: Context): void {
    this.#check(ctx, (token) => this.#readsAll(ctx, token));
  }

  /** Whether the token of a request opens every site. */
  readsAll(ctx: Context): boolean {
    return this.#readsAll(ctx, tokenOf(ctx));
  }

  /** The number of sites that the valid token of a request opens. */
  reach(ctx: Context): number {
    return this.readsAll(ctx) ? this.#parts.sites.all.length : 1;
  }

  /** A token that reads every site for a while, for the code of a request. @throws {HttpError} 401, 429 */
  redeem(ctx: Context): string {
    const token = this.#parts.readSessions.redeem(tokenOf(ctx));
    this.#check(ctx, () => token !== undefined, WRONG_CODE);
    return token as string;
  }

  #siteOf(ctx: Context): SiteRecord | null {
    return this.#parts.sites.forReading(
      this.#parts.client.host(ctx.req),
      queryValue(ctx.query, "site"),
    );
  }

  /** Makes all comparisons in any case, so that the time shows nothing. */
  #mayRead(ctx: Context, site: SiteRecord | null, token: string): boolean {
    const isOwn = this.#parts.sites.isOwn(site, token);
    const readsAll = this.#readsAll(ctx, token);
    return site !== null && (isOwn || readsAll);
  }

  /** Whether a token reads all sites. From the internet none does, so that guessing there is pointless. */
  #readsAll(ctx: Context, token: string): boolean {
    const isVouchedFor = this.#parts.readSessions.opens(token);
    const isAdmin = this.#parts.sites.isAdmin(token);
    return !isByStranger(ctx) && (isAdmin || isVouchedFor);
  }

  /** Whether the token is a valid one, though it opens nothing here. */
  #knows(ctx: Context, token: string): boolean {
    return isByStranger(ctx)
      ? this.#parts.sites.knowsSite(token)
      : this.#parts.sites.knows(token) || this.#parts.readSessions.opens(token);
  }

  #check(ctx: Context, mayRead: (token: string) => boolean, refusal = WRONG_TOKEN): void {
    const token = tokenOf(ctx);
    if (mayRead(token)) return;
    // A valid token at the wrong site is no guess.
    if (token !== "" && !this.#knows(ctx, token)) {
      const wait = this.#failures.take(this.#parts.client.address(ctx.req));
      if (wait > 0)
        throw rateLimited(wait, "Too many wrong tokens came from this address. Wait a moment.");
    }
    const isOfTag = queryValue(ctx.query, "s") !== undefined && !("site" in ctx.query);
    throw new HttpError(401, "unauthorized", isOfTag ? NAMED_AS_TAG : refusal, {
      "WWW-Authenticate": "Bearer",
    });
  }
}

function tokenOf(ctx: Context): string {
  return bearerToken(ctx.req) ?? queryValue(ctx.query, "token") ?? "";
}
