import { jsonBody } from "../../base/http/body.ts";
import { version } from "../../base/system/version.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import { ORIGINS, Origins } from "../../deck/actions/origins.ts";
import { RequestSender, sendOnce } from "../../deck/actions/request-sender.ts";
import { documentsIn } from "../../store/store.ts";
import type { OwnerContext } from "../context.ts";
import { shape } from "../input.ts";
import type { Handler } from "../route.ts";
import type { AllowedOrigin, OriginsAnswer } from "../wire.ts";

// The sender of requests says which addresses are origins.
const readOrigin = shape<AllowedOrigin>({
  properties: { origin: { type: "string", maxLength: 300, description: "must be an address" } },
  required: ["origin"],
});

/** `GET /api/origins` */
const listOrigins: Handler<Origins, OriginsAnswer> = (ctx, origins) => {
  ctx.body = { origins: origins.list() };
};

/** `POST /api/origins` `{origin}` → 201 with the origin in its one form */
const allowOrigin: Handler<Origins, AllowedOrigin> = async (ctx, origins) => {
  const { origin } = readOrigin(await jsonBody(ctx));
  ctx.body = { origin: await origins.allow(origin) };
  ctx.status = 201;
};

/** `DELETE /api/origins?origin=…` */
const removeOrigin: Handler<Origins> = async (ctx, origins) => {
  await origins.remove(String(ctx.query.origin ?? ""));
  ctx.status = 204;
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
  routes.owner(
    origins,
    ["GET", "/api/origins", listOrigins],
    ["POST", "/api/origins", allowOrigin],
    ["DELETE", "/api/origins", removeOrigin],
  );
  return { outgoing: closeWith(ends, outgoing), origins };
}
