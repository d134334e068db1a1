import type { Context, Middleware } from "koa";
import { DAY_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { readJson } from "../../http/body.ts";
import { addressKey, type Client, networkKey } from "../../http/client.ts";
import { HttpError, rateLimited } from "../../http/errors.ts";
import { allTogether, RateLimit } from "../../http/rate-limit.ts";
import { StorageUnavailable, SurveysFull } from "../../store/batch.ts";
import { nobodyCalled } from "../../store/sqlite/counts/nobody.ts";
import type { Store } from "../../store/store.ts";
import { countAppPing } from "../counting/app-ping.ts";
import { countBeacon } from "../counting/beacon.ts";
import { cdnCountry } from "../counting/country.ts";
import { decodePayload, queryValue } from "../counting/payload.ts";
import { validateSurvey } from "../counting/survey.ts";
import { createVisitorCache } from "../counting/visitor.ts";
import type { Site, Sites } from "../sites.ts";

export interface CollectionParts {
  store: Store;
  sites: Sites;
  client: Client;
  clock: Clock;
}

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const SURVEY_BYTES = 2_048;
/** From an address, from an IPv6 /48, and in all: no more addresses than that are remembered. */
const SURVEYS_PER_HOUR = [
  { burst: 3, perSecond: 3 / 3_600, keyOf: addressKey },
  { burst: 48, perSecond: 48 / 3_600, keyOf: networkKey },
  allTogether({ burst: 6_000, perSecond: 6_000 / 3_600 }),
];

/** `GET /e`: a page view or an event. Always the GIF. */
export function beaconRoute({ store, sites, client }: CollectionParts): Middleware {
  const visitorOf = createVisitorCache();
  return async (ctx) => {
    if (ctx.method === "GET") {
      const { headers } = ctx.req;
      const { counts, view } = countBeacon({
        payload: decodePayload(queryValue(ctx.query, "v")),
        visitor: visitorOf(headers["user-agent"] ?? ""),
        referer: headers.referer ?? "",
        country: cdnCountry(headers),
      });
      await store.count(siteOf(ctx, sites, client)?.key ?? null, counts, view);
    }
    answerGif(ctx);
  };
}

/** `GET /a`: a desktop app's daily ping. Always the GIF. */
export function appPingRoute({ store, sites, client }: CollectionParts): Middleware {
  return async (ctx) => {
    if (ctx.method === "GET") {
      const payload = decodePayload(queryValue(ctx.query, "v"));
      const counts = countAppPing(payload, cdnCountry(ctx.req.headers));
      await store.count(siteOf(ctx, sites, client)?.key ?? null, counts, false);
    }
    answerGif(ctx);
  };
}

/** `POST /s`: one response to a survey. 204 once it is stored. `secret`: 32 bytes. */
export function surveyRoute(
  { store, sites, client, clock }: CollectionParts,
  secret: Uint8Array,
): Middleware {
  const limit = new RateLimit(clock, SURVEYS_PER_HOUR);
  return async (ctx) => {
    ctx.set({
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": "Retry-After",
    });
    const address = client.address(ctx.req);
    const isOwn = limit.ownWait(address) > 0;
    const wait = limit.take(address);
    if (wait > 0)
      throw rateLimited(
        wait,
        isOwn
          ? "Three surveys an hour are taken from one address. Try again later."
          : "More surveys come in than are taken at the moment. Try again later.",
      );
    const payload = validateSurvey(await readJson(ctx.req, SURVEY_BYTES));
    const site = siteOf(ctx, sites, client)?.key ?? nobodyCalled(nameOf(ctx, client), secret);
    try {
      await store.addSurvey(site, payload.sv, JSON.stringify(payload));
    } catch (error) {
      if (error instanceof StorageUnavailable)
        throw new HttpError(503, "storage_unavailable", error.message, { "Retry-After": "60" });
      if (error instanceof SurveysFull)
        throw rateLimited((DAY_MS - (clock.now() % DAY_MS)) / 1_000, error.message);
      throw error;
    }
    ctx.status = 204;
  };
}

/** Lets apps that are web views post from any origin. */
export const surveyPreflight: Middleware = (ctx) => {
  ctx.set({
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Max-Age": "86400",
  });
  ctx.status = 204;
};

function siteOf(ctx: Context, sites: Sites, client: Client): Site | null {
  return sites.forCollection(client.host(ctx.req), givenName(ctx));
}

function givenName(ctx: Context): string | undefined {
  return queryValue(ctx.query, "s") ?? queryValue(ctx.query, "site");
}

/** What a request calls the site that it is for, where there is none. */
function nameOf(ctx: Context, client: Client): string {
  return (givenName(ctx) ?? client.host(ctx.req)).toLowerCase();
}

/** The one answer to whatever is counted, or is not. */
export function answerGif(ctx: Context): void {
  ctx.status = 200;
  ctx.set({
    "Content-Type": "image/gif",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "cross-origin",
  });
  ctx.body = GIF;
}
