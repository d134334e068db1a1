import { jsonBody } from "../../base/http/body.ts";
import type { Origins } from "../../deck/actions/origins.ts";
import { shape } from "../input.ts";
import type { Handler } from "../route.ts";
import type { AllowedOrigin, OriginsAnswer } from "../wire.ts";

// The sender of requests says which addresses are origins.
const readOrigin = shape<AllowedOrigin>({
  properties: { origin: { type: "string", maxLength: 300, description: "must be an address" } },
  required: ["origin"],
});

/** `GET /api/origins` */
export const listOrigins: Handler<Origins, OriginsAnswer> = (ctx, origins) => {
  ctx.body = { origins: origins.list() };
};

/** `POST /api/origins` `{origin}` → 201 with the origin in its one form */
export const allowOrigin: Handler<Origins, AllowedOrigin> = async (ctx, origins) => {
  const { origin } = readOrigin(await jsonBody(ctx));
  ctx.body = { origin: await origins.allow(origin) };
  ctx.status = 201;
};

/** `DELETE /api/origins?origin=…` */
export const removeOrigin: Handler<Origins> = async (ctx, origins) => {
  await origins.remove(String(ctx.query.origin ?? ""));
  ctx.status = 204;
};
