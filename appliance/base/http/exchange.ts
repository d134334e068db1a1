import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Agent } from "node:https";
import type { Readable } from "node:stream";
import type { SecureContext } from "node:tls";

/** One request of the box to another host. */
interface Outward {
  readonly method: string;
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream needs the header `content-length`, and is destroyed at the end. */
  readonly body?: string | Uint8Array | Readable | undefined;
}

/** The answer. */
interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, up to the wanted length. */
  readonly body: Buffer;
  /** The end of the body: complete, at our limit, or cut off. */
  readonly ended: "whole" | "too-large" | "cut";
}

interface Bounds {
  readonly mostBytes: number;
  readonly signal: AbortSignal;
  /** Whom to trust where that is not whom Node trusts. */
  readonly trust?: SecureContext | undefined;
}

interface OpenBounds extends Omit<Bounds, "mostBytes"> {
  /** Keeps connections: with one that the other side has closed meanwhile, the request is sent again over a new one. */
  readonly kept?: Agent;
}

const NO_ANSWER = "the connection was closed without an answer";

/**
 * Sends a request over a new connection, since the other side may have closed a kept one. It follows no redirect. With
 * a status there is an answer, even where the body is cut off.
 * @throws {Error} Node's own, with its code, where there is no status
 */
export function exchange(
  { method, url, headers, body }: Outward,
  { mostBytes, signal, trust }: Bounds,
): Promise<Exchanged> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchanged>();
  const sent = begun({ method, url, headers: withLength(headers, body) }, { signal, trust });
  const parts: Buffer[] = [];
  let answer: IncomingMessage | undefined;
  const over = (ended: Exchanged["ended"], error?: Error) => {
    sent.destroy();
    if (isStream(body)) body.destroy();
    if (answer === undefined) return reject(error ?? new Error(NO_ANSWER));
    const { statusCode: status = 0, headers: told } = answer;
    resolve({ status, headers: told, body: Buffer.concat(parts), ended });
  };
  sent.on("response", (response) => {
    answer = response;
    let left = mostBytes;
    response.on("data", (part: Buffer) => {
      left -= part.length;
      if (left < 0) over("too-large");
      else parts.push(part);
    });
    response.on("end", () => over(response.complete ? "whole" : "cut"));
    response.on("error", () => over("cut"));
  });
  sent.on("error", (error) => over("cut", error));
  sent.on("close", () => over("cut"));
  if (isStream(body)) body.on("error", (error) => sent.destroy(error)).pipe(sent);
  else sent.end(body);
  return promise;
}

/**
 * Sends a request the same way, for an answer of any size: its body is the caller's to read, and to
 * destroy.
 * @throws {Error} as `exchange`
 */
export function opened(asked: Omit<Outward, "body">, bounds: OpenBounds): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = begun(asked, bounds);
  let isSettled = false;
  const failed = (error: Error) => {
    const { kept, ...anew } = bounds;
    const isStale = kept !== undefined && sent.reusedSocket && !isSettled;
    isSettled = true;
    if (isStale && !bounds.signal.aborted) opened(asked, anew).then(resolve, reject);
    else reject(error);
  };
  sent
    .on("response", (answer) => {
      isSettled = true;
      resolve(answer);
    })
    .on("error", failed)
    // An answer that leaves HTTP, like 101, is neither.
    .on("close", () => isSettled || failed(new Error(NO_ANSWER)))
    .end();
  return promise;
}

/** Node's client is loaded with the first request: see node-http.ts. */
function begun(
  { method, url, headers }: Omit<Outward, "body">,
  { signal, trust, kept }: OpenBounds,
): ClientRequest {
  const { request } = process.getBuiltinModule(
    url.startsWith("https:") ? "node:https" : "node:http",
  );
  const secured = trust && { secureContext: trust };
  return request(url, { method, headers, agent: kept ?? false, signal, ...secured });
}

function withLength(headers: Outward["headers"], body: Outward["body"]): Outward["headers"] {
  return body === undefined || isStream(body)
    ? headers
    : { ...headers, "content-length": String(Buffer.byteLength(body)) };
}

function isStream(body: Outward["body"]): body is Readable {
  return typeof body === "object" && "pipe" in body;
}

/**
 * Trusts further authorities beside those that Node trusts, from the first request on, since it reads every root there is;
 * undefined where Node's own will do. @param ca certificates (PEM)
 */
export function trustOf(ca = ""): () => SecureContext | undefined {
  let made: SecureContext | undefined;
  return () => {
    if (ca === "") return undefined;
    const { createSecureContext, rootCertificates } = process.getBuiltinModule("node:tls");
    made ??= createSecureContext({ ca: [...rootCertificates, ca] });
    return made;
  };
}

/** `stopped`: the signal was aborted. `cut`: the connection was closed, or the answer was no HTTP. */
type AskReason =
  | "no-answer"
  | "refused"
  | "no-host"
  | "certificate"
  | "too-large"
  | "cut"
  | "stopped";

/** The failure of a request to another server. Its message has no address and no header, so that it may be shown. */
export class AskFailed extends Error {
  readonly reason: AskReason;

  constructor(reason: AskReason, message: string = SAID[reason]) {
    super(message);
    this.reason = reason;
  }
}

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

/** The codes of Node and OpenSSL for a certificate that is not to be trusted. */
const CERTIFICATE = /CERT|UNABLE_TO|_CHAIN|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|CRL/;

/**
 * The reason why a request of the box failed.
 * @param end aborted where it took too long
 */
export function askFailure(error: unknown, end: AbortSignal): AskFailed {
  if (error instanceof AskFailed) return error;
  if (end.aborted) return new AskFailed("no-answer");
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code in REASONS) return new AskFailed(REASONS[code] ?? "cut");
  if (!CERTIFICATE.test(code)) return new AskFailed("cut");
  return new AskFailed("certificate", `${SAID.certificate} (${code})`);
}
