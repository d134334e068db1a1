import { once } from "node:events";
import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type Koa from "koa";

const MAX_HEADER_BYTES = 64 * 1024;
const PATIENCE = {
  /** A request must be complete by then; what honest clients send fits in one packet. */
  requestTimeout: 20_000,
  headersTimeout: 10_000,
  /** Longer than the idle time of usual proxies, so that they close first. */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
};
/** Who is still sending a request after this long into a stop is cut off. */
const CLOSE_MS = 3_000;
const CLOSE_IDLE_MS = 20;

/** For a listener that takes whole files: those of a large box take a while over Wi-Fi. */
export const UPLOAD_PATIENCE = { ...PATIENCE, requestTimeout: 30 * 60_000 };

export interface Listener {
  readonly port: number;
  readonly address: string;
  /** Stops accepting and resolves when the requests that run are answered. */
  close(): Promise<void>;
}

/** A socket that somebody else opened. */
export interface HandedSocket {
  readonly fd: number;
}

/**
 * Serves an app on a port or on a socket that was handed over; `host` undefined means all interfaces, IPv4 and IPv6; `patience` is in
 * milliseconds. Rejects as `listen` does.
 */
export async function listen(
  app: Koa,
  port: number | HandedSocket,
  host?: string,
  patience = PATIENCE,
): Promise<Listener> {
  const serve = app.callback();
  const server = createServer(
    {
      ...patience,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
      // Node would answer without an error body; `errorBodies` refuses it with one.
      requireHostHeader: false,
    },
    serve,
  );
  // Nothing but `100-continue` is ever expected: to go on is allowed, and clearer than a bare 417.
  server.on("checkExpectation", serve);
  // A client may close its side after the request and still wait for the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("clientError", answerClientError);
  server.listen(
    typeof port === "number" ? { port, ...(host !== undefined && { host }) } : { fd: port.fd },
  );
  await once(server, "listening");
  const { port: bound, address } = server.address() as AddressInfo;
  return { port: bound, address, close: () => closeServer(server) };
}

/** What cannot be parsed never reaches the app, yet its sender gets the usual error body. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, message] = clientError(error.code);
  const body = JSON.stringify({ error: message, code });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function clientError(code: string | undefined): [number, string, string] {
  if (code === "HPE_HEADER_OVERFLOW")
    return [431, "headers_too_large", "The request's headers exceed 64 kB."];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return [408, "request_timeout", "The request did not arrive in time."];
  return [400, "bad_request", "This is not a valid HTTP request."];
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Those that are kept alive become idle one by one, when their answer is sent.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  server.closeIdleConnections();
  const impatience = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(impatience);
  clearInterval(idle);
}
