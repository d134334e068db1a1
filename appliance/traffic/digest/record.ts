import type { Day } from "../../base/calendar.ts";
import { documentKind, NUMBER, objectOf, TEXT } from "../../base/documents.ts";
import type { Delivery } from "../../base/text/digest.ts";

/** The last digest of a site that was due. */
export interface LastDigest {
  /** The number of the site, and its id at that time. */
  readonly site: number;
  readonly id: string;
  /** The last day of the digest. */
  readonly day: Day;
  readonly dueAt: number;
  readonly deliveries: readonly Delivery[];
}

export interface DigestRecord {
  readonly digests: readonly LastDigest[];
}

/** The sent digests: written before each is sent, and after it. */
export const DIGEST_RECORD = documentKind<DigestRecord>(
  "digest_record",
  objectOf({
    digests: {
      type: "array",
      items: objectOf({
        site: NUMBER,
        id: TEXT,
        day: NUMBER,
        dueAt: NUMBER,
        deliveries: {
          type: "array",
          items: objectOf({ target: TEXT, state: TEXT, tries: NUMBER, at: NUMBER, why: TEXT }),
        },
      }),
    },
  }),
  { bound: { count: 1, bytes: 1_048_576, together: 1_048_576 }, inBackup: "left" },
);

/** The record after a start: a delivery that a power cut interrupted may have arrived, and is `unsure`. */
export function startedAnew({ digests }: DigestRecord): DigestRecord {
  return changed(digests, (delivery) =>
    delivery.state === "trying"
      ? { ...delivery, state: "unsure", why: "The machine stopped in the middle of it." }
      : delivery,
  );
}

/** The record with all waiting tries due now, after a change of settings. */
export function dueNow({ digests }: DigestRecord): DigestRecord {
  return changed(digests, (delivery) =>
    delivery.state === "due" ? { ...delivery, at: 0 } : delivery,
  );
}

function changed(
  digests: readonly LastDigest[],
  change: (delivery: Delivery) => Delivery,
): DigestRecord {
  return {
    digests: digests.map((each) => ({ ...each, deliveries: each.deliveries.map(change) })),
  };
}
