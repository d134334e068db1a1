import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Cancel } from "../signal.ts";
import { addressKey, type Client } from "./client.ts";
import { Connection } from "./connection.ts";
import { rateLimited, sendError } from "./errors.ts";
import type { ConnectionLimits } from "./limits.ts";
import { takeProxyHeader, tellPeer } from "./proxy-protocol.ts";
import type { Tls } from "./tls.ts";

const SWEEP_MS = 5_000;
/** A client that takes nothing of an answer for so long has left. */
const STUCK_MS = 30_000;
/** Trouble is logged again only after so long without any. */
const QUIET_MS = 10 * 60_000;
/** A proxy's header and TLS must be over by then. */
const BEGIN_MS = 10_000;
/** The share of all connections that may be in a handshake at a time. */
const BEGINNING_SHARE = 1 / 2;

export interface ConnectionsOptions {
  server: Server;
  serve: RequestListener;
  clock: Clock;
  client: Client;
  log: Log;
  limits: ConnectionLimits;
  /** Milliseconds that the body of a request may take, unless it is allowed an upload. */
  bodyMs: number;
  /** Whether trusted proxies may name the peer of a connection before its first byte. */
  namesPeers?: boolean;
  /** Undefined where HTTP is spoken without. */
  tls?: Tls;
  /** Called for each TLS connection, with the address and the requested name. */
  secured?: (address: string, servername: string) => void;
  /** Called with the status of each answer. */
  answered?: ((status: number) => void) | undefined;
}

