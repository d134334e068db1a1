import { createConnection, type Socket } from "node:net";
import type { DatabaseHost } from "./url.ts";

/** As PostgreSQL's protocol numbers it; it needs no login and no TLS. */
const CANCEL_REQUEST = 80_877_102;

/**
 * Has the server wait no more for a standby with a commit that we have given up: else each one keeps its
 * process there. It stays committed, and a connection that looks it up waits for the standby itself.
 * @returns the connection that asks, which ends by itself
 */
export function cancelCommit(client: object, { host, port }: DatabaseHost): Socket {
  const socket = createConnection(
    host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
  );
  socket.on("error", () => {});
  const { processID, secretKey } = client as Keys;
  const request = Buffer.alloc(16);
  for (const [at, n = 0] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(n, 4 * at);
  socket.resume().end(request);
  return socket;
}

/** The driver keeps them for its own use, and names them nowhere. */
type Keys = Readonly<Record<"processID" | "secretKey", number | undefined>>;

/** The server's process for a connection, as the peer that answered at first calls it: perhaps a pooler. */
export function processOf(client: object): number | undefined {
  return (client as Keys).processID;
}
