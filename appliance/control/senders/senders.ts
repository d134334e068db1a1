import { setImmediate } from "node:timers/promises";
import type { Middleware } from "koa";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../base/http/client.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Icons } from "../../base/text/icons.ts";
import type { Decks } from "../../deck/decks.ts";
import { Alerts } from "../../deck/push/alerts.ts";
import { Channels } from "../../deck/push/channels.ts";
import { KEPT_CHANNELS } from "../../deck/push/kept-channels.ts";
import type { Push } from "../../deck/push/push-body.ts";
import { PUSH_TOKENS, PushTokens } from "../../deck/push/tokens.ts";
import type { Numbers } from "../../store/store.ts";
import { documentsIn } from "../../store/store.ts";
import { LogFeed } from "../../traffic/imports/logs/feed.ts";
import type { OwnerContext } from "../context.ts";
import { CHANNEL_ROUTES } from "../routes/push-channels.ts";
import { TOKEN_ROUTES } from "../routes/push-tokens.ts";
import { alertmanagerRoute, uptimeKumaRoute } from "./hooks.ts";
import { logsRoute } from "./logs.ts";
import { pingRoute } from "./ping.ts";
import { pushRoute } from "./push.ts";
import { LongPolls, readRoute } from "./read.ts";
import { gateOf, senderRoute } from "./route.ts";

interface PushParts {
  channels: Channels;
  tokens: PushTokens;
  decks: Pick<Decks, "bound">;
  client: Client;
  clock: Clock;
  polls: LongPolls;
  numbers: Pick<Numbers, "directory" | "countOnce">;
  feed: LogFeed;
}

/** All routes for push tokens, which share their rates. */
function senderRoutes(parts: PushParts): Middleware[] {
  const gate = gateOf(parts.tokens, parts.clock);
  const hooks = { ...parts, alerts: new Alerts(parts.channels) };
  return [
    pushRoute(parts),
    readRoute(parts),
    pingRoute(parts),
    alertmanagerRoute(hooks),
    uptimeKumaRoute(hooks),
    logsRoute(parts),
  ].map((route) => senderRoute(route, { gate, client: parts.client }));
}

/** The push API, and its tokens and channels for the owner. */
export function startSenders({
  clock,
  client,
  random,
  store: { numbers },
  routes,
  ends,
  channels,
  tokens,
  decks,
}: OwnerContext & Pick<PushParts, "channels" | "tokens" | "decks">): void {
  const polls = closeWith(ends, new LongPolls({ channels, clock }));
  const feed = new LogFeed({
    zone: () => numbers.zone,
    now: () => numbers.clock.now(),
    randomBytes: random.bytes,
    pause: () => setImmediate(),
  });
  const parts = { channels, tokens, decks, client, clock, polls, numbers, feed };
  routes.first.push(...senderRoutes(parts));
  routes.owner(parts, TOKEN_ROUTES);
  routes.owner(parts, CHANNEL_ROUTES);
}

/** A push that a channel holds from the start, to stay. */
export type Pushed = { channel: string } & Pick<Push, "text" | "background">;

export async function startPush({
  clock,
  random,
  icons,
  store: { local },
  ends,
  pushed = [],
}: OwnerContext & { icons: Icons; pushed?: readonly Pushed[] }): Promise<{
  channels: Channels;
  tokens: PushTokens;
}> {
  const kept = { clock, documents: documentsIn(local, KEPT_CHANNELS), icons };
  const channels = closeWith(ends, await Channels.open(kept));
  for (const { channel, ...push } of pushed) channels.set(channel, { ...push, ttl: 0 });
  const documents = documentsIn(local, PUSH_TOKENS);
  const tokens = await PushTokens.open({ documents, clock, randomBytes: random.bytes });
  return { channels, tokens: closeWith(ends, tokens) };
}