/**
 * The connections of a listener, with limits for all, for each address, and for idle time. At the limit, an idle
 * connection is closed, one of the address with the most, so that a client with many cannot displace one with few.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #byKey = new Map<string, Set<Connection>>();
  /** Connections before their first HTTP, with the cancellation of their time limit. */
  readonly #beginning = new Map<Connection, Cancel>();
  /** Node's own, which begins to speak HTTP. */
  readonly #speak: (socket: Socket) => void;
  /** Requests that run for those behind trusted proxies. */
  readonly #forwarded = new Map<string, number>();
  #cancelSweep = () => {};
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    const { server } = options;
    const [speak] = server.listeners("connection");
    this.#speak = (socket) => speak?.call(server, socket);
    server.removeAllListeners("connection").on("connection", (socket) => this.#accept(socket));
    const take: RequestListener = (request, response) =>
      this.#open.get(request.socket)?.take({ request, response });
    server.on("request", take);
    // Clients expect nothing but `100-continue`. Going on is allowed, and clearer than a bare 417.
    server.on("checkExpectation", take);
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      this.#clientError(error, socket),
    );
    // Mostly there are no file descriptors left: new connections fail, while others are served.
    server.on("error", (error: NodeJS.ErrnoException) => {
      if (server.listening) this.#tell(`Connections cannot be accepted (${error.code})`);
    });
    server.once("listening", () => this.#sweepLater());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Closes connections without any request. */
  dropBeginning(): void {
    for (const connection of [...this.#beginning.keys()]) connection.drop();
  }

  /** Looks after them no longer. */
  close(): void {
    this.#cancelSweep();
  }

  #accept(socket: Socket): void {
    const connection = this.#add(socket);
    if (!connection.isProxy || !this.#options.namesPeers) this.#secure(connection);
    else {
      this.#begin(connection);
      takeProxyHeader(socket, (header) => {
        if (header.kind === "bad") this.#turnAway(connection, refusalOf(undefined));
        else {
          if (header.kind === "header" && header.address !== undefined)
            this.#rename(connection, header.address);
          this.#secure(connection);
        }
      });
    }
  }

  #add(socket: Socket): Connection {
    const { clock, client } = this.#options;
    const address = client.peer(socket);
    const serve: RequestListener = (request, response) =>
      connection.isProxy
        ? this.#serveForwarded(request, response)
        : this.#options.serve(request, response);
    const connection: Connection = new Connection({
      socket,
      clock,
      key: this.#key(address),
      isProxy: client.trusts(address),
      serve,
      answered: this.#options.answered,
    });
    this.#open.set(socket, connection);
    socket.once("close", () => this.#remove(connection));
    this.#bound(connection, address);
    return connection;
  }

  /** Addresses with the same key count as one. */
  #key(address: string): string {
    return this.#options.limits.isHome ? address : addressKey(address);
  }

  /** Counts it by its key, and makes room where there are too many. */
  #bound(connection: Connection, address: string): void {
    const { limits } = this.#options;
    const same = this.#byKey.get(connection.key) ?? new Set();
    this.#byKey.set(connection.key, same.add(connection));
    const isLoopback = address === "127.0.0.1" || address === "::1";
    const most = isLoopback ? limits.perLoopback : limits.perAddress;
    if (!connection.isProxy && same.size > most)
      this.#dropLongestIdle(connection, same, PERHAPS_A_PROXY);
    else if (this.#open.size > limits.total) {
      this.#tell("As many connections as there may be are open: idle ones make way for new ones");
      this.#dropLongestIdle(connection, this.#heaviest(this.#byKey.values()));
    }
  }

  /** A proxy's word about a connection holds as if the other end were there. */
  #rename(connection: Connection, address: string): void {
    const { client } = this.#options;
    this.#forget(connection);
    tellPeer(connection.socket, address);
    connection.isProxy = client.trusts(client.peer(connection.socket));
    connection.key = this.#key(client.peer(connection.socket));
    this.#bound(connection, client.peer(connection.socket));
  }

  /** Begins TLS, where that is spoken, and then HTTP. */
  #secure(connection: Connection): void {
    const { tls, client, secured } = this.#options;
    const { socket } = connection;
    if (tls !== undefined) this.#begin(connection);
    // The socket may have been chosen itself to make room.
    if (socket.destroyed) return;
    if (tls === undefined) this.#enter(connection);
    else
      tls.begin(socket, (encrypted) => {
        const peer = client.peer(socket);
        tellPeer(encrypted, peer);
        this.#open.delete(socket);
        this.#open.set(encrypted, connection);
        connection.socket = encrypted;
        secured?.(peer, encrypted.servername || "");
        this.#enter(connection);
      });
  }

  #enter(connection: Connection): void {
    this.#beginning.get(connection)?.();
    this.#beginning.delete(connection);
    this.#speak(connection.socket);
  }

  /** Limits the time until HTTP begins. A connection of an address with many makes room for new ones. */
  #begin(connection: Connection): void {
    if (this.#beginning.has(connection)) return;
    const { clock, limits } = this.#options;
    connection.socket.on("error", () => {});
    const late = () => this.#turnAway(connection, TIMED_OUT);
    this.#beginning.set(connection, clock.after(BEGIN_MS, late));
    if (this.#beginning.size <= limits.total * BEGINNING_SHARE) return;
    this.#dropLongestIdle(
      connection,
      this.#heaviest(Map.groupBy(this.#beginning.keys(), keyOf).values()),
    );
  }

  /** Refuses a connection with an answer, or without one before TLS has begun. */
  #turnAway(connection: Connection, refusal: ConnectionRefusal): void {
    if (this.#options.tls !== undefined) connection.drop();
    else {
      connection.refuse(...refusal);
      // Bytes that are left unread would keep the client from hearing it.
      connection.socket.resume();
    }
  }

  #remove(connection: Connection): void {
    connection.closed();
    this.#open.delete(connection.socket);
    this.#beginning.get(connection)?.();
    this.#beginning.delete(connection);
    this.#forget(connection);
  }

  #forget(connection: Connection): void {
    const same = this.#byKey.get(connection.key);
    same?.delete(connection);
    if (same?.size === 0) this.#byKey.delete(connection.key);
  }

  /** Closes the connection of `among` that was idle for longest, or else the newest one. */
  #dropLongestIdle(newest: Connection, among: Iterable<Connection>, advice = ""): void {
    let [longest, since] = [newest, Number.POSITIVE_INFINITY];
    for (const connection of among)
      if (connection !== newest && (connection.idleSince ?? Infinity) < since)
        [longest, since] = [connection, connection.idleSince ?? Infinity];
    if (longest === newest)
      this.#tell(`Too many connections are busy: new ones are turned away${advice}`);
    // It is removed at once, so that another connection in the same moment finds the place free.
    this.#remove(longest);
    longest.drop();
  }

  /**
   * The idle ones of the address that holds the most of them, or none. Connections being answered
   * weigh nothing: an honest visitor's requests pile up just when the box is slow.
   */
  #heaviest(byKey: Iterable<Iterable<Connection>>): Iterable<Connection> {
    const idle = [...byKey].map((same) =>
      [...same].filter(({ idleSince }) => idleSince !== undefined),
    );
    const most = Math.max(0, ...idle.map(({ length }) => length));
    return idle.filter(({ length }) => length === most).flat();
  }

  #serveForwarded(request: IncomingMessage, response: ServerResponse): void {
    const { client, limits, serve } = this.#options;
    const address = client.address(request);
    // A proxy that names no client counts as all of its visitors.
    if (client.trusts(address)) {
      serve(request, response);
      return;
    }
    const key = this.#key(address);
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

  /**
   * A request that cannot be parsed never reaches the app, yet its sender gets the usual error
   * body.
   */
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

  /** Logs a problem once while it lasts. */
  #tell(what: string): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#toldAt > QUIET_MS) this.#options.log.warn({ open: this.size }, what);
    this.#toldAt = now;
  }
}

const keyOf = ({ key }: Connection) => key;

const PERHAPS_A_PROXY =
  ", for they come from one address. If that is a proxy of yours, name it in TRUSTED_PROXIES";

type ConnectionRefusal = [status: number, code: string, message: string];

const TIMED_OUT: ConnectionRefusal = [
  408,
  "request_timeout",
  "The request did not arrive in time.",
];

function refusalOf(code: string | undefined): ConnectionRefusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return [431, "headers_too_large", "The request's headers exceed 64 kB."];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return TIMED_OUT;
  return [400, "bad_request", "This is not a valid HTTP request."];
}
