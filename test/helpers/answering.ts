import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type SecureContext, TLSSocket } from "node:tls";
import type { Presenter } from "../../appliance/public/acme/challenge.ts";
import { ACME_TLS } from "../../appliance/public/acme/challenge-certificate.ts";
import { type Identifier, serverNameOf } from "../../appliance/public/acme/identifier.ts";

/** A box as the CA and visitors meet it: one port for TLS, one without. */
export class Answering implements Presenter {
  /** Which challenges were shown, oldest first. */
  readonly shown: ("tls-alpn-01" | "http-01")[] = [];
  /** Called with each challenge that is shown. */
  onShown: () => void = () => {};
  readonly #contexts = new Map<string, SecureContext>();
  readonly #tokens = new Map<string, string>();
  readonly #servers: { close(): unknown; closeAllConnections(): void }[] = [];
  readonly #tls;

  private constructor() {
    const answering = this;
    this.#tls = createTlsServer(
      {
        ALPNCallback({ servername, protocols }): string | undefined {
          if (!protocols.includes(ACME_TLS)) return "http/1.1";
          const context = answering.#contexts.get(servername.toLowerCase());
          if (context === undefined || !(this instanceof TLSSocket)) return undefined;
          this.setKeyCert(context);
          return ACME_TLS;
        },
      },
      (_request, response) => response.end("a visitor is served"),
    );
  }

  static async open({ tls, http }: { tls: number; http: number }): Promise<Answering> {
    const answering = new Answering();
    const plain = createServer((request, response) => {
      const token = /^\/\.well-known\/acme-challenge\/([\w-]+)$/.exec(request.url ?? "")?.[1];
      response.end(answering.#tokens.get(token ?? "") ?? "nothing");
    });
    for (const [server, port] of [
      [answering.#tls, tls],
      [plain, http],
    ] as const) {
      server.on("clientError", () => {}).listen(port, "127.0.0.1");
      answering.#servers.push(server);
      await once(server, "listening");
    }
    return answering;
  }

  /** How many challenges are shown now. */
  get open(): number {
    return this.#contexts.size + this.#tokens.size;
  }

  /** From now on visitors are served with it. */
  serve(key: string, cert: string): void {
    this.#tls.setSecureContext({ key, cert });
  }

  tlsAlpn(identifier: Identifier, context: SecureContext): () => void {
    return this.#show("tls-alpn-01", this.#contexts, serverNameOf(identifier), context);
  }

  http(token: string, keyAuthorization: string): () => void {
    return this.#show("http-01", this.#tokens, token, keyAuthorization);
  }

  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  #show<T>(type: "tls-alpn-01" | "http-01", place: Map<string, T>, name: string, what: T) {
    this.shown.push(type);
    place.set(name, what);
    this.onShown();
    return () => void place.delete(name);
  }
}
