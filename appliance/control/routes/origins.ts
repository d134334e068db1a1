import { textUpTo } from "../../base/input/schema.ts";
import { version } from "../../base/system/version.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import { ORIGINS, Origins } from "../../deck/actions/origins.ts";
import { RequestSender, sendOnce } from "../../deck/actions/request-sender.ts";
import { documentsIn } from "../../store/store.ts";
import type { OwnerContext } from "../context.ts";
import { bodyWith } from "../input.ts";
import type { RoutesOf } from "../route.ts";
import type { AllowedOrigin, OriginsAnswer } from "../wire.ts";

// The sender of requests says which addresses are origins.
const readOrigin = bodyWith({
  origin: { ...textUpTo(300), description: "must be an address" },
});

const ROUTES: RoutesOf<Origins> = {
  "GET /api/origins": (_, origins): OriginsAnswer => ({ origins: origins.list() }),

  /** `{origin}` → 201 with the origin in its one form */
  "POST /api/origins": async (ctx, origins): Promise<AllowedOrigin> => {
    const { origin } = await readOrigin(ctx);
    ctx.status = 201;
    return { origin: await origins.allow(origin) };
  },

  /** `?origin=…` */
  "DELETE /api/origins": ({ query }, origins) => origins.remove(String(query.origin ?? "")),
};

/** The client that sends requests, for keys and alarms, and the origins it may send to. */
export async function startOutgoing({
  clock,
  log,
  random,
  store,
  routes,
  ends,
}: OwnerContext): Promise<{ outgoing: RequestSender; origins: Origins }> {
  const origins = new Origins(documentsIn(store.local, ORIGINS));
  await origins.load();
  const outgoing = new RequestSender({
    clock,
    log,
    send: sendOnce,
    isAllowed: (origin) => origins.isAllowed(origin),
    userAgent: `Tallydeck/${version()}`,
    randomId: () => random.bytes(16).toString("hex"),
  });
  routes.owner(origins, ROUTES);
  return { outgoing: closeWith(ends, outgoing), origins };
}
