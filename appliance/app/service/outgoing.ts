import { version } from "../../base/system/version.ts";
import { ORIGINS, Origins } from "../../deck/actions/origins.ts";
import { Outgoing, sendOnce } from "../../deck/actions/outgoing.ts";
import { type Box, documentsIn } from "../../store/store.ts";
import type { Closing } from "./closing.ts";
import type { ServiceParts, Shared } from "./parts.ts";

/** The client that sends requests, for keys and alarms, and the origins it may send to. */
export async function startOutgoing(
  { clock, log }: ServiceParts,
  { random }: Shared,
  closing: Closing,
  box: Box,
): Promise<{ outgoing: Outgoing; origins: Origins }> {
  const origins = new Origins(documentsIn(box, ORIGINS));
  await origins.load();
  const outgoing = new Outgoing({
    clock,
    log,
    send: sendOnce,
    isAllowed: (origin) => origins.isAllowed(origin),
    userAgent: `Tallydeck/${version()}`,
    randomId: () => random.bytes(16).toString("hex"),
  });
  closing.add(() => outgoing.close());
  return { outgoing, origins };
}
