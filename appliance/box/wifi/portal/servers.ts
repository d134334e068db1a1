import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Server } from "node:http";
import {
  createFormServer,
  type FormAnswer,
  type FormRequest,
} from "../../../base/http/form-server.ts";
import { answerName } from "./names-server.ts";
import { MOST_FORM_BYTES } from "./portal.ts";

/** The ports to which the firewall leads 80 and 53 of the set-up network; nothing else reaches them. */
const PORTS = { http: 8_053, dns: 8_053 } as const;

/** A handful of phones, each with its probes. */
const CONNECTIONS = { total: 48, perAddress: 8 };

interface PortalServersOptions {
  readonly answer: (request: FormRequest) => FormAnswer;
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
    this.#http = createFormServer({
      answer,
      warn: (line) => warn(`Set-up network: ${line}`),
      mostBytes: MOST_FORM_BYTES,
      connections: CONNECTIONS,
    });
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
