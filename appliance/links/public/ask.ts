import type { IncomingHttpHeaders } from "node:http";
import { DAY_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { AskFailed, askFailure, exchange, trustOf } from "../../base/http/exchange.ts";
import { timeLimit } from "../../base/tasks/closing.ts";

export interface OutsideQuestion {
  readonly method: "GET" | "POST" | "HEAD";
  /** An http or https URL, which the caller has to check. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface OutsideReply {
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
 * Sends one request. It follows no redirect: a 3xx is a reply like others.
 * @param bounds at most `mostBytes` of body (64 KiB) within `patienceMs` (20 s), until `signal`
 * @throws {AskFailed} without a complete answer
 */
export type AskOutside = (question: OutsideQuestion, bounds?: AskBounds) => Promise<OutsideReply>;

interface AskOptions {
  readonly clock: Clock;
  /** Certificates (PEM) of further authorities, beside those that Node trusts. */
  readonly ca?: string;
  readonly userAgent: string;
}

const MOST_BYTES = 65_536;
const PATIENCE_MS = 20_000;

/** Makes the client for requests of this box. */
export function askWith({ clock, ca, userAgent }: AskOptions): AskOutside {
  const trust = trustOf(ca);
  return async (question, bounds = {}) => {
    const { mostBytes = MOST_BYTES, patienceMs = PATIENCE_MS, signal } = bounds;
    if (signal?.aborted) throw new AskFailed("stopped");
    using end = timeLimit(clock, patienceMs, signal);
    try {
      const headers = { ...question.headers, "user-agent": userAgent };
      const limits = { mostBytes, signal: end.signal, trust: trust() };
      const { ended, ...reply } = await exchange({ ...question, headers }, limits);
      if (ended === "whole") return reply;
      throw ended === "cut" && end.signal.aborted
        ? new AskFailed("no-answer")
        : new AskFailed(ended);
    } catch (error) {
      throw signal?.aborted ? new AskFailed("stopped") : askFailure(error, end.signal);
    }
  };
}

/**
 * The wait of a Retry-After, in milliseconds, at most `mostMs` (RFC 9110, 10.2.3); undefined without one. A date is
 * relative to that of the answer, so that no clock of this box is needed.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, mostMs = DAY_MS): number | undefined {
  const said = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d+$/.test(said)
    ? Number(said) * 1_000
    : Date.parse(said) - Date.parse(headers.date ?? "");
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), mostMs);
}
