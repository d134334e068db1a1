import type { Outgoing } from "../actions/outgoing.ts";
import { Digests } from "../digest/digests.ts";
import { digestPost } from "../digest/post.ts";
import { DIGEST_RECORD } from "../digest/record.ts";
import type { Channels } from "../push/channels.ts";
import { documentsIn, type Store } from "../store/store.ts";
import type { Closing } from "./closing.ts";
import type { ServiceParts } from "./parts.ts";

interface DigestParts {
  readonly store: Pick<Store, "box" | "numbers">;
  readonly outgoing: Outgoing;
  readonly channels: Channels;
  /** The id of this box. */
  readonly id: string;
}

/** The digests that this box sends. */
export async function startDigests(
  { clock, log }: ServiceParts,
  closing: Closing,
  { store: { box, numbers }, outgoing, channels, id }: DigestParts,
): Promise<Digests> {
  const digests = await Digests.open({
    ...{ numbers, clock, log, box: id },
    documents: documentsIn(box, DIGEST_RECORD),
    post: digestPost({
      request: (request) => outgoing.send(request, 1),
      push: (channel, text) => void channels.set(channel, { text, ttl: 0 }),
    }),
    alarms: () => [],
  });
  closing.add(() => digests.close());
  return digests;
}
