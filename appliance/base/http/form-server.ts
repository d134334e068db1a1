import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionLimits } from "./limits.ts";

/** A request to a server of a few pages and forms. */
export interface FormRequest {
  readonly method: string;
  /** The header `Host`; empty without one. */
  readonly host: string;
  /** With its query. */
  readonly path: string;
  /** The headers `Accept`, `Accept-Language` and `Origin`; empty without one. */
  readonly accept: string;
  readonly languages: string;
  readonly origin: string;
  /** The address of the client; an IPv4-mapped one as IPv4. */
  readonly from: string;
  /** The form of a POST; empty where the server takes none. */
  readonly body: string;
}

export interface FormAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface FormServerOptions {
  readonly answer: (request: FormRequest) => FormAnswer;
  readonly warn: (line: string) => void;
  /** The most bytes of a form; 0 where none is read. */
  readonly mostBytes: number;
  readonly connections: ConnectionBounds;
}

/** The oldest of one address makes way. */
type ConnectionBounds = Pick<ConnectionLimits, "total" | "perAddress">;

/** Bounds for pages that a few people open. */
const LIMITS = {
  maxHeaderSize: 16 * 1_024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/** A server of Node's own for programs that must do without the service: no app, no package. */
export function createFormServer(options: FormServerOptions): Server {
  const server = createServer(LIMITS, (request, response) => {
    respond(request, response, options).catch((error: unknown) => {
      options.warn(`A page was not sent: ${String(error)}`);
      response.destroy();
    });
  });
  boundConnections(server, options.connections);
  return server;
}

/** Closes the oldest connection of an address that has too many, or of the one that has the most: others always get in. */
function boundConnections(server: Server, { total, perAddress }: ConnectionBounds): void {
  const open = new Map<string, Set<Socket>>();
  let count = 0;
  server.prependListener("connection", (socket: Socket) => {
    const address = addressOf(socket);
    const same = open.get(address) ?? new Set();
    open.set(address, same.add(socket));
    count += 1;
    socket.once("close", () => {
      same.delete(socket);
      count -= 1;
      if (same.size === 0) open.delete(address);
    });
    if (same.size > perAddress) destroyOldest(same);
    else if (count > total) destroyOldest(heaviest(open.values()));
  });
}

function heaviest(all: Iterable<Set<Socket>>): Set<Socket> {
  return [...all].reduce((most, each) => (each.size > most.size ? each : most));
}

function destroyOldest(sockets: Set<Socket>): void {
  const [oldest] = [...sockets].filter(({ destroyed }) => !destroyed);
  oldest?.destroy();
}

/** The address of the other end; an IPv4-mapped one as IPv4. */
function addressOf({ remoteAddress = "" }: Socket): string {
  return remoteAddress.replace(/^::ffff:/, "");
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, mostBytes }: FormServerOptions,
): Promise<void> {
  const body = request.method === "POST" && mostBytes > 0 ? await bodyOf(request, mostBytes) : "";
  if (body === undefined) {
    response.writeHead(413, { Connection: "close" }).end();
    return;
  }
  const { headers, method = "", url = "/" } = request;
  const sent = answer({
    method,
    host: headers.host ?? "",
    path: url,
    accept: headers.accept ?? "",
    languages: headers["accept-language"] ?? "",
    origin: headers.origin ?? "",
    from: addressOf(request.socket),
    body,
  });
  // No length may stand beside the status of an empty answer.
  const length = sent.status === 204 ? {} : { "Content-Length": Buffer.byteLength(sent.body) };
  // A body that nobody reads must not be taken for the next request.
  const isUnread = !request.complete && !["GET", "HEAD"].includes(method);
  const end = isUnread ? { Connection: "close" } : {};
  response.writeHead(sent.status, { ...sent.headers, ...length, ...end });
  response.end(method === "HEAD" ? "" : sent.body);
}

/** The body of a form; undefined where it is too large. */
async function bodyOf(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
