import type { ParsedUrlQuery } from "node:querystring";
import { isObject } from "../../../base/input/json.ts";

/**
 * The first value of a query key, which may be repeated; undefined where it is missing, or empty, as forms send fields
 * without a value.
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
    const base64 = v.includes(" ") ? v.replaceAll(" ", "+") : v;
    const payload: unknown = JSON.parse(asciiOf(base64) ?? textOf(base64));
    return isObject(payload) ? payload : {};
  } catch {
    return {};
  }
}

/** @throws {URIError} when the escapes are no UTF-8 */
function textOf(base64: string): string {
  return decodeURIComponent(Buffer.from(base64, "base64").toString("latin1"));
}

const PERCENT = 0x25;
const scratch = Buffer.alloc(3_072);

/** The text that `textOf` gives, in one pass; undefined where that is not plain ASCII, or long. */
function asciiOf(base64: string): string | undefined {
  if (base64.length > scratch.length) return undefined;
  const length = scratch.write(base64, "base64");
  let end = 0;
  for (let at = 0; at < length; at++) {
    let byte = scratch[at] as number;
    if (byte === PERCENT) {
      byte = 16 * hexDigit(at + 1) + hexDigit(at + 2);
      at += 2;
    }
    // This includes invalid escapes and those cut off by the end.
    if (byte >= 0x80 || at >= length) return undefined;
    scratch[end++] = byte;
  }
  return scratch.toString("latin1", 0, end);
}

function hexDigit(at: number): number {
  return HEX_DIGITS[scratch[at] as number] ?? NO_DIGIT;
}

/** A value above those of all digits, which no ASCII results from. */
const NO_DIGIT = 0xff;
/** The value of a hexadecimal digit by character code. */
const HEX_DIGITS = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = String.fromCharCode(code);
  return /[\da-f]/i.test(digit) ? Number.parseInt(digit, 16) : NO_DIGIT;
});
