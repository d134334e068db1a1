import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { STATUS_CODES } from "./node-http.ts";

/** A client that is sent its last answer has this long to take it. */
const LINGER_MS = 2_000;
/** Requests that may wait behind the one being answered; honest clients send none ahead. */
const MAX_WAITING = 64;
/** Then a client has to come anew, so that none keeps a place for ever. */
const MAX_REQUESTS = 1_000;
/** A client that sent requests ahead and was answered this much has to show first that it reads. */
const MAX_UNREAD_BYTES = 128 * 1024;
/** So much is still read once all is said: an honest client has no more under way, or looks up. */
const MAX_UNHEARD_BYTES = 64 * 1024;
/** A whole file of a large box takes a while over Wi-Fi. */
export const UPLOAD_MS = 30 * 60_000;
/** Of which nothing came for so long, that one went to sleep, and others wait for it. */
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
  /** Whom it counts for. */
  key: string;
  isProxy: boolean;
  serve: RequestListener;
  /** Hears the status of each answer. */
  answered: ((status: number) => void) | undefined;
}

/** One client's connection: its requests are answered one after the other. */
export class Connection {
  /** A proxy's header, and TLS, may change these before the first request. */
  socket: Socket;
  key: string;
  /** True for a proxy's own, on which it asks for others. */
  isProxy: boolean;
  /** As it was accepted: below TLS, where there is any. */
  readonly #accepted: Socket;
  readonly #clock: ConnectionOptions["clock"];
  readonly #serve: RequestListener;
  readonly #tell: ConnectionOptions["answered"];
  #answering: Exchange | undefined;
  /** Monotonic milliseconds: since when nothing is answered. */
  #restingSince: number;
  /** The last request that came; its body may still be on its way. */
  #last: IncomingMessage | undefined;
  #lastSince = 0;
  readonly #waiting: Exchange[] = [];
  #answers = 0;
  /** Bytes that had been written when the client last sent a request that none waits before. */
  #takenBytes = 0;
  /** How far reading had come, and since when. */
  #read = 0;
  #readSince = 0;
  /** How far writing had come, and since when; no time while nothing waits to be written. */
  #written = "";
  #writtenSince: number | undefined;
  #isStuck = false;
  /** The answer that is sent once those that wait are answered. */
  #lastWords: string | undefined;
  #isLeaving = false;
  /** One for all answers, which finish once each. */
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
    // He may have read all of the answer before, and of a file we do not know yet that this was all.
    if (this.#waiting.length === 0) this.#takenBytes = this.socket.bytesWritten;
    if (this.#answering === undefined) this.#answer(exchange);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(exchange);
    else this.drop();
  }

  /** True when the body of a request is on its way for longer than `patience` milliseconds. */
  isLate(patience: number): boolean {
    const incomplete = this.#incomplete();
    if (incomplete === undefined) return false;
    const takes = this.#clock.monotonic() - this.#lastSince;
    if (!uploads.has(incomplete)) return takes >= patience;
    return takes >= UPLOAD_MS || this.#silentFor() >= UPLOAD_PAUSE_MS;
  }

  /** Looks how far writing has come. @returns for how many milliseconds it has come no further */
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

  /** Answers with an error that no route gave, after what came before it, and ends. */
  refuse(status: number, code: string, message: string): void {
    if (this.#isLeaving || this.#lastWords !== undefined) return;
    if (this.#answering?.response.headersSent || !this.socket.writable) {
      this.drop();
      return;
    }
    this.#tell?.(status);
    const words = errorAnswer(status, code, message);
    // Whose own body is wrong or late is not answered otherwise.
    if (this.#answering?.request.complete) this.#lastWords = words;
    else this.#leave(words);
  }

  /** Ends at once; what the client has not read by then is gone. */
  drop(): void {
    this.#isLeaving = true;
    reset(this.#accepted);
  }

  /** To be called when the socket is closed. */
  closed(): void {
    this.#isLeaving = true;
    this.#waiting.length = 0;
  }

  /** Looks how far reading has come. @returns for how many milliseconds it has come no further */
  #silentFor(): number {
    const now = this.#clock.monotonic();
    const { bytesRead } = this.#accepted;
    if (bytesRead !== this.#read) this.#readSince = now;
    this.#read = bytesRead;
    return now - this.#readSince;
  }

  #answer(exchange: Exchange): void {
    this.#answering = exchange;
    // Node's own bound would answer those who come back nevertheless with 503.
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

  /** Calls `enough` when much more than the `held` bytes has come, unless it `isOver` before. */
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

  /** Reads nothing more, whoever asks for it; the client can still hear what was said. */
  #turnDeaf(): void {
    const { socket } = this;
    socket.on("resume", () => socket.pause());
    socket.pause();
  }

  /** Says the last thing. A little of what comes in is read and thrown away, else the client might not hear it. */
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

/** True where the rest of a body is of no use: it was refused, or no route looked at it. */
function isUnwanted({ request, response }: Exchange): boolean {
  if (request.complete || uploads.has(request)) return false;
  return response.statusCode >= 400 || request.readableFlowing === null;
}

/** Ends a connection so that the system, too, forgets what the client did not take. */
function reset(socket: Socket): void {
  // By itself it would wait until all is written.
  socket.resetAndDestroy();
  socket.destroy();
}

/**
 * Changes whenever the system took something. Of one long write only the queue tells how far it has
 * come, by which Node's own timeouts go, too.
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
