import { invalidField, Refusal } from "../../base/refusal.ts";
import type { RequestAction } from "../settings/action.ts";
import type { OutgoingRequest } from "./request-sender.ts";

/** The values in a request, or in a value to send, for `{{channel}}` and the others. */
export interface TemplateValues {
  /** The channel the slot is about; empty for none. */
  channel: string;
  /** The text of that channel; empty while it waits. */
  text: string;
  /** Id of the deck. */
  deck: string;
  slot: string;
  /** The steps by which a dial was turned; 0 for a press. */
  delta: number;
}

const PLACEHOLDER = /\{\{(channel|text|deck|slot|delta)\}\}/g;
/** Names of headers are compared in lower case. */
const TYPE = "content-type";
const MAX_URL = 8_192;
const MAX_BODY = 65_536;
const MAX_HEADER = 8_192;

/** Escapes a value for its place, so that it stays one value with any content. */
type Escape = (value: string) => string;

const asItIs: Escape = (value) => value;
/** A slash, plain or encoded any number of times: servers decode before they look. */
const SLASH = /[/\\]|%(?:25)*(?:2f|5c)/i;
const DOTS = /^(?:\.|%(?:25)*2e){1,2}$/i;

/** A text with its values put in. */
export function filledText(text: string, values: TemplateValues, how: Escape = asItIs): string {
  return text.replace(PLACEHOLDER, (_, name: keyof TemplateValues) => how(String(values[name])));
}

/**
 * The request that an action means now. A value is percent-encoded in the address and in a form, escaped
 * in JSON, and kept on one line in a header; other braces stay as they are.
 * @throws {Refusal} `too_large`; `invalid_field` where a value would lead to another path
 */
export function filled(
  { method, url, headers = {}, body }: RequestAction,
  values: TemplateValues,
): OutgoingRequest {
  const put = (text: string, how: Escape) => filledText(text, values, how);
  expectSamePath(url, values);
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    asField(put(value, oneLine)),
  ]);
  const type = sent.find(([name]) => name === TYPE)?.[1] ?? (body && typeOf(body));
  const bytes = body === undefined ? undefined : Buffer.from(put(body, escapeFor(type)));
  const address = put(url, encodeURIComponent);
  const isTooLong =
    address.length > MAX_URL ||
    (bytes?.length ?? 0) > MAX_BODY ||
    sent.some(([, value]) => value.length > MAX_HEADER);
  if (isTooLong)
    throw new Refusal("too_large", "With its values filled in, the request is too long.");
  return {
    method,
    url: address,
    headers: { ...Object.fromEntries(sent), ...(type !== undefined && { [TYPE]: type }) },
    ...(bytes !== undefined && { body: bytes }),
  };
}

/** `..` would take part of the path away, and the secrets in the headers with it elsewhere. */
function expectSamePath(url: string, values: TemplateValues): void {
  const [path = ""] = url.split(/[?#]/);
  for (const segment of path.split(/[/\\]/)) {
    const filled = filledText(segment, values, encodeURIComponent);
    if (filled !== segment && filled.split(SLASH).some((part) => DOTS.test(part)))
      throw invalidField("url", "leads to another path with its values filled in.");
  }
}

function typeOf(body: string): string {
  return /^\s*(?:\{(?!\{)|["[])/.test(body) ? "application/json" : "text/plain; charset=utf-8";
}

function escapeFor(type = ""): Escape {
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type))
    return (value) => JSON.stringify(value).slice(1, -1);
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return encodeURIComponent;
  return asItIs;
}

function oneLine(value: string): string {
  return value.replaceAll(/\p{Cc}+/gu, " ");
}

/** The bytes of its UTF-8, as `node:http` wants them. */
function asField(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}
