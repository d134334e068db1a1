import type { Context, Middleware } from "koa";
import { readJson } from "../../../base/http/body.ts";
import { addressKey, type Client, networkKey } from "../../../base/http/client.ts";
import { rateLimited } from "../../../base/http/errors.ts";
import { allTogether, RateLimit } from "../../../base/http/rate-limit.ts";
import { type Numbers, nobodyCalled, type SiteRecord } from "../../../store/store.ts";
import { validateSurvey } from "../counting/survey.ts";
import type { HitCounter } from "../hit-counter.ts";
import type { Sites } from "../sites.ts";
import { givenSite } from "./hits.ts";

interface SurveyParts {
  numbers: Numbers;
  sites: Sites;
  client: Client;
  tally: HitCounter;
}

const SURVEY_BYTES = 2_048;
/** The limits for an address, for an IPv6 /48, and in all, which also bounds the remembered addresses. */
const SURVEYS_PER_HOUR = [
  { burst: 3, perSecond: 3 / 3_600, keyOf: addressKey },
  { burst: 48, perSecond: 48 / 3_600, keyOf: networkKey },
  allTogether({ burst: 6_000, perSecond: 6_000 / 3_600 }),
];

/** `POST /s`: stores one response to a survey. Answers 204 once it is stored. */
export function surveyRoute({ numbers, sites, client, tally }: SurveyParts): Middleware {
  const limit = new RateLimit(numbers.clock, SURVEYS_PER_HOUR);
  const take = async (ctx: Context): Promise<SiteRecord | null> => {
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
    const site = siteOf(ctx, sites, client);
    const key = site?.key ?? nobodyCalled(nameOf(ctx, client), numbers.cursorSecret);
    await numbers.addSurvey(key, payload.sv, JSON.stringify(payload));
    return site;
  };
  return async (ctx) => {
    ctx.set({
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": "Retry-After",
    });
    try {
      tally.count("survey", (await take(ctx)) === null ? "unknown_site" : "counted");
    } catch (error) {
      tally.count("survey", "refused");
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

function siteOf(ctx: Context, sites: Sites, client: Client): SiteRecord | null {
  return sites.forCollection(client.host(ctx.req), givenSite(ctx.query));
}

/** The name that a request gives its site, where there is none of that name. */
function nameOf(ctx: Context, client: Client): string {
  return (givenSite(ctx.query) ?? client.host(ctx.req)).toLowerCase();
}
