import type { Context } from "koa";
import { jsonBody } from "../../base/http/body.ts";
import type { Decks } from "../../deck/decks.ts";
import type { Channels } from "../../deck/push/channels.ts";
import { PUSH_BYTES, readPush } from "../../deck/push/push-body.ts";
import type { PushAnswer } from "../wire.ts";
import type { SenderRoute } from "./route.ts";

export interface ChannelParts {
  channels: Channels;
  decks: Pick<Decks, "bound">;
}

/** `/api/push/:channel`: POST writes, DELETE clears. */
export function pushRoute(parts: ChannelParts): SenderRoute {
  return {
    path: ["api", "push"],
    usage: "Push to /api/push/<channel>.",
    methods: ["POST", "DELETE"],
    scope: "push",
    async handle(ctx, { channel }) {
      if (ctx.method === "POST") {
        ctx.body = await setChannel(ctx, channel, parts);
        return;
      }
      parts.channels.clear(channel);
      ctx.status = 204;
    },
  };
}

/**
 * Sets a channel to the value in the body, and answers the result.
 * @throws {HttpError} 415, 413, 400
 * @throws {Refusal} `invalid_field`, `channel_limit`
 */
export async function setChannel(
  ctx: Context,
  channel: string,
  { channels, decks }: ChannelParts,
): Promise<PushAnswer> {
  const push = readPush(await jsonBody(ctx, PUSH_BYTES));
  const { value, replaced, truncated } = channels.set(channel, push);
  return {
    ok: true,
    channel: value.channel,
    expiresAt: value.expiresAt,
    bound: decks.bound(value.channel),
    replaced,
    truncated,
  };
}
