import { jsonBody } from "../../base/http/body.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Decks } from "../../deck/decks.ts";
import { type Channels, channelName } from "../../deck/push/channels.ts";
import type { ChannelValue } from "../../deck/push/entry.ts";
import { WATCH_FIELDS, type WatchFields } from "../../deck/push/push-body.ts";
import { shape, TRUTH } from "../input.ts";
import type { Handler } from "../route.ts";
import { setChannel } from "../senders/push.ts";
import type { ChannelsAnswer, PushAnswer, PushChannel } from "../wire.ts";

interface Parts {
  channels: Channels;
  decks: Pick<Decks, "bound">;
}

const readWatch = shape<WatchFields & { paused?: boolean }>({
  properties: { ...WATCH_FIELDS, paused: TRUTH },
});

/** Every channel that holds a value, by name. */
export function channelViews({ channels, decks }: Parts): PushChannel[] {
  return channels.list().map((value) => viewOf(value, { decks }));
}

function viewOf(value: ChannelValue, { decks }: Pick<Parts, "decks">): PushChannel {
  return { ...value, bound: decks.bound(value.channel) };
}

/** `GET /api/push-channels` */
export const listPushChannels: Handler<Parts, ChannelsAnswer> = (ctx, parts) => {
  ctx.body = { channels: channelViews(parts) };
};

/** `POST /api/push-channels/:channel`: a test value, as a sender would push it. */
export const testPushChannel: Handler<Parts, PushAnswer> = async (ctx, parts) => {
  const channel = channelName(ctx.params.channel);
  ctx.body = await setChannel(ctx, channel, parts);
};

/** `DELETE /api/push-channels/:channel` */
export const clearPushChannel: Handler<Parts> = (ctx, { channels }) => {
  channels.clear(channelName(ctx.params.channel));
  ctx.status = 204;
};

/** `PATCH /api/push-channels/:channel` `{paused?, period?, grace?}` → the channel, declared if need be. */
export const watchPushChannel: Handler<Parts, PushChannel> = async (ctx, parts) => {
  const channel = channelName(ctx.params.channel);
  const value = parts.channels.watch(channel, readWatch(await jsonBody(ctx)));
  ctx.body = viewOf(value, parts);
};

/** `POST /api/push-channels/:channel/acknowledge` → the channel; again changes nothing. */
export const acknowledgeChannel: Handler<Parts, PushChannel> = (ctx, parts) => {
  const channel = channelName(ctx.params.channel);
  parts.channels.acknowledge(channel, { by: "owner" });
  const value = parts.channels.get(channel);
  if (value === undefined)
    throw new Refusal("not_found", `The channel ${channel} holds nothing that could be seen.`);
  ctx.body = viewOf(value, parts);
};
