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
    const end = decodeAscii(base64);
    if (end === undefined) return objectIn(textOf(base64));
    return readPlain(end) ?? objectIn(scratch.toString("latin1", 0, end));
  } catch {
    return {};
  }
}

/** @throws {SyntaxError} */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  const payload: unknown = JSON.parse(text);
  return isObject(payload) ? payload : {};
}

/** @throws {URIError} when the escapes are no UTF-8 */
function textOf(base64: string): string {
  return decodeURIComponent(Buffer.from(base64, "base64").toString("latin1"));
}

const PERCENT = 0x25;
const scratch = Buffer.alloc(3_072);

/**
 * Writes the text that `textOf` gives into `scratch`, in one pass.
 * @returns its length; undefined where it is not plain ASCII, or long
 */
function decodeAscii(base64: string): number | undefined {
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
  return end;
}

const [OPEN, CLOSE, QUOTE, COLON, COMMA, BACKSLASH] = Buffer.from('{}":,\\') as Iterable<number>;

/**
 * Reads the text in `scratch` where it is as our script sends it, `{"p":"/x","u":"1"}`: texts without escapes, and no
 * spaces. It takes a third of the time of `JSON.parse`, and makes no string twice.
 * @returns undefined for all else
 */
function readPlain(end: number): Record<string, string> | undefined {
  if (scratch[0] !== OPEN || scratch[end - 1] !== CLOSE) return undefined;
  const payload: Record<string, string> = {};
  if (end === 2) return payload;
  for (let at = 1; ; at++) {
    const keyEnd = endOfText(at, end);
    if (scratch[keyEnd] !== QUOTE || scratch[keyEnd + 1] !== COLON) return undefined;
    const valueAt = keyEnd + 2;
    const valueEnd = endOfText(valueAt, end);
    if (scratch[valueEnd] !== QUOTE) return undefined;
    const key = internedText(at + 1, keyEnd);
    if (key === "__proto__") return undefined;
    payload[key] = internedText(valueAt + 1, valueEnd);
    at = valueEnd + 1;
    if (at === end - 1) return payload;
    if (scratch[at] !== COMMA) return undefined;
  }
}

/** @returns the place of the quote that ends the plain text at `at`; 0, where there is none, since that has a brace */
function endOfText(at: number, end: number): number {
  if (scratch[at] !== QUOTE) return 0;
  let to = at + 1;
  for (let byte = scratch[to]; to < end; byte = scratch[++to])
    if (byte === QUOTE || byte === BACKSLASH || (byte as number) < 0x20) break;
  return to < end ? to : 0;
}

/** Texts that came last, by a hash of theirs. */
const interned: string[] = Array(2_048).fill("");
const LONGEST_INTERNED = 64;

/** The text of some bytes in `scratch`: where it came before, the same string. */
function internedText(from: number, to: number): string {
  const length = to - from;
  if (length > LONGEST_INTERNED) return scratch.toString("latin1", from, to);
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (scratch[at] as number), 0x01000193);
  const place = (hash ^ (hash >>> 15)) & (interned.length - 1);
  const known = interned[place] as string;
  if (known.length === length && isAt(known, from)) return known;
  const text = scratch.toString("latin1", from, to);
  interned[place] = text;
  return text;
}

function isAt(text: string, from: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== scratch[from + i]) return false;
  return true;
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
