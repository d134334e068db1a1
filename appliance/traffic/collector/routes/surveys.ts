import type { Context, Middleware } from "koa";
import type { CrossField } from "../../../store/reports.ts";
import {
  CROSS_FIELDS,
  type Numbers,
  openCursor,
  type SiteRecord,
  type SurveyFilter,
} from "../../../store/store.ts";
import type { Access } from "../access.ts";
import { queryValue } from "../counting/payload.ts";
import { isSurveyVersion } from "../counting/survey.ts";
import { invalid, surveyRange } from "./question.ts";
import { readingOf, sendAnswer } from "./reading.ts";

/** `GET /surveys`: how a survey was answered. */
export function surveysRoute(access: Access, numbers: Numbers): Middleware {
  return async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    const site = access.site(ctx);
    const filter = filterOf(ctx, site);
    const cross = queryValue(ctx.query, "cross") ?? "os";
    if (!CROSS_FIELDS.includes(cross as CrossField))
      throw invalid(`\`cross\` must be one of ${CROSS_FIELDS.join(", ")}.`);
    const query = { id: site.id, filter, cross: cross as CrossField };
    const { accepts, asker } = readingOf(ctx);
    sendAnswer(ctx, await numbers.read("surveySummary", { query, accepts }, asker));
  };
}

/** `GET /surveys/versions`: the versions with responses, and the owner's labels. */
export function surveyVersionsRoute(access: Access, numbers: Numbers): Middleware {
  return async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    const { key, id } = access.site(ctx);
    const query = { site: key, id };
    const { accepts, asker } = readingOf(ctx);
    sendAnswer(ctx, await numbers.read("surveyVersions", { query, accepts }, asker));
  };
}

/** `GET /surveys/export`: the responses themselves, a page at a time. */
export function surveysExportRoute(access: Access, numbers: Numbers): Middleware {
  return async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    const secret = numbers.cursorSecret;
    const site = access.site(ctx);
    const filter = filterOf(ctx, site);
    const cursor = queryValue(ctx.query, "cursor");
    const after = cursor === undefined ? null : openCursor(secret, filter, cursor);
    if (after === undefined)
      throw invalid(
        "This cursor is not of this export. Pass the one the page before returned, with the same site, version and dates.",
      );
    const query = { id: site.id, filter, after, secret };
    const { accepts, asker } = readingOf(ctx);
    sendAnswer(ctx, await numbers.read("surveyPage", { query, accepts }, asker));
  };
}

function filterOf(ctx: Context, site: SiteRecord): SurveyFilter {
  const sv = queryValue(ctx.query, "sv") ?? "1";
  const version = /^\d+$/.test(sv) ? Number(sv) : Number.NaN;
  if (!isSurveyVersion(version))
    throw invalid("`sv` must be the survey's version, a positive whole number.");
  return { site: site.key, version, ...surveyRange(ctx.query) };
}
