import type { Context } from "koa";
import { jsonBody } from "../base/http/body.ts";
import {
  type Fields,
  type Having,
  type NoFields,
  nullable,
  objectOf,
  type SchemaOf,
  TEXT,
} from "../base/input/schema.ts";
import { shape } from "../base/input/shape.ts";
import { SITE_ID_RULE } from "../base/names.ts";
import { invalidField } from "../base/refusal.ts";

/**
 * Makes a reader for the bodies of one shape.
 * @throws {HttpError | Refusal} as `jsonBody` and `shape`
 */
export function bodyShape<T>(schema: SchemaOf<T> | object): (ctx: Context) => Promise<T> {
  const read = shape<T>(schema);
  return async (ctx) => read(await jsonBody(ctx));
}

/** The same for a body with all of these fields, and perhaps some. */
export function bodyWith<All extends Fields, Some extends Fields = NoFields>(
  all: All,
  some?: Some,
): (ctx: Context) => Promise<Having<All, Some>> {
  return bodyShape(objectOf(all, some));
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

const SITE_ID_TEXT = { ...TEXT, description: `must be ${SITE_ID_RULE}` };
/** Accepts any case: `siteIdOf` gives the kept form. */
export const NEW_SITE_ID = { ...SITE_ID_TEXT, format: "new-site-id" };
/** The id of a site that may exist. */
export const SITE_ID = { ...SITE_ID_TEXT, format: "site-id" };
/** A host name or address with an optional port, or none. */
export const SITE_HOST = {
  ...nullable(TEXT),
  format: "host",
  description: "must be a host name like stats.example.org, perhaps with a port, or null",
};

/** Does work with the body of a request. The rest of a body that was refused is read, and thrown away. */
export async function takingBody<T>({ req }: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Many clients read no answer before all is sent.
    req.resume();
    throw error;
  }
}
