import { closed, documentKind, FLAG, NUMBER, objectOf, TEXT } from "../documents.ts";
import { CHANNEL_LENGTH, CHANNEL_RULE, isChannelName, MAIL_ADDRESS } from "../names.ts";
import { invalidField } from "../refusal.ts";
import {
  DIGEST_SPANS,
  type DigestSettings,
  MOST_ADDRESSES,
  WEBHOOK_FORMS,
} from "../text/digest.ts";
import { shape } from "./shape.ts";

export interface KeptDigest extends DigestSettings {
  /** The id of the box that sends it, of all that show the site. */
  readonly box: string;
  /** The time at which it was set (epoch milliseconds): earlier digests are not sent. */
  readonly since: number;
}

const LONGEST_WEBHOOK = 2_048;
const SETTINGS = {
  enabled: { ...FLAG, description: "must be true or false" },
  every: { enum: DIGEST_SPANS, description: "must be day or week" },
  weekday: {
    type: "integer",
    minimum: 0,
    maximum: 6,
    description: "must be a day from 0, Sunday, to 6, Saturday",
  },
  hour: { type: "integer", minimum: 0, maximum: 23, description: "must be an hour from 0 to 23" },
  mail: {
    type: "array",
    maxItems: MOST_ADDRESSES,
    description: `must be a list of at most ${MOST_ADDRESSES} mail addresses`,
    items: MAIL_ADDRESS,
  },
  webhook: {
    type: ["string", "null"],
    maxLength: LONGEST_WEBHOOK,
    description: "must be the address of a webhook of at most 2,048 characters, or null",
  },
  form: { enum: WEBHOOK_FORMS, description: "must be json, ntfy or slack" },
  channel: {
    type: ["string", "null"],
    maxLength: CHANNEL_LENGTH,
    description: `must be the name of a channel, ${CHANNEL_RULE}, or null`,
  },
};

export const DIGEST = documentKind<KeptDigest>(
  "digest",
  objectOf({ ...SETTINGS, box: TEXT, since: NUMBER }),
  {
    of: "site",
    bound: { count: 200, bytes: 16_384, together: 1_048_576 },
    full: {
      code: "digest_limit",
      message: "There are 200 digests already. Remove one of a site that needs none first.",
    },
    inBackup: "kept",
  },
);

const shaped = shape<DigestSettings>(closed(objectOf(SETTINGS)));

/** A digest as an owner sets it, as it is kept. @throws {Refusal} `invalid_field` */
export function readDigest(input: unknown): DigestSettings {
  const given = shaped(input);
  const channel = given.channel?.toLowerCase() ?? null;
  if (channel !== null && !isChannelName(channel))
    throw invalidField("channel", `must have ${CHANNEL_RULE}.`);
  return { ...given, mail: [...new Set(given.mail)], channel };
}
