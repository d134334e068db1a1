import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
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

/** Opens the two servers of the set-up network: pages and names. @throws {Error} where a port is taken */
export async function openPortalServers({ answer, warn, ports = PORTS }: PortalServersOptions) {
  const pages = createFormServer({
    answer,
    warn: (line) => warn(`Set-up network: ${line}`),
    mostBytes: MOST_FORM_BYTES,
    connections: CONNECTIONS,
  });
  const names = createSocket("udp4", (query, from) => {
    const bytes = answerName(query);
    // A phone that has left gets none.
    if (bytes !== undefined) names.send(bytes, from.port, from.address, () => {});
  });
  const close = async () => {
    const closed = Promise.withResolvers<void>();
    pages.close(() => closed.resolve());
    pages.closeAllConnections();
    await Promise.all([closed.promise, new Promise<void>((done) => names.close(done))]);
  };
  pages.listen(ports.http, "0.0.0.0");
  names.bind(ports.dns, "0.0.0.0");
  try {
    await Promise.all([once(pages, "listening"), once(names, "listening")]);
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  const { port: http } = pages.address() as AddressInfo;
  return { ports: { http, dns: names.address().port }, close };
}
