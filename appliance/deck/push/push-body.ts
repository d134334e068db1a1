import { shape } from "../../base/input/shape.ts";
import { COLOR, TTL } from "../../base/names.ts";

/**
 * A state that a sender reports; `start` begins a run that ends with another state.
 */
export type Status = "ok" | "warn" | "fail" | "start";

const STATUSES: readonly Status[] = ["ok", "warn", "fail", "start"];

/** The fields of a push for watching its channel and for its alarms, in seconds. */
export interface WatchFields {
  /** The time limit of the next push; 0 ends the watching. */
  period?: number;
  /** The time after `period` before the channel is down. */
  grace?: number;
  /** Whether alarms wake decks with the channel; it holds until it is changed. */
  wake?: boolean;
}

/** A push by a sender. Colours are `#rrggbb`, for this value only. */
export interface Push extends WatchFields {
  text: string;
  /** Whole seconds until the value expires; 0 never does. */
  ttl?: number;
  color?: string;
  background?: string;
  /** Name of an icon. */
  icon?: string;
  status?: Status;
  /** The sender's own id of the message. The same id again is no news. */
  id?: string;
  /** Stays until it is acknowledged. */
  hold?: boolean;
}

const DAY = 86_400;
const MIN_PERIOD = 10;
const MAX_PERIOD = 365 * DAY;

/** JSON Schemas of the fields. */
export const WATCH_FIELDS = {
  period: {
    type: "integer",
    minimum: 0,
    maximum: MAX_PERIOD,
    not: { minimum: 1, maximum: MIN_PERIOD - 1 },
    description: `must be whole seconds from ${MIN_PERIOD} to ${MAX_PERIOD}, or 0 to end it`,
  },
  grace: {
    type: "integer",
    minimum: 1,
    maximum: MAX_PERIOD,
    description: `must be whole seconds from 1 to ${MAX_PERIOD}`,
  },
  wake: { type: "boolean", description: "must be true or false" },
};

/** The most bytes of a push as JSON. */
export const PUSH_BYTES = 4_096;
const MAX_ID = 128;
const MAX_ICON = 64;

/**
 * Reads a push from JSON, by HTTP or MQTT.
 * @throws {Refusal} `invalid_field` naming the field
 */
export const readPush = shape<Push>({
  description: 'must be a JSON object like {"text": "Hello"}',
  properties: {
    text: { type: "string", description: "must be a string" },
    ttl: TTL,
    color: COLOR,
    background: COLOR,
    icon: { type: "string", maxLength: MAX_ICON, description: "must be the name of an icon" },
    ...WATCH_FIELDS,
    status: { enum: STATUSES, description: `must be one of ${STATUSES.join(", ")}` },
    id: {
      type: "string",
      minLength: 1,
      maxLength: MAX_ID,
      description: `must be a text of 1 to ${MAX_ID} characters`,
    },
    hold: { type: "boolean", description: "must be true or false" },
  },
  required: ["text"],
});
