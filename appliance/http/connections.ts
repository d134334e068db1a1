import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Client } from "./client.ts";
import { Connection } from "./connection.ts";
import { rateLimited, sendError } from "./errors.ts";
import type { ConnectionLimits } from "./limits.ts";

const SWEEP_MS = 5_000;
/** Who takes nothing of an answer for so long has left. */
const STUCK_MS = 30_000;
/** So long has it to be quiet before trouble is told again. */
const QUIET_MS = 10 * 60_000;

export interface ConnectionsOptions {
  server: Server;
  serve: RequestListener;
  clock: Clock;
  client: Client;
  log: Log;
  limits: ConnectionLimits;
  /** Addresses with the same key count as one. */
  keyOf: (address: string) => string;
  /** Milliseconds that the body of a request may take, unless it is allowed an upload. */
  bodyMs: number;
}

/**
 * Every connection of a listener: how many there may be, from whom, and for how long nothing may
 * come of one. Where there is no room, one on which nothing is being answered makes some; of the
 * address that holds the most, so that nobody's many displace another's few.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #byKey = new Map<string, Set<Connection>>();
  /** Requests that run for those behind trusted proxies. */
  readonly #forwarded = new Map<string, number>();
  #cancelSweep = () => {};
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    const { server } = options;
    server.on("connection", (socket) => this.#add(socket));
    const take: RequestListener = (request, response) =>
      this.#open.get(request.socket)?.take({ request, response });
    server.on("request", take);
    // Nothing but `100-continue` is ever expected: to go on is allowed, and clearer than a bare 417.
    server.on("checkExpectation", take);
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      this.#clientError(error, socket),
    );
    // Out of descriptors, mostly: whoever knocks is not heard, and those inside are served.
    server.on("error", (error: NodeJS.ErrnoException) => {
      if (server.listening) this.#tell(`Connections cannot be accepted (${error.code})`);
    });
    server.once("listening", () => this.#sweepLater());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Looks after them no longer. */
  close(): void {
    this.#cancelSweep();
  }

  #add(socket: Socket): void {
    const { clock, client, limits, keyOf } = this.#options;
    const address = client.peer(socket);
    const isProxy = client.trusts(address);
    const key = keyOf(address);
    const serve: RequestListener = (request, response) =>
      isProxy ? this.#serveForwarded(request, response) : this.#options.serve(request, response);
    const connection = new Connection({ socket, clock, key, serve });
    const same = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, same.add(connection));
    this.#open.set(socket, connection);
    socket.once("close", () => this.#remove(connection));

    const isLoopback = address === "127.0.0.1" || address === "::1";
    const most = isLoopback ? limits.perLoopback : limits.perAddress;
    if (!isProxy && same.size > most) this.#makeRoom(connection, same, PERHAPS_A_PROXY);
    else if (this.#open.size > limits.total) {
      this.#tell("As many connections as there may be are open: idle ones make way for new ones");
      this.#makeRoom(connection, this.#heaviest());
    }
  }

  #remove(connection: Connection): void {
    connection.closed();
    this.#open.delete(connection.socket);
    const same = this.#byKey.get(connection.key);
    same?.delete(connection);
    if (same?.size === 0) this.#byKey.delete(connection.key);
  }

  /** Lets go of the one of `among` on which nothing happened for longest, else of the newest. */
  #makeRoom(newest: Connection, among: Iterable<Connection>, advice = ""): void {
    let [longest, since] = [newest, Number.POSITIVE_INFINITY];
    for (const connection of among)
      if (connection !== newest && (connection.idleSince ?? Infinity) < since)
        [longest, since] = [connection, connection.idleSince ?? Infinity];
    if (longest === newest)
      this.#tell(`Too many connections are busy: new ones are turned away${advice}`);
    // At once, also for who comes in the same moment.
    this.#remove(longest);
    longest.drop();
  }

  /**
   * The idle ones of the address that holds the most of them, or nobody's. What is being answered
   * weighs nothing: an honest visitor's requests pile up just when the box is slow.
   */
  #heaviest(): Iterable<Connection> {
    const idle = [...this.#byKey.values()].map((same) =>
      [...same].filter(({ idleSince }) => idleSince !== undefined),
    );
    const most = Math.max(0, ...idle.map(({ length }) => length));
    return idle.filter(({ length }) => length === most).flat();
  }

  #serveForwarded(request: IncomingMessage, response: ServerResponse): void {
    const { client, limits, keyOf, serve } = this.#options;
    const address = client.address(request);
    // A proxy that does not tell for whom it asks stands for all its visitors.
    if (client.trusts(address)) {
      serve(request, response);
      return;
    }
    const key = keyOf(address);
    const running = this.#forwarded.get(key) ?? 0;
    if (running >= limits.perAddress) {
      sendError(response, rateLimited(1, "Too many requests at once came from this address."));
      return;
    }
    this.#forwarded.set(key, running + 1);
    response.once("close", () => {
      const left = (this.#forwarded.get(key) ?? 1) - 1;
      if (left === 0) this.#forwarded.delete(key);
      else this.#forwarded.set(key, left);
    });
    serve(request, response);
  }

  /** What cannot be parsed never reaches the app, yet its sender gets the usual error body. */
  #clientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || error.code === "ECONNRESET") socket.destroy();
    else connection.refuse(...refusalOf(error.code));
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#options.clock.after(SWEEP_MS, () => {
      for (const connection of this.#open.values())
        if (connection.stuckFor() >= STUCK_MS) connection.drop();
        else if (connection.isLate(this.#options.bodyMs)) connection.refuse(...TIMED_OUT);
      this.#sweepLater();
    });
  }

  /** Says what is wrong, once while it lasts. */
  #tell(what: string): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#toldAt > QUIET_MS) this.#options.log.warn({ open: this.size }, what);
    this.#toldAt = now;
  }
}

const PERHAPS_A_PROXY =
  ", for they come from one address. If that is a proxy of yours, name it in TRUSTED_PROXIES";

type Refusal = [status: number, code: string, message: string];

const TIMED_OUT: Refusal = [408, "request_timeout", "The request did not arrive in time."];

function refusalOf(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return [431, "headers_too_large", "The request's headers exceed 64 kB."];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return TIMED_OUT;
  return [400, "bad_request", "This is not a valid HTTP request."];
}
