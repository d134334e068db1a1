import type { Middleware } from "koa";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../base/http/client.ts";
import type { Decks } from "../../deck/decks.ts";
import { Alerts } from "../../deck/push/alerts.ts";
import type { Channels } from "../../deck/push/channels.ts";
import type { PushTokens } from "../../deck/push/tokens.ts";
import type { Numbers } from "../../store/store.ts";
import type { LogFeed } from "../../traffic/imports/logs/feed.ts";
import { alertmanagerRoute, uptimeKumaRoute } from "./hooks.ts";
import { logsRoute } from "./logs.ts";
import { pingRoute } from "./ping.ts";
import { pushRoute } from "./push.ts";
import { type LongPolls, readRoute } from "./read.ts";
import { Gate, senderRoute } from "./route.ts";

export interface PushParts {
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
export function senderRoutes(parts: PushParts): Middleware[] {
  const gate = new Gate(parts.tokens, parts.clock);
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
