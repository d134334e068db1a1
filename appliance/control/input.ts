import type { Context } from "koa";
import { SITE_ID_RULE } from "../base/names.ts";
import { invalidField } from "../base/refusal.ts";
import { readBytes, readJson } from "../http/body.ts";
import { HttpError } from "../http/errors.ts";

export { shape } from "../base/input/shape.ts";

/** Bytes of a body that is filled in by hand. */
const FORM_BYTES = 65_536;

/** @throws {HttpError} 415 unless the body is declared as JSON; parameters and case do not matter. */
export function expectJson(ctx: Context): void {
  const [type = ""] = ctx.get("Content-Type").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new HttpError(
      415,
      "unsupported_media_type",
      "Send the body as JSON, with the header `Content-Type: application/json`.",
    );
}

/**
 * The body as JSON of any shape.
 * @throws {HttpError} 415, 413, 400 `invalid_json`
 */
export function jsonBody(ctx: Context, limit = FORM_BYTES): Promise<unknown> {
  expectJson(ctx);
  return readJson(ctx.req, limit);
}

/**
 * The bytes of a body with the type of JSON, for parsing elsewhere.
 * @throws {HttpError} 415, 413, 400 `invalid_json` where it ends early
 */
export function jsonBytes(ctx: Context, limit: number): Promise<Buffer> {
  expectJson(ctx);
  return readBytes(ctx.req, limit);
}

/**
 * The body as JSON, which may be missing.
 * @throws {HttpError} 415, 413, 400 `invalid_json`
 */
export async function optionalJson(ctx: Context, otherwise: object): Promise<unknown> {
  const isThere = ctx.get("Transfer-Encoding") !== "" || Number(ctx.get("Content-Length")) > 0;
  return isThere ? jsonBody(ctx) : otherwise;
}

/**
 * The place of a page as an address names it.
 * @throws {Refusal} `invalid_field`
 */
export function pagePlace(text: string | string[] | undefined): number {
  if (typeof text !== "string" || !/^\d{1,2}$/.test(text))
    throw invalidField("page", "must be the place of a page, counted from 0.");
  return Number(text);
}

export const TRUTH = { type: "boolean", description: "must be true or false" };
const SITE_ID_TEXT = { type: "string", description: `must be ${SITE_ID_RULE}` };
/** Accepts any case: `siteIdOf` gives the kept form. */
export const NEW_SITE_ID = { ...SITE_ID_TEXT, format: "new-site-id" };
/** The id of a site that may exist. */
export const SITE_ID = { ...SITE_ID_TEXT, format: "site-id" };
/** A host name or address with an optional port, or none. */
export const SITE_HOST = {
  type: ["string", "null"],
  format: "host",
  description: "must be a host name like stats.example.org, perhaps with a port, or null",
};
