import { FLAG } from "../../base/input/schema.ts";
import { Refusal } from "../../base/refusal.ts";
import { channelName } from "../../deck/push/channels.ts";
import type { ChannelValue } from "../../deck/push/entry.ts";
import { WATCH_FIELDS } from "../../deck/push/push-body.ts";
import { bodyWith } from "../input.ts";
import type { RoutesOf } from "../route.ts";
import { type ChannelParts, setChannel } from "../senders/push.ts";
import type { ChannelsAnswer, PushAnswer, PushChannel } from "../wire.ts";

const readWatch = bodyWith({}, { ...WATCH_FIELDS, paused: FLAG });

/** Every channel that holds a value, by name. */
export function channelViews({ channels, decks }: ChannelParts): PushChannel[] {
  return channels.list().map((value) => viewOf(value, { decks }));
}

function viewOf(value: ChannelValue, { decks }: Pick<ChannelParts, "decks">): PushChannel {
  return { ...value, bound: decks.bound(value.channel) };
}

export const CHANNEL_ROUTES: RoutesOf<ChannelParts> = {
  "GET /api/push-channels": (_, parts): ChannelsAnswer => ({ channels: channelViews(parts) }),

  /** Sets a test value, as a sender would push it. */
  "POST /api/push-channels/:channel": (ctx, parts): Promise<PushAnswer> =>
    setChannel(ctx, channelName(ctx.params.channel), parts),

  "DELETE /api/push-channels/:channel": ({ params }, { channels }) =>
    channels.clear(channelName(params.channel)),

  /** `{paused?, period?, grace?}` → the channel, declared if need be */
  "PATCH /api/push-channels/:channel": async (ctx, parts): Promise<PushChannel> => {
    const channel = channelName(ctx.params.channel);
    return viewOf(parts.channels.watch(channel, await readWatch(ctx)), parts);
  },

  /** The channel; again changes nothing. */
  "POST /api/push-channels/:channel/acknowledge": (ctx, parts): PushChannel => {
    const channel = channelName(ctx.params.channel);
    parts.channels.acknowledge(channel, { by: "owner" });
    const value = parts.channels.get(channel);
    if (value === undefined)
      throw new Refusal("not_found", `The channel ${channel} holds nothing that could be seen.`);
    return viewOf(value, parts);
  },
};
