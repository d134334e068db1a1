import { type Agent, request } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";

export interface Reply {
  readonly status: number;
  readonly body: Buffer;
  /** The time from the call to the last byte of the answer. */
  readonly ms: number;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** The address it comes from. */
  readonly from?: string;
  /** Without one, the request has a connection of its own. */
  readonly agent?: Agent;
  readonly timeoutMs?: number;
  /** Called before a second try where a kept connection was closed. Browsers try again, too. */
  readonly onClosed?: () => void;
}

/** The time limit of an answer. */
const PATIENCE_MS = 60_000;

/** Sends one request, from any address of this machine. Rejects without an answer. */
export function ask(origin: string, path: string, options: Ask = {}): Promise<Reply> {
  const { method = "GET", headers = {}, body, from, agent, onClosed } = options;
  const { timeoutMs = PATIENCE_MS } = options;
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, {
      method,
      headers,
      agent: agent ?? false,
      ...(from !== undefined && { localAddress: from }),
    });
    const impatience = setTimeout(
      () => sent.destroy(new Error(`no answer in ${timeoutMs / 1_000} s`)),
      timeoutMs,
    );
    sent.once("close", () => clearTimeout(impatience));
    sent.once("error", (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
      if (onClosed === undefined || !sent.reusedSocket || !isClosed) return reject(error);
      onClosed();
      const { agent: _kept, onClosed: _again, ...anew } = options;
      resolve(ask(origin, path, anew));
    });
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks),
          ms: performance.now() - began,
        }),
      );
    });
    sent.end(body);
  });
}

/** The headers and body of a request with JSON. */
export function json(thing: unknown) {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(thing),
  };
}

/** The status of the answer; 0 when there was none. */
export async function statusOf(reply: Promise<Reply>): Promise<number> {
  return reply.then(
    ({ status }) => status,
    () => 0,
  );
}

/** The `nth` address of an IPv4 block like `127.64.0.0/10`, without its first and last one; it wraps at the end. */
export function addressOf(block: string, nth: number): string {
  const [base = "", bits] = block.split("/");
  const size = 2 ** (32 - Number(bits));
  const first = base.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const address = first + 1 + (nth % (size - 2));
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

/** An IPv4 block that has room for more than one address. */
export const BLOCK = /^(?:\d{1,3}\.){3}\d{1,3}\/(?:[1-9]|[12]\d|30)$/;

/** A connection to a listener from one of one's own addresses. */
export function connectFrom(
  from: string,
  origin: string,
  options: Pick<NetConnectOpts, "allowHalfOpen"> = {},
): Socket {
  const { hostname, port } = new URL(origin);
  return connect({ host: hostname, port: Number(port || 80), localAddress: from, ...options });
}
