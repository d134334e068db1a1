import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../clock.ts";
import { STATUS_CODES } from "./node-http.ts";

/** A client that is sent its last answer has this long to take it. */
const LINGER_MS = 2_000;
/** Requests that may wait behind the one being answered; honest clients send none ahead. */
const MAX_WAITING = 64;
/** Requests of a connection. Then the client needs a new one, so that none keeps its place for ever. */
const MAX_REQUESTS = 1_000;
/** A client that sent requests ahead and was answered this much has to show first that it reads. */
const MAX_UNREAD_BYTES = 128 * 1024;
/** Bytes that are still read after the last answer. An honest client has no more on the way, or reads the answer. */
const MAX_UNHEARD_BYTES = 64 * 1024;
/** A whole file of a large box takes a while over Wi-Fi. */
export const UPLOAD_MS = 30 * 60_000;
/** An upload without a byte for so long has come from a machine that fell asleep, and blocks others. */
const UPLOAD_PAUSE_MS = 2 * 60_000;

const uploads = new WeakSet<IncomingMessage>();

/** Gives the body of this request the time that a whole file takes. */
export function allowUpload(request: IncomingMessage): void {
  uploads.add(request);
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface ConnectionOptions {
  socket: Socket;
  clock: Pick<Clock, "monotonic" | "after">;
  /** The key of its limit: an address, or an IPv6 /64. */
  key: string;
  isProxy: boolean;
  serve: RequestListener;
  /** Called with the status of each answer. */
  answered: ((status: number) => void) | undefined;
}

/** One client's connection: its requests are answered one after the other. */
export class Connection {
  /** A proxy's header, and TLS, may change these before the first request. */
  socket: Socket;
  key: string;
  /** Whether it is the connection of a trusted proxy, with requests of many clients. */
  isProxy: boolean;
  /** The socket as it was accepted: below TLS, where there is any. */
  readonly #accepted: Socket;
  readonly #clock: ConnectionOptions["clock"];
  readonly #serve: RequestListener;
  readonly #tell: ConnectionOptions["answered"];
  #answering: Exchange | undefined;
  /** Monotonic milliseconds: since when nothing is answered. */
  #restingSince: number;
  /** The last request. Its body may still be on the way. */
  #last: IncomingMessage | undefined;
  #lastSince = 0;
  readonly #waiting: Exchange[] = [];
  #answers = 0;
  /** Bytes that had been written when the client last sent a request that none waits before. */
  #takenBytes = 0;
  /** Bytes that were read at the last look, and the time since then. */
  #read = 0;
  #readSince = 0;
  /** State of writing at the last look, and the time since then; no time while nothing waits to be written. */
  #written = "";
  #writtenSince: number | undefined;
  #isStuck = false;
  /** An answer that follows all pending ones, and ends the connection. */
  #lastWords: string | undefined;
  #isLeaving = false;
  /** One function for all answers, each of which finishes once. */
  readonly #onFinish = () => this.#answered();

  constructor({ socket, clock, key, isProxy, serve, answered }: ConnectionOptions) {
    this.socket = socket;
    this.#accepted = socket;
    this.key = key;
    this.isProxy = isProxy;
    this.#clock = clock;
    this.#serve = serve;
    this.#tell = answered;
    this.#restingSince = clock.monotonic();
  }

  /** Monotonic milliseconds since when nothing can be done for it; undefined while it is served. */
  get idleSince(): number | undefined {
    if (this.#isStuck) return this.#writtenSince;
    const incomplete = this.#incomplete();
    if (incomplete !== undefined) return uploads.has(incomplete) ? undefined : this.#lastSince;
    return this.#answering === undefined ? this.#restingSince : undefined;
  }

  /** Answers a request, or lets it wait for the one before it. */
  take(exchange: Exchange): void {
    if (this.#isLeaving || this.#lastWords !== undefined) return;
    this.#last = exchange.request;
    this.#lastSince = this.#clock.monotonic();
    // The client may have read the whole answer before, although we do not know yet that a file has ended.
    if (this.#waiting.length === 0) this.#takenBytes = this.socket.bytesWritten;
    if (this.#answering === undefined) this.#answer(exchange);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(exchange);
    else this.drop();
  }

  /** Whether the body of a request has been on its way for longer than `patience` milliseconds. */
  isLate(patience: number): boolean {
    const incomplete = this.#incomplete();
    if (incomplete === undefined) return false;
    const takes = this.#clock.monotonic() - this.#lastSince;
    if (!uploads.has(incomplete)) return takes >= patience;
    return takes >= UPLOAD_MS || this.#silentFor() >= UPLOAD_PAUSE_MS;
  }

  /** Checks the progress of writing. @returns the milliseconds without any */
  stuckFor(): number {
    const now = this.#clock.monotonic();
    const written = writtenSoFar(this.socket);
    if (this.socket.writableLength === 0) this.#writtenSince = undefined;
    else if (written !== this.#written) this.#writtenSince = now;
    this.#written = written;
    const stuckFor = now - (this.#writtenSince ?? now);
    this.#isStuck = stuckFor > 0;
    return stuckFor;
  }

  /** Sends an error outside of any route, after pending answers, and closes the connection. */
  refuse(status: number, code: string, message: string): void {
    if (this.#isLeaving || this.#lastWords !== undefined) return;
    if (this.#answering?.response.headersSent || !this.socket.writable) {
      this.drop();
      return;
    }
    this.#tell?.(status);
    const words = errorAnswer(status, code, message);
    // A request whose own body is wrong or late gets this answer, and no other.
    if (this.#answering?.request.complete) this.#lastWords = words;
    else this.#leave(words);
  }

  /** Closes the connection at once. Data that the client has not read is lost. */
  drop(): void {
    this.#isLeaving = true;
    reset(this.#accepted);
  }

  /** To be called when the socket is closed. */
  closed(): void {
    this.#isLeaving = true;
    this.#waiting.length = 0;
  }

  /** Checks the progress of reading. @returns the milliseconds without any */
  #silentFor(): number {
    const now = this.#clock.monotonic();
    const { bytesRead } = this.#accepted;
    if (bytesRead !== this.#read) this.#readSince = now;
    this.#read = bytesRead;
    return now - this.#readSince;
  }

  #answer(exchange: Exchange): void {
    this.#answering = exchange;
    // With Node's own limit, a client that goes on nevertheless would get 503.
    if (++this.#answers === MAX_REQUESTS) exchange.response.setHeader("Connection", "close");
    // Before Node, which may end the connection then.
    exchange.response.prependListener("finish", this.#onFinish);
    this.#serve(exchange.request, exchange.response);
  }

  #answered(): void {
    const answered = this.#answering;
    this.#tell?.(answered?.response.statusCode ?? 0);
    this.#answering = undefined;
    this.#restingSince = this.#clock.monotonic();
    if (this.#isLeaving) return;
    if (answered !== undefined && isUnwanted(answered)) this.#hearOut(answered);
    const next = this.#waiting.shift();
    if (next === undefined && this.#lastWords === undefined) return;
    const unread = this.socket.bytesWritten - this.#takenBytes;
    if (next === undefined || unread > MAX_UNREAD_BYTES) this.#leave(this.#lastWords);
    else this.#answer(next);
  }

  #incomplete(): IncomingMessage | undefined {
    return this.#last?.complete === false ? this.#last : undefined;
  }

  /** Throws away the rest of a body that is answered already. One with much more to say is left. */
  #hearOut({ request, response }: Exchange): void {
    const held = request.readableLength;
    request.resume();
    // Node would close it now, and a connection that is closed unread takes the answer with it.
    if (!response.shouldKeepAlive) this.socket.destroySoon = () => {};
    if (!response.shouldKeepAlive || held >= MAX_UNHEARD_BYTES) this.#leave("", held);
    else
      this.#readOn(
        held,
        () => this.#leave("", MAX_UNHEARD_BYTES),
        () => request.complete,
      );
  }

  /** Calls `enough` once many more bytes than `held` have come, unless `isOver` before. */
  #readOn(held: number, enough: () => void, isOver = () => false): void {
    const { socket } = this;
    let left = MAX_UNHEARD_BYTES - held;
    const count = ({ length }: Uint8Array) => {
      left -= length;
      if (left > 0 && !isOver()) return;
      socket.off("data", count);
      if (!isOver()) enough();
    };
    socket.on("data", count);
  }

  /** Stops reading for good. The client can still read our answer. */
  #turnDeaf(): void {
    const { socket } = this;
    socket.on("resume", () => socket.pause());
    socket.pause();
  }

  /** Sends the last bytes and closes. It still discards some input, or a reset might keep the client from reading them. */
  #leave(last = "", held = 0): void {
    this.#isLeaving = true;
    this.#waiting.length = 0;
    this.socket.end(last);
    if (held >= MAX_UNHEARD_BYTES) this.#turnDeaf();
    else this.#readOn(held, () => this.#turnDeaf());
    const cancel = this.#clock.after(LINGER_MS, () => reset(this.#accepted));
    this.#accepted.once("close", cancel);
  }
}

/** Whether the rest of a body is unwanted: it was refused, or no route read it. */
function isUnwanted({ request, response }: Exchange): boolean {
  if (request.complete || uploads.has(request)) return false;
  return response.statusCode >= 400 || request.readableFlowing === null;
}

/** Resets a connection, so that the kernel, too, frees data that the client has not read. */
function reset(socket: Socket): void {
  // A plain end would wait until all is written.
  socket.resetAndDestroy();
  socket.destroy();
}

/**
 * A value that changes with each progress of writing. Within one long write only the size of the queue changes, which
 * Node's own timeouts go by, too.
 */
function writtenSoFar(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): string {
  return `${socket.bytesWritten - socket.writableLength} ${socket._handle?.writeQueueSize}`;
}

function errorAnswer(status: number, code: string, message: string): string {
  const body = JSON.stringify({ error: message, code });
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}
