import type { Origins } from "../actions/origins.ts";
import { Outgoing } from "../actions/outgoing.ts";
import { sendOnce } from "../actions/sender.ts";
import { Alarms } from "../alarms/alarms.ts";
import { webhookRequest } from "../alarms/webhook.ts";
import type { Store } from "../store/store.ts";
import type { ServiceParts, Shared } from "./parts.ts";
import type { Stops } from "./stops.ts";

/** Watches the sites, and tells their webhooks. */
export function startAlarms(
  { clock, log }: ServiceParts,
  { random }: Pick<Shared, "random">,
  stops: Stops,
  { store, origins }: { store: Store; origins: Origins },
): Alarms {
  const outgoing = new Outgoing({
    clock,
    log,
    send: sendOnce,
    isAllowed: (origin) => origins.isAllowed(origin),
    randomId: () => random.bytes(16).toString("hex"),
  });
  const alarms = new Alarms({
    store,
    clock,
    send: (url, alarm) => void outgoing.send(webhookRequest(url, alarm)),
  });
  stops.add(
    () => outgoing.close(),
    () => alarms.close(),
  );
  return alarms;
}
