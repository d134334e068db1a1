import {
  exactly,
  type Fitting,
  FLAG,
  type Having,
  integerFrom,
  type NoFields,
  oneAmong,
  TEXT,
  textUpTo,
} from "../../base/input/schema.ts";
import { shape } from "../../base/input/shape.ts";
import { COLOR, TTL } from "../../base/names.ts";

/**
 * A state that a sender reports; `start` begins a run that ends with another state.
 */
export type Status = (typeof STATUSES)[number];
const STATUSES = ["ok", "warn", "fail", "start"] as const;

const DAY = 86_400;
const MIN_PERIOD = 10;
const MAX_PERIOD = 365 * DAY;

/** JSON Schemas of the fields of a push for watching its channel and for its alarms, in seconds. */
export const WATCH_FIELDS = {
  /** The time limit of the next push; 0 ends the watching. */
  period: {
    ...integerFrom(0, MAX_PERIOD),
    not: { minimum: 1, maximum: MIN_PERIOD - 1 },
    description: `must be whole seconds from ${MIN_PERIOD} to ${MAX_PERIOD}, or 0 to end it`,
  },
  /** The time after `period` before the channel is down. */
  grace: {
    ...integerFrom(1, MAX_PERIOD),
    description: `must be whole seconds from 1 to ${MAX_PERIOD}`,
  },
  /** Whether alarms wake decks with the channel; it holds until it is changed. */
  wake: FLAG,
};
export type WatchFields = Having<NoFields, typeof WATCH_FIELDS>;

/** The most bytes of a push as JSON. */
export const PUSH_BYTES = 4_096;
const MAX_ID = 128;
const MAX_ICON = 64;

/** A push by a sender. Colours are for this value only. */
const PUSH = exactly(
  { text: TEXT },
  {
    /** Whole seconds until the value expires; 0 never does. */
    ttl: TTL,
    color: COLOR,
    background: COLOR,
    icon: { ...textUpTo(MAX_ICON), description: "must be the name of an icon" },
    ...WATCH_FIELDS,
    status: oneAmong(...STATUSES),
    /** The sender's own id of the message. The same id again is no news. */
    id: {
      ...textUpTo(MAX_ID),
      minLength: 1,
      description: `must be a text of 1 to ${MAX_ID} characters`,
    },
    /** Stays until it is acknowledged. */
    hold: FLAG,
  },
);
export type Push = Fitting<typeof PUSH>;

/**
 * Reads a push from JSON, by HTTP or MQTT.
 * @throws {Refusal} `invalid_field` naming the field
 */
export const readPush = shape<Push>({
  ...PUSH,
  description: 'must be a JSON object like {"text": "Hello"}',
});
