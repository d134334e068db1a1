import type { Decks } from "../../deck/decks.ts";
import { type Channels, type ChannelValue, channelName } from "../../push/channels.ts";
import type { Handler } from "../route.ts";
import { orHttpError, setChannel } from "./push.ts";

interface Parts {
  channels: Channels;
  decks: Decks;
}

/** A channel that holds a value, and how many keys and zones on connected decks show it. */
export interface ChannelView extends ChannelValue {
  bound: number;
}

/** Every channel that holds a value, by name. */
export function channelViews({ channels, decks }: Parts): ChannelView[] {
  return channels.list().map((value) => ({ ...value, bound: decks.bound(value.channel) }));
}

/** `GET /api/push-channels` */
export const listPushChannels: Handler<Parts> = (ctx, parts) => {
  ctx.body = { channels: channelViews(parts) };
};

/** `POST /api/push-channels/:channel`: a test value, as a sender would push it. */
export const testPushChannel: Handler<Parts> = async (ctx, parts) => {
  const channel = orHttpError(() => channelName(ctx.params.channel));
  await setChannel(ctx, channel, parts);
};

/** `DELETE /api/push-channels/:channel` */
export const clearPushChannel: Handler<Parts> = (ctx, { channels }) => {
  channels.clear(orHttpError(() => channelName(ctx.params.channel)));
  ctx.status = 204;
};
