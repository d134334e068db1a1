import type { Clock } from "../../base/clock.ts";
import { exchange } from "../../base/http/exchange.ts";
import { originOf } from "../../base/input/origin.ts";
import type { Log } from "../../base/log.ts";

/** A request to send, once or several times. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/**
 * Sends a request once, and follows no redirect. Resolves with the status of the answer once its body was read, or was
 * too long; rejects without an answer, or when `signal` is aborted.
 */
type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<number>;

/** The outcome of a request: the status that was answered, or a word why there is none. */
export interface RequestOutcome {
  readonly ok: boolean;
  /** Short enough for a key: `204`, `500`, `no answer`. */
  readonly word: string;
}

interface OutgoingOptions {
  clock: Clock;
  log: Log;
  send: Send;
  isAllowed: (origin: string) => boolean;
  /** Name and version of this program, for who is asked. */
  userAgent: string;
  /** A text that no two requests share. */
  randomId: () => string;
}

const TRY_MS = 5_000;
/** Before the second and the third try. */
const BACK_OFF_MS = [500, 2_000];
/** Many more than a person presses at a time. */
const MAX_AT_ONCE = 16;

const NOT_ALLOWED: RequestOutcome = { ok: false, word: "not allowed" };
const BUSY: RequestOutcome = { ok: false, word: "busy" };
const STOPPED: RequestOutcome = { ok: false, word: "stopped" };

/** Node's error codes, in words for a key. */
const WORDS: Readonly<Record<string, string>> = {
  ABORT_ERR: "no answer",
  ETIMEDOUT: "no answer",
  ECONNREFUSED: "refused",
  ECONNRESET: "hung up",
  EPIPE: "hung up",
  ENOTFOUND: "no host",
  EAI_AGAIN: "no host",
  EHOSTUNREACH: "no route",
  ENETUNREACH: "no route",
};

/** Sends requests to origins that the owner allowed, and to no other. */
export class RequestSender {
  readonly #options: OutgoingOptions;
  /** Functions that each stop a running request. */
  readonly #running = new Set<() => void>();
  #closed = false;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /** Tries up to three times, or as often as is said, all with the same `Idempotency-Key`; never rejects. */
  async send(request: OutgoingRequest, mostTries = 3): Promise<RequestOutcome> {
    if (this.#running.size >= MAX_AT_ONCE) return BUSY;
    const stop = new AbortController();
    const stopped = () => stop.abort();
    this.#running.add(stopped);
    try {
      return await this.#send(request, mostTries, stop.signal);
    } finally {
      this.#running.delete(stopped);
    }
  }

  close(): void {
    this.#closed = true;
    for (const stop of this.#running) stop();
  }

  async #send(
    request: OutgoingRequest,
    mostTries: number,
    stop: AbortSignal,
  ): Promise<RequestOutcome> {
    const { isAllowed, log, randomId, userAgent } = this.#options;
    const origin = originOf(request.url);
    const isNamed = Object.keys(request.headers).some((name) => /^user-agent$/i.test(name));
    const headers = {
      // Many hosts turn away who does not say what it is.
      ...(!isNamed && { "user-agent": userAgent }),
      ...request.headers,
      "idempotency-key": randomId(),
    };
    for (let tries = 1; ; tries++) {
      if (this.#closed) return STOPPED;
      // The owner may have taken it from the list since the try before.
      if (origin === undefined || !isAllowed(origin)) return NOT_ALLOWED;
      const { outcome, isFinal } = await this.#try({ ...request, headers }, stop);
      const pause = tries < mostTries ? BACK_OFF_MS[tries - 1] : undefined;
      if (!isFinal && pause !== undefined) {
        await this.#wait(pause, stop);
        continue;
      }
      if (!outcome.ok && !this.#closed) log.warn(`A request failed: ${outcome.word}`);
      return outcome;
    }
  }

  async #try(
    request: OutgoingRequest,
    stop: AbortSignal,
  ): Promise<{ outcome: RequestOutcome; isFinal: boolean }> {
    const { clock, send } = this.#options;
    const timeout = new AbortController();
    const cancel = clock.after(TRY_MS, () => timeout.abort());
    try {
      const status = await send(request, AbortSignal.any([timeout.signal, stop]));
      const ok = status >= 200 && status < 300;
      // A redirect or a refusal would be the answer again.
      return { outcome: { ok, word: String(status) }, isFinal: status < 500 };
    } catch (error) {
      return { outcome: { ok: false, word: wordOf(error) }, isFinal: this.#closed };
    } finally {
      cancel();
    }
  }

  #wait(ms: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        stop.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, done);
      stop.addEventListener("abort", done);
    });
  }
}

function wordOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/CERT|SIGNATURE|SSL|TLS/.test(code)) return "certificate";
  return WORDS[code] ?? "no answer";
}

/** The most bytes of an answer's body to read before the connection is closed. */
const BODY_BYTES = 65_536;

export const sendOnce: Send = async (request, signal) => {
  const { status } = await exchange(request, { mostBytes: BODY_BYTES, signal });
  return status;
};
