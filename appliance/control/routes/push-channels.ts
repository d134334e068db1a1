import type { Decks } from "../../deck/decks.ts";
import { type Channels, channelName } from "../../push/channels.ts";
import type { Handler } from "../route.ts";
import type { ChannelsAnswer, PushAnswer, PushChannel } from "../wire.ts";
import { setChannel } from "./push.ts";

interface Parts {
  channels: Channels;
  decks: Pick<Decks, "bound">;
}

/** Every channel that holds a value, by name. */
export function channelViews({ channels, decks }: Parts): PushChannel[] {
  return channels.list().map((value) => ({ ...value, bound: decks.bound(value.channel) }));
}

/** `GET /api/push-channels` */
export const listPushChannels: Handler<Parts, ChannelsAnswer> = (ctx, parts) => {
  ctx.body = { channels: channelViews(parts) };
};

/** `POST /api/push-channels/:channel`: a test value, as a sender would push it. */
export const testPushChannel: Handler<Parts, PushAnswer> = async (ctx, parts) => {
  const channel = channelName(ctx.params.channel);
  await setChannel(ctx, channel, parts);
};

/** `DELETE /api/push-channels/:channel` */
export const clearPushChannel: Handler<Parts> = (ctx, { channels }) => {
  channels.clear(channelName(ctx.params.channel));
  ctx.status = 204;
};
