import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerName } from "./names-server.ts";
import { MOST_FORM_BYTES, type PortalAnswer, type PortalRequest } from "./portal.ts";

/** The ports to which the firewall leads 80 and 53 of the set-up network; nothing else reaches them. */
const PORTS = { http: 8_053, dns: 8_053 } as const;

/** Bounds for a handful of phones. */
const LIMITS = {
  maxHeaderSize: 16 * 1_024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
const MOST_CONNECTIONS = 48;

interface PortalServersOptions {
  readonly answer: (request: PortalRequest) => PortalAnswer;
  readonly warn: (line: string) => void;
  /** The ports, in tests. */
  readonly ports?: { readonly http: number; readonly dns: number };
}

/** The two servers of the set-up network: pages and names. */
export class PortalServers {
  readonly #http: Server;
  readonly #dns: Socket;

  /** @param options for both @throws {Error} where a port is taken */
  static async open(options: PortalServersOptions): Promise<PortalServers> {
    const servers = new PortalServers(options);
    const { http, dns } = options.ports ?? PORTS;
    servers.#http.listen(http, "0.0.0.0");
    servers.#dns.bind(dns, "0.0.0.0");
    try {
      await Promise.all([once(servers.#http, "listening"), once(servers.#dns, "listening")]);
    } catch (error) {
      await servers.close().catch(() => {});
      throw error;
    }
    return servers;
  }

  private constructor({ answer, warn }: PortalServersOptions) {
    this.#http = createServer(LIMITS, (request, response) => {
      respond(request, response, answer).catch((error: unknown) => {
        warn(`A page of the set-up network was not sent: ${String(error)}`);
        response.destroy();
      });
    });
    this.#http.maxConnections = MOST_CONNECTIONS;
    this.#dns = createSocket("udp4", (query, from) => {
      const bytes = answerName(query);
      // A phone that has left gets none.
      if (bytes !== undefined) this.#dns.send(bytes, from.port, from.address, () => {});
    });
  }

  get ports(): { http: number; dns: number } {
    const address = this.#http.address();
    return {
      http: typeof address === "object" && address !== null ? address.port : 0,
      dns: this.#dns.address().port,
    };
  }

  async close(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#http.close(() => closed.resolve());
    this.#http.closeAllConnections();
    const ended = Promise.withResolvers<void>();
    this.#dns.close(() => ended.resolve());
    await Promise.all([closed.promise, ended.promise]);
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: PortalServersOptions["answer"],
): Promise<void> {
  const body = request.method === "POST" ? await bodyOf(request) : "";
  if (body === undefined) {
    response.writeHead(413, { Connection: "close" }).end();
    return;
  }
  const { headers, method = "", url = "/" } = request;
  const sent = answer({
    method,
    host: headers.host ?? "",
    path: url,
    languages: headers["accept-language"] ?? "",
    from: request.socket.remoteAddress ?? "",
    body,
  });
  // No length may stand beside the status of an empty answer.
  const length = sent.status === 204 ? {} : { "Content-Length": Buffer.byteLength(sent.body) };
  response.writeHead(sent.status, { ...sent.headers, ...length });
  response.end(method === "HEAD" ? "" : sent.body);
}

/** The body of a form; undefined where it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_FORM_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
