import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Context, Middleware } from "koa";
import { sendJson } from "../http/json.ts";
import type { Store } from "../store/store.ts";
import {
  CROSS_FIELDS,
  type CrossField,
  type SurveyFilter,
  type SurveyPosition,
} from "../store/survey-report.ts";
import type { Access } from "./access.ts";
import { queryValue } from "./payload.ts";
import { invalid, surveyRange } from "./range.ts";
import type { Site } from "./sites.ts";
import { isSurveyVersion } from "./survey.ts";

const PAGE_ROWS = 100;
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `GET /surveys`: how a survey was answered. */
export function surveysRoute(access: Access, store: Store): Middleware {
  return async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    const site = access.site(ctx);
    const filter = filterOf(ctx, site);
    const cross = queryValue(ctx.query, "cross") ?? "os";
    if (!CROSS_FIELDS.includes(cross as CrossField))
      throw invalid(`\`cross\` must be one of ${CROSS_FIELDS.join(", ")}.`);
    await sendJson(
      ctx,
      await store.read("surveySummary", { ...filter, id: site.id, cross: cross as CrossField }),
    );
  };
}

/** `GET /surveys/export`: the responses themselves, a page at a time. `secret`: 32 bytes. */
export function surveysExportRoute(access: Access, store: Store, secret: Uint8Array): Middleware {
  return async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    const site = access.site(ctx);
    const filter = filterOf(ctx, site);
    const cursor = queryValue(ctx.query, "cursor");
    const after = cursor === undefined ? null : openCursor(secret, filter, cursor);
    const { responses, next } = await store.read("surveyPage", {
      ...filter,
      after,
      limit: PAGE_ROWS,
    });
    await sendJson(
      ctx,
      JSON.stringify({
        site: site.id,
        sv: filter.version,
        responses,
        cursor: next && sealCursor(secret, filter, next),
      }),
    );
  };
}

function filterOf(ctx: Context, site: Site): SurveyFilter {
  const sv = queryValue(ctx.query, "sv") ?? "1";
  const version = /^\d+$/.test(sv) ? Number(sv) : Number.NaN;
  if (!isSurveyVersion(version))
    throw invalid("`sv` must be the survey's version, a positive whole number.");
  return { site: site.key, version, ...surveyRange(ctx.query) };
}

/**
 * A cursor holds a row's number, which nobody is to see, and is only good for the filter it was
 * made with: authenticated encryption gives both.
 */
function sealCursor(secret: Uint8Array, filter: SurveyFilter, position: SurveyPosition): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, secret, iv).setAAD(boundTo(filter));
  const sealed = [cipher.update(JSON.stringify([position.day, position.row])), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url");
}

function openCursor(secret: Uint8Array, filter: SurveyFilter, cursor: string): SurveyPosition {
  try {
    const bytes = Buffer.from(cursor, "base64url");
    // Decoding ignores what is no base64: only what we wrote is ours.
    if (bytes.toString("base64url") !== cursor) throw new RangeError("not as it was sealed");
    const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(filter))
      .setAuthTag(tag);
    const sealed = bytes.subarray(IV_BYTES + TAG_BYTES);
    const text = Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
    const [day, row] = JSON.parse(text) as [number, number];
    return { day, row };
  } catch {
    throw invalid(
      "This cursor is not of this export. Pass the one the page before returned, with the same site, version and dates.",
    );
  }
}

function boundTo({ site, version, from, to }: SurveyFilter): Buffer {
  return Buffer.from(JSON.stringify([site, version, from, to]));
}
