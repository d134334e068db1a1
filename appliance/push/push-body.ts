import { COLOR } from "../base/names.ts";
import { shape } from "../base/shape.ts";
import type { Push } from "./channels.ts";

/** The most bytes of a push as JSON. */
export const PUSH_BYTES = 4_096;
const MAX_TTL = 86_400;

/**
 * What a sender asks for, as JSON that came in; the same by HTTP and by MQTT.
 * @throws {Refusal} `invalid_field` naming the field
 */
export const readPush = shape<Push>({
  description: 'must be a JSON object like {"text": "Hello"}',
  properties: {
    text: { type: "string", description: "must be a string" },
    ttl: {
      type: "integer",
      minimum: 0,
      maximum: MAX_TTL,
      description: `must be whole seconds from 1 to ${MAX_TTL}, or 0 to stay`,
    },
    color: COLOR,
    background: COLOR,
  },
  required: ["text"],
});
