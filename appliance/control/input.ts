import { SITE_ID_RULE } from "../base/names.ts";
import { invalidField } from "../base/refusal.ts";

export { shape } from "../base/input/shape.ts";

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
