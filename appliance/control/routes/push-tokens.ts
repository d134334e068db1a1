import { FLAG, oneAmong, TEXT } from "../../base/input/schema.ts";
import type { PushTokens } from "../../deck/push/tokens.ts";
import { bodyWith } from "../input.ts";
import type { RoutesOf } from "../route.ts";
import type { NewPushToken, PushToken, PushTokensAnswer } from "../wire.ts";

// The push service checks the length of a name.
const readWanted = bodyWith(
  { name: TEXT },
  { use: { ...oneAmong("logs"), description: 'must be "logs", or missing' } },
);
const readPaused = bodyWith({ paused: FLAG });

export const TOKEN_ROUTES: RoutesOf<{ tokens: PushTokens }> = {
  "GET /api/push-tokens": (_, { tokens }): PushTokensAnswer => ({ tokens: tokens.list() }),

  /** `{name, use?}` → 201 with the token, which is shown only here */
  "POST /api/push-tokens": async (ctx, { tokens }): Promise<NewPushToken> => {
    const { name, use } = await readWanted(ctx);
    const { lastUsedAt: _, ...created } = await tokens.create(name, use);
    ctx.status = 201;
    return created;
  },

  /** `{paused}` */
  "PATCH /api/push-tokens/:id": async (ctx, { tokens }): Promise<PushToken> => {
    const { paused } = await readPaused(ctx);
    return await tokens.setPaused(ctx.params.id, paused);
  },

  /** The token, which is shown only here. */
  "POST /api/push-tokens/:id/rotate": ({ params }, { tokens }): Promise<NewPushToken> =>
    tokens.rotate(params.id),

  "DELETE /api/push-tokens/:id": ({ params }, { tokens }) => tokens.revoke(params.id),
};
