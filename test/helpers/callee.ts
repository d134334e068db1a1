import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came, its body whole. */
interface Called {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = number | ((response: ServerResponse) => void);

/** A server on 127.0.0.1 that keys call. */
export class Callee {
  /** Requests, the oldest first. */
  readonly called: Called[] = [];
  /** Answers to the next requests, one after the other; the last one repeats. */
  answers: Answer[] = [204];
  readonly origin: string;
  readonly #server: Server;
  #wake: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<Callee> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const callee = new Callee(server);
    server.on("request", (request, response) => void callee.#take(request, response));
    return callee;
  }

  /** Resolves once as many requests have come in all. */
  async times(count: number): Promise<Called[]> {
    while (this.called.length < count)
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.called;
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url: path = "", headers } = request;
    this.called.push({ method, path, headers, body });
    const answer = (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? 204;
    if (typeof answer === "number") response.writeHead(answer).end();
    else answer(response);
    for (const wake of this.#wake.splice(0)) wake();
  }
}
