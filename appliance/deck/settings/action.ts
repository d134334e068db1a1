import { FIELD_LIMITS, METHODS } from "../../base/input/deck-fields.ts";
import { originOf } from "../../base/input/origin.ts";
import { COLOR, TTL } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { fields, oneOf, variants } from "../face/variants.ts";
import { CHANNEL, type PushRules, readChannel, textSchema } from "../face/widget.ts";

/** Acknowledges the state of a channel, which is that of the slot's widget unless named. */
interface AcknowledgeAction {
  do: "acknowledge";
  channel?: string;
}

interface PageAction {
  do: "page";
  /** `next`, `previous`, or the name of a page. */
  page: string;
}

/** Gives a channel a value, as a push would. */
interface SendAction {
  do: "send";
  channel: string;
  /** The placeholders are filled in. */
  text: string;
  /** Whole seconds; 0 stays. */
  ttl?: number;
  color?: string;
  background?: string;
}

interface ClearAction {
  do: "clear";
  channel: string;
}

/** Puts the deck to sleep. */
interface SleepAction {
  do: "sleep";
}

/** Sends an HTTP request; `{{text}}` and the other placeholders of actions/template are filled in. */
export interface RequestAction {
  do: "request";
  method: (typeof METHODS)[number];
  /** Its origin is written out. */
  url: string;
  /** Headers. Their values are secrets, which only the sender of requests reads. */
  headers?: Record<string, string>;
  body?: string;
}

/** An action: the effect of a press, a hold or a turn. */
export type Action =
  | AcknowledgeAction
  | PageAction
  | SendAction
  | ClearAction
  | SleepAction
  | RequestAction;

/** A placeholder for the value of a header, which is never shown. */
const HIDDEN = "…";

/**
 * Headers that the box sets itself, and headers about the connection instead of the request.
 */
const OWN_HEADER =
  /^(?:connection|content-length|expect|host|idempotency-key|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

const HEADERS = {
  type: "object",
  maxProperties: FIELD_LIMITS.headers,
  propertyNames: {
    format: "header-name",
    description: "must be the name of a header that the box does not set itself",
  },
  additionalProperties: {
    type: "string",
    maxLength: FIELD_LIMITS.header,
    // Field values of RFC 9110; other characters are sent as UTF-8.
    pattern: "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
    description: `must be one line of at most ${FIELD_LIMITS.header} characters`,
  },
  description: `must be an object of at most ${FIELD_LIMITS.headers} headers: name → value`,
};

const SHAPES = {
  acknowledge: fields({}, { channel: CHANNEL }),
  page: fields({
    page: {
      type: "string",
      minLength: 1,
      maxLength: FIELD_LIMITS.name,
      description: "must be next, previous, or the name of a page",
    },
  }),
  send: fields(
    { channel: CHANNEL, text: textSchema(FIELD_LIMITS.text) },
    { ttl: TTL, color: COLOR, background: COLOR },
  ),
  clear: fields({ channel: CHANNEL }),
  sleep: fields(),
  request: fields(
    { method: oneOf(...METHODS), url: textSchema(FIELD_LIMITS.url, "an address") },
    { headers: HEADERS, body: textSchema(FIELD_LIMITS.body) },
  ),
};

const readVariant = variants<Action, "do">("do", "action", SHAPES, {
  "header-name": (name) => HEADER_NAME.test(name) && !OWN_HEADER.test(name),
});

/**
 * Reads an action from outside: checks it, normalizes its channel, and cleans its text. Its origin is checked when it is
 * sent.
 * @param at the path of the action
 * @throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function readAction(input: unknown, rules: PushRules, at = "press"): Action {
  const action = readVariant(input, at);
  switch (action.do) {
    case "acknowledge":
      return action.channel === undefined
        ? action
        : { ...action, channel: readChannel(action.channel, rules, at) };
    case "clear":
      return { ...action, channel: readChannel(action.channel, rules, at) };
    case "send": {
      const channel = readChannel(action.channel, rules, at);
      return { ...action, channel, text: rules.cleanText(action.text).text };
    }
    case "request":
      return checkedRequest(action, at);
    default:
      return action;
  }
}

function checkedRequest(action: RequestAction, at: string): RequestAction {
  // The sender reads the address like this: `http:/{{text}}` has a host, too.
  if (originOf(action.url)?.includes("{") !== false)
    throw invalidField(
      `${at}.url`,
      "must begin with http:// or https:// and a host that is written out, without a user name or password: secrets go into headers.",
    );
  if (action.method === "GET" && action.body !== undefined)
    throw invalidField(`${at}.body`, "is nothing that a GET sends. Choose POST, or leave it out.");
  return action;
}

/** An action as it may be shown to everybody: the values of its headers are hidden. */
export function shownAction(action: Action): Action {
  if (action.do !== "request" || action.headers === undefined) return action;
  const names = Object.keys(action.headers);
  return { ...action, headers: Object.fromEntries(names.map((name) => [name, HIDDEN])) };
}

/** Values of headers that actions have, each for the origin that it was given for. */
type Secrets = ReadonlyMap<string, string>;

/** @param known actions; of two values for one name and origin the first counts */
export function secretsOf(known: readonly Action[]): Secrets {
  const secrets = new Map<string, string>();
  for (const action of known) {
    if (action.do !== "request" || action.headers === undefined) continue;
    const origin = originOf(action.url);
    for (const [name, value] of Object.entries(action.headers)) {
      const key = secretKey(origin, name);
      if (value !== HIDDEN && !secrets.has(key)) secrets.set(key, value);
    }
  }
  return secrets;
}

/** Replaces hidden values of headers in an action by those of `secrets`, as far as they are known. */
export function withSecrets(action: Action, secrets: Secrets): Action {
  if (action.do !== "request" || action.headers === undefined) return action;
  const origin = originOf(action.url);
  const headers = Object.entries(action.headers).map(([name, value]) => [
    name,
    value === HIDDEN ? (secrets.get(secretKey(origin, name)) ?? HIDDEN) : value,
  ]);
  return { ...action, headers: Object.fromEntries(headers) };
}

/** The name of a header with a hidden value; undefined where there is none. */
export function lostSecret(action: Action): string | undefined {
  if (action.do !== "request") return undefined;
  return Object.entries(action.headers ?? {}).find(([, value]) => value === HIDDEN)?.[0];
}

function secretKey(origin: string | undefined, name: string): string {
  return `${origin} ${name.toLowerCase()}`;
}
