import type { Day } from "../../base/calendar.ts";
import { documentKind } from "../../base/documents.ts";
import {
  type Fitting,
  listOf,
  NUMBER,
  objectOf,
  type SchemaOf,
  TEXT,
} from "../../base/input/schema.ts";
import type { Delivery } from "../../base/text/digest.ts";

const DELIVERY = objectOf({ target: TEXT, state: TEXT, tries: NUMBER, at: NUMBER, why: TEXT });

/** The last digest of a site that was due. */
const LAST = objectOf({
  /** The number of the site, and its id at that time. */
  site: NUMBER,
  id: TEXT,
  /** The last day of the digest. */
  day: NUMBER as SchemaOf<Day>,
  dueAt: NUMBER,
  deliveries: listOf(DELIVERY as SchemaOf<Delivery>),
});
export type LastDigest = Fitting<typeof LAST>;

const RECORD = objectOf({ digests: listOf(LAST) });
export type DigestRecord = Fitting<typeof RECORD>;

/** The sent digests: written before each is sent, and after it. */
export const DIGEST_RECORD = documentKind("digest_record", RECORD, {
  bound: { count: 1, bytes: 1_048_576, together: 1_048_576 },
  inBackup: "left",
});

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
