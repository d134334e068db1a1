import { FIELD_LIMITS, METHODS } from "../../base/input/deck-fields.ts";
import { originOf } from "../../base/input/origin.ts";
import { exactly, NUMBER, oneAmong, type SchemaOf, textUpTo } from "../../base/input/schema.ts";
import { COLOR, TTL } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { type OneOf, variants } from "../face/variants.ts";
import { CHANNEL, type PushRules, readChannel, textSchema } from "../face/widget.ts";

/** A placeholder for the value of a header, which is never shown. */
const HIDDEN = "…";

/**
 * Headers that the box sets itself, and headers about the connection instead of the request.
 */
const OWN_HEADER =
  /^(?:connection|content-length|expect|host|idempotency-key|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

/** Their values are secrets, which only the sender of requests reads. */
const HEADERS: SchemaOf<Record<string, string>> = {
  type: "object",
  maxProperties: FIELD_LIMITS.headers,
  propertyNames: {
    format: "header-name",
    description: "must be the name of a header that the machine does not set itself",
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

const SINGLE = {
  /** The channel is that of the slot's widget unless named. */
  acknowledge: exactly({}, { channel: CHANNEL }),
  page: exactly({
    page: {
      ...textUpTo(FIELD_LIMITS.name),
      minLength: 1,
      description: "must be next, previous, or the name of a page",
    },
  }),
  /** Gives a channel a value, as a push would; placeholders in the text are filled in. `ttl`: whole seconds; 0 stays. */
  send: exactly(
    { channel: CHANNEL, text: textSchema(FIELD_LIMITS.text) },
    { ttl: TTL, color: COLOR, background: COLOR },
  ),
  clear: exactly({ channel: CHANNEL }),
  /** Gives a channel, that of the slot's widget unless named, the text `on`, or `off` where it is on. */
  toggle: exactly({}, { channel: CHANNEL }),
  sleep: exactly({}),
  /** Sends an HTTP request; `{{text}}` and the other placeholders of actions/template are filled in. */
  request: exactly(
    { method: oneAmong(...METHODS), url: textSchema(FIELD_LIMITS.url, "an address") },
    { headers: HEADERS, body: textSchema(FIELD_LIMITS.body) },
  ),
};

const { steps: MOST_STEPS, pauseSeconds: PAUSE } = FIELD_LIMITS;
/** Does one step after the other; the first that fails ends it. */
const SEQUENCE = exactly({
  steps: {
    type: "array",
    minItems: 1,
    maxItems: MOST_STEPS,
    description: `must be a list of 1 to ${MOST_STEPS} steps`,
  },
});
const STEPS = {
  ...SINGLE,
  /** Waits before the next step of a sequence. */
  pause: exactly({
    seconds: {
      ...NUMBER,
      minimum: 0.1,
      maximum: PAUSE,
      description: `must be a number of seconds from 0.1 to ${PAUSE}`,
    },
  }),
};

type SingleAction = OneOf<"do", typeof SINGLE>;
export type RequestAction = Extract<SingleAction, { do: "request" }>;
export type Step = OneOf<"do", typeof STEPS>;

/** An action: the effect of a press, a hold or a turn. */
export type Action = SingleAction | { do: "sequence"; steps: Step[] };

const FORMATS = {
  "header-name": (name: string) => HEADER_NAME.test(name) && !OWN_HEADER.test(name),
};
const readVariant = variants<Action, "do">(
  "do",
  "action",
  { ...SINGLE, sequence: SEQUENCE },
  FORMATS,
);
const readStep = variants<Step, "do">("do", "step", STEPS, FORMATS);

/**
 * Reads an action from outside: checks it, normalizes its channel, and cleans its text. Its origin is checked when it is
 * sent.
 * @param at the path of the action
 * @throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function readAction(input: unknown, rules: PushRules, at = "press"): Action {
  const action = readVariant(input, at);
  if (action.do !== "sequence") return cleaned(action, rules, at);
  return {
    ...action,
    steps: action.steps.map((given, place) => {
      const where = `${at}.steps.${place}`;
      const step = readStep(given, where);
      return step.do === "pause" ? step : cleaned(step, rules, where);
    }),
  };
}

function cleaned(action: SingleAction, rules: PushRules, at: string): SingleAction {
  if (action.do === "request") return checkedRequest(action, at);
  const read = { ...action };
  if ("channel" in read && read.channel !== undefined)
    read.channel = readChannel(read.channel, rules, at);
  if (read.do === "send") read.text = rules.cleanText(read.text).text;
  return read;
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
  return withRequests(action, (request) => ({
    ...request,
    headers: mapValues(request.headers, () => HIDDEN),
  }));
}

export function requestsOf(action: Action): RequestAction[] {
  const steps = action.do === "sequence" ? action.steps : [action];
  return steps.filter((step) => step.do === "request");
}

/** An action with each of its requests that has headers as `change` makes it. */
function withRequests(
  action: Action,
  change: (request: RequestAction & Required<Pick<RequestAction, "headers">>) => RequestAction,
): Action {
  const changed = <Of extends Step>(step: Of): Of | RequestAction =>
    step.do === "request" && step.headers !== undefined
      ? change({ ...step, headers: step.headers })
      : step;
  return action.do === "sequence"
    ? { ...action, steps: action.steps.map(changed) }
    : changed(action);
}

function mapValues(
  headers: Readonly<Record<string, string>>,
  change: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, change(value, name)]),
  );
}

/** Values of headers that actions have, each for the origin that it was given for. */
type Secrets = ReadonlyMap<string, string>;

/** @param known actions; of two values for one name and origin the first counts */
export function secretsOf(known: readonly Action[]): Secrets {
  const secrets = new Map<string, string>();
  for (const { url, headers = {} } of known.flatMap(requestsOf)) {
    const origin = originOf(url);
    for (const [name, value] of Object.entries(headers)) {
      const key = secretKey(origin, name);
      if (value !== HIDDEN && !secrets.has(key)) secrets.set(key, value);
    }
  }
  return secrets;
}

/** Replaces hidden values of headers in an action by those of `secrets`, as far as they are known. */
export function withSecrets(action: Action, secrets: Secrets): Action {
  return withRequests(action, (request) => {
    const origin = originOf(request.url);
    const revealed = (value: string, name: string) =>
      value === HIDDEN ? (secrets.get(secretKey(origin, name)) ?? HIDDEN) : value;
    return { ...request, headers: mapValues(request.headers, revealed) };
  });
}

/** The name of a header with a hidden value; undefined where there is none. */
export function lostSecret(action: Action): string | undefined {
  return requestsOf(action)
    .flatMap(({ headers = {} }) => Object.entries(headers))
    .find(([, value]) => value === HIDDEN)?.[0];
}

function secretKey(origin: string | undefined, name: string): string {
  return `${origin} ${name.toLowerCase()}`;
}
