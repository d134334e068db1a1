import type { Context } from "koa";
import { isHost, isSiteId, looksLikeSiteId, SITE_ID_RULE, siteIdOf } from "../base/names.ts";
import { invalidField, type Refusal } from "../base/refusal.ts";
import { type Misfit, schemas } from "../base/schema.ts";
import { readJson } from "../http/body.ts";
import { HttpError } from "../http/errors.ts";

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
 * The body as JSON, whatever its shape.
 * @throws {HttpError} 415, 413, 400 `invalid_json`
 */
export function jsonBody(ctx: Context, limit = FORM_BYTES): Promise<unknown> {
  expectJson(ctx);
  return readJson(ctx.req, limit);
}

const misfitOf = schemas({
  verbose: true,
  discriminator: true,
  formats: {
    "new-site-id": (text: string) => isSiteId(siteIdOf(text)),
    "site-id": (text: string) => looksLikeSiteId(siteIdOf(text)),
    host: isHost,
  },
});

/**
 * Reads values of one shape. Each part of `schema` says in its `description` what it takes, to end
 * the sentence "field …"; objects of it take no other fields.
 * @throws {Refusal} `invalid_field` naming the field
 */
export function shape<T>(schema: object): (input: unknown) => T {
  const misfit = misfitOf({ additionalProperties: false, type: "object", ...schema });
  return (input) => {
    const found = misfit(input);
    if (found !== undefined) throw explain(found);
    return input as T;
  };
}

function explain(error: Misfit): Refusal {
  const path = error.instancePath.replaceAll("/", ".").slice(1);
  const within = (field: string) => (path === "" ? field : `${path}.${field}`);
  switch (error.keyword) {
    case "required":
      return invalidField(within(error.params.missingProperty), "is missing.");
    case "additionalProperties":
      return invalidField(within(error.params.additionalProperty), "is no field that is known.");
    default:
      return invalidField(
        // Where a name is what does not fit, it is in an object that is fine.
        error.propertyName === undefined ? path || "body" : within(error.propertyName),
        `${error.parentSchema?.description ?? "must be a JSON object"}.`,
      );
  }
}

export const TRUTH = { type: "boolean", description: "must be true or false" };
const SITE_ID_TEXT = { type: "string", description: `must be ${SITE_ID_RULE}` };
/** In any case: `siteIdOf` gives the form that is kept. */
export const NEW_SITE_ID = { ...SITE_ID_TEXT, format: "new-site-id" };
/** That of a site which may be there. */
export const SITE_ID = { ...SITE_ID_TEXT, format: "site-id" };
/** A host name or address with an optional port, or none. */
export const SITE_HOST = {
  type: ["string", "null"],
  format: "host",
  description: "must be a host name like stats.example.org, perhaps with a port, or null",
};
