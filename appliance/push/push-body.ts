import { shape } from "../base/input/shape.ts";
import { COLOR, TTL } from "../base/names.ts";
import { STATUSES, type Status } from "./status.ts";
import { WATCH_FIELDS, type WatchFields } from "./watch.ts";

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
