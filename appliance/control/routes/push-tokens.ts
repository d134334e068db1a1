import { jsonBody } from "../../base/http/body.ts";
import type { PushTokens } from "../../deck/push/tokens.ts";
import { shape, TRUTH } from "../input.ts";
import type { Handler } from "../route.ts";
import type { NewPushToken, PushToken, PushTokensAnswer } from "../wire.ts";

// The push service checks the length of a name.
const readWanted = shape<{ name: string; use?: "logs" }>({
  properties: {
    name: { type: "string", description: "must be a string" },
    use: { const: "logs", description: 'must be "logs", or missing' },
  },
  required: ["name"],
});
const readPaused = shape<{ paused: boolean }>({
  properties: { paused: TRUTH },
  required: ["paused"],
});

type Parts = { tokens: PushTokens };

/** `GET /api/push-tokens` */
export const listPushTokens: Handler<Parts, PushTokensAnswer> = (ctx, { tokens }) => {
  ctx.body = { tokens: tokens.list() };
};

/** `POST /api/push-tokens` `{name, use?}` → 201 with the token, which is shown only here. */
export const createPushToken: Handler<Parts, NewPushToken> = async (ctx, { tokens }) => {
  const { name, use } = readWanted(await jsonBody(ctx));
  const { lastUsedAt: _, ...created } = await tokens.create(name, use);
  ctx.status = 201;
  ctx.body = created;
};

/** `PATCH /api/push-tokens/:id` `{paused}` */
export const pausePushToken: Handler<Parts, PushToken> = async (ctx, { tokens }) => {
  const { paused } = readPaused(await jsonBody(ctx));
  ctx.body = await tokens.setPaused(ctx.params.id, paused);
};

/** `POST /api/push-tokens/:id/rotate` → 200 with the token, which is shown only here. */
export const rotatePushToken: Handler<Parts, NewPushToken> = async (ctx, { tokens }) => {
  ctx.body = await tokens.rotate(ctx.params.id);
};

/** `DELETE /api/push-tokens/:id` */
export const revokePushToken: Handler<Parts> = async (ctx, { tokens }) => {
  await tokens.revoke(ctx.params.id);
  ctx.status = 204;
};
