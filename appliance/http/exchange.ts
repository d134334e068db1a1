import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { SecureContext } from "node:tls";

/** One request of the box to another host. */
interface Outward {
  readonly method: string;
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
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
  const sent = opener(url)(url, {
    method,
    headers: withLength(headers, body),
    agent: false,
    signal,
    ...(trust && { secureContext: trust }),
  });
  const parts: Buffer[] = [];
  let answer: IncomingMessage | undefined;
  const over = (ended: Exchanged["ended"], error?: Error) => {
    sent.destroy();
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
  sent.end(body);
  return promise;
}

/**
 * Sends a request the same way, for an answer of any size: its body is the caller's to read, and to
 * destroy.
 * @throws {Error} as `exchange`
 */
export function opened(
  { method, url, headers, body }: Outward,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  opener(url)(url, { method, headers: withLength(headers, body), agent: false, signal })
    .on("response", resolve)
    .on("error", reject)
    // An answer that leaves HTTP, like 101, is neither.
    .on("close", () => reject(new Error(NO_ANSWER)))
    .end(body);
  return promise;
}

/** Loaded with the first request: see node-http.ts. */
function opener(url: string) {
  return url.startsWith("https:")
    ? process.getBuiltinModule("node:https").request
    : process.getBuiltinModule("node:http").request;
}

function withLength(headers: Outward["headers"], body: Outward["body"]): Outward["headers"] {
  return body === undefined
    ? headers
    : { ...headers, "content-length": String(Buffer.byteLength(body)) };
}
