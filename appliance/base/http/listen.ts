import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { Connections, type ConnectionsOptions } from "./connections.ts";
import { createServer } from "./node-http.ts";
import { type Certificates, Tls } from "./tls.ts";

const MAX_HEADER_BYTES = 64 * 1024;
const PATIENCE = {
  /** Time for a whole request, which honest clients send in one packet. */
  requestTimeout: 20_000,
  headersTimeout: 10_000,
  /** Longer than the idle time of usual proxies, so that they close first. */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
};
/** A client that is still sending a request after this long into a stop is cut off. */
const CLOSE_MS = 3_000;
const CLOSE_IDLE_MS = 20;

export interface Listener {
  readonly port: number;
  readonly address: string;
  readonly connections: number;
  /** Stops accepting and resolves when the requests that run are answered. */
  close(): Promise<void>;
}

/** Answers requests, as an app of Koa does. */
export interface App {
  callback(): (request: IncomingMessage, response: ServerResponse) => unknown;
}

/** A socket that another process opened. */
export interface HandedSocket {
  readonly fd: number;
}

/** The options of a listener for its connections. */
interface ListenerDoor
  extends Pick<
    ConnectionsOptions,
    "clock" | "client" | "log" | "limits" | "namesPeers" | "secured" | "answered"
  > {
  /** Milliseconds. */
  patience?: typeof PATIENCE;
  /** The time that Node itself waits for a request; longer where bodies may be whole files. */
  longestRequest?: number;
  /** Speaks TLS, and shows these. */
  certificates?: Certificates;
}

/**
 * Serves an app on a port or on a socket that was handed over; `host` undefined means all interfaces,
 * IPv4 and IPv6. Rejects as `listen` does.
 */
export async function listen(
  app: App,
  port: number | HandedSocket,
  host: string | undefined,
  { patience = PATIENCE, longestRequest, certificates, ...door }: ListenerDoor,
): Promise<Listener> {
  const server = createServer({
    ...patience,
    requestTimeout: longestRequest ?? patience.requestTimeout,
    maxHeaderSize: MAX_HEADER_BYTES,
    noDelay: true,
    // Node would answer without an error body; `errorBodies` refuses it with one.
    requireHostHeader: false,
    // No stream is run for a body that is not announced.
    optimizeEmptyRequests: true,
  });
  // A client may close its side after the request and still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const tls = certificates && new Tls({ log: door.log, certificates });
  const connections = new Connections({
    ...door,
    ...(tls && { tls }),
    server,
    serve: app.callback(),
    bodyMs: patience.requestTimeout,
  });
  server.listen(
    typeof port === "number" ? { port, ...(host !== undefined && { host }) } : { fd: port.fd },
  );
  await once(server, "listening");
  const { port: bound, address } = server.address() as AddressInfo;
  return {
    port: bound,
    address,
    get connections() {
      return connections.size;
    },
    async close() {
      const closed = closeServer(server);
      // A request that has arrived is still answered: it is read in the turn after its connection was accepted.
      await turn();
      await turn();
      connections.dropBeginning();
      await closed;
      connections.close();
      tls?.close();
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections that are kept alive become idle one by one, each after its answer.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  server.closeIdleConnections();
  const impatience = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(impatience);
  clearInterval(idle);
}
