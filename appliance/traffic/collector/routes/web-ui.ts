import type { IncomingMessage } from "node:http";
import type { Middleware } from "koa";
import { type Client, isFromHere } from "../../../base/http/client.ts";
import type { Listener } from "../../../base/http/listen.ts";
import { HTTP_PORT, isLoopback, urlOf } from "../../../base/ports.ts";
import type { Access } from "../access.ts";
import type { WebUiAnswer } from "../wire.ts";

/**
 * `GET /web-ui`: for links of the dashboard to what only its owner can set.
 * @param control the listener of the Web UI; undefined where there is none
 */
export function webUiRoute(
  access: Access,
  client: Client,
  control: () => Pick<Listener, "address" | "port"> | undefined,
): Middleware {
  return (ctx) => {
    access.site(ctx);
    const listener = access.readsAll(ctx) && isDirect(ctx.req, client) ? control() : undefined;
    const isReached = !isLoopback(listener?.address ?? "") || isFromHere(ctx.req);
    const host = client.url(ctx.req)?.hostname;
    ctx.set("Cache-Control", "no-store");
    ctx.body = {
      url: listener && host && isReached ? urlOf(host, listener.port) : null,
    } satisfies WebUiAnswer;
  };
}

/** Whether the host of a request is this machine's own name: that of a proxy need not lead to the Web UI, too. */
function isDirect(request: IncomingMessage, client: Client): boolean {
  const { socket } = request;
  const asked = client.url(request);
  return (
    !client.trusts(client.peer(socket)) &&
    asked?.protocol === "http:" &&
    Number(asked.port || HTTP_PORT) === socket.localPort
  );
}
