import type { ParsedUrlQuery } from "node:querystring";

const MAX_CHARACTERS = 128;
// Printable ASCII, as nearly every value is.
const CLEAN = /^[\x20-\x7e]{0,128}$/;
const CONTROL = /\p{Cc}/gu;

/**
 * The first value of a query key, which may be repeated; undefined when it is not there or empty,
 * as forms and clients leave what is not set.
 */
export function queryValue(query: ParsedUrlQuery, key: string): string | undefined {
  const value = query[key];
  return (Array.isArray(value) ? value[0] : value) || undefined;
}

/** Decodes `base64(encodeURIComponent(JSON))`; anything that is not one JSON object gives `{}`. */
export function decodePayload(v: string | undefined): Readonly<Record<string, unknown>> {
  if (v === undefined) return {};
  try {
    // Senders that do not escape `+` have it read as a space.
    const escaped = Buffer.from(v.replaceAll(" ", "+"), "base64").toString("latin1");
    const payload: unknown = JSON.parse(decodeURIComponent(escaped));
    return typeof payload === "object" && payload !== null ? { ...payload } : {};
  } catch {
    return {};
  }
}

/** A value as it may be stored: 128 characters at most, well-formed, without control characters. */
export function storable(value: unknown): string {
  if (typeof value !== "string") return "";
  if (CLEAN.test(value)) return value;
  // Cut before the rest: what is past twice the length cannot matter, and senders may be generous.
  const text = value
    .replace(CONTROL, "")
    .slice(0, 2 * MAX_CHARACTERS)
    .toWellFormed();
  return Array.from(text).slice(0, MAX_CHARACTERS).join("");
}
