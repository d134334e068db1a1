import type { IncomingHttpHeaders } from "node:http";
import type { SecureContext } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { exchange } from "../http/exchange.ts";

/** A question of the box to somebody on the internet. */
export interface Question {
  readonly method: "GET" | "POST" | "HEAD";
  /** `http:` or `https:`; which of them, and of whom, is for who asks to decide. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The answer, whole. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface AskBounds {
  readonly mostBytes?: number;
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks once. Follows no redirect: a 3xx is a reply like any other.
 * @param bounds at most `mostBytes` of body (64 KiB) within `patienceMs` (20 s), until `signal`
 * @throws {AskFailed} where no whole answer came
 */
export type Ask = (question: Question, bounds?: AskBounds) => Promise<Reply>;

/** `stopped`: the signal said so. `cut`: the connection was closed, or what came was no HTTP. */
type AskReason =
  | "no-answer"
  | "refused"
  | "no-host"
  | "certificate"
  | "too-large"
  | "cut"
  | "stopped";

/** Why there is no answer. Its message has no address and no header, so that it may be shown. */
export class AskFailed extends Error {
  readonly reason: AskReason;

  constructor(reason: AskReason, message: string = SAID[reason]) {
    super(message);
    this.reason = reason;
  }
}

interface AskOptions {
  readonly clock: Clock;
  /** Certificates (PEM) of who may sign a server's, besides those that Node trusts. */
  readonly ca?: string;
  readonly userAgent: string;
}

const MOST_BYTES = 65_536;
const PATIENCE_MS = 20_000;

const SAID: Readonly<Record<AskReason, string>> = {
  "no-answer": "there was no answer in time",
  refused: "the connection was refused",
  "no-host": "there is no such host, or the name servers did not answer",
  certificate: "the server's certificate is not trusted",
  "too-large": "the answer was too large",
  cut: "the connection broke before the answer was whole",
  stopped: "it was stopped",
};

const REASONS: Readonly<Record<string, AskReason>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "no-host",
  EAI_AGAIN: "no-host",
  EAI_FAIL: "no-host",
  ETIMEDOUT: "no-answer",
  EHOSTUNREACH: "no-answer",
  ENETUNREACH: "no-answer",
  EADDRNOTAVAIL: "no-answer",
};

/** What Node and OpenSSL call that a certificate is not to be trusted. */
const CERTIFICATE = /CERT|UNABLE_TO|_CHAIN|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|CRL/;

/** Asks on behalf of this box. */
export function askWith({ clock, ca, userAgent }: AskOptions): Ask {
  const trust = trustOf(ca);
  return async (question, bounds = {}) => {
    const { mostBytes = MOST_BYTES, patienceMs = PATIENCE_MS, signal } = bounds;
    if (signal?.aborted) throw new AskFailed("stopped");
    const end = new AbortController();
    const stop = () => end.abort();
    signal?.addEventListener("abort", stop);
    const patience = clock.after(patienceMs, stop);
    try {
      const headers = { ...question.headers, "user-agent": userAgent };
      const limits = { mostBytes, signal: end.signal, trust: trust() };
      const { ended, ...reply } = await exchange({ ...question, headers }, limits);
      if (ended === "whole") return reply;
      throw ended === "cut" && end.signal.aborted
        ? new AskFailed("no-answer")
        : new AskFailed(ended);
    } catch (error) {
      throw signal?.aborted ? new AskFailed("stopped") : failureOf(error, end.signal);
    } finally {
      patience();
      signal?.removeEventListener("abort", stop);
    }
  };
}

function failureOf(error: unknown, end: AbortSignal): AskFailed {
  if (error instanceof AskFailed) return error;
  if (end.aborted) return new AskFailed("no-answer");
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code in REASONS) return new AskFailed(REASONS[code] ?? "cut");
  if (!CERTIFICATE.test(code)) return new AskFailed("cut");
  return new AskFailed("certificate", `${SAID.certificate} (${code})`);
}

/** Made with the first question: it reads every root there is. Undefined where Node's own will do. */
function trustOf(ca = ""): () => SecureContext | undefined {
  let made: SecureContext | undefined;
  return () => {
    if (ca === "") return undefined;
    const { createSecureContext, rootCertificates } = process.getBuiltinModule("node:tls");
    made ??= createSecureContext({ ca: [...rootCertificates, ca] });
    return made;
  };
}
