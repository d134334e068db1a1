import type { Context, Middleware } from "koa";
import { HttpError } from "../../http/errors.ts";
import type { Accepts, Answer } from "../../store/answer.ts";
import { type Asker, type Lane, ReadRefused } from "../../store/read-queue.ts";

const ANSWERS: Record<ReadRefused["reason"], { code: string; retryAfter: string }> = {
  busy: { code: "busy", retryAfter: "5" },
  failed: { code: "read_failed", retryAfter: "60" },
  replaced: { code: "storage_unavailable", retryAfter: "60" },
  gone: { code: "busy", retryAfter: "5" },
};

/** Who asks: nobody any more once the connection is gone. */
export function askerOf(ctx: Context, lane: Lane): Asker {
  return { lane, gone: () => ctx.socket.destroyed };
}

/** What the asker accepts, and has. */
export function acceptsOf(ctx: Context): Accepts {
  const encoding = ctx.acceptsEncodings("br", "gzip", "identity");
  return {
    encoding: encoding === "br" || encoding === "gzip" ? encoding : null,
    // Who reloads wants it all.
    ifNoneMatch: /\bno-cache\b/.test(ctx.get("Cache-Control")) ? "" : ctx.get("If-None-Match"),
  };
}

/** Sends what the reader made; 304 where the asker has it. */
export function sendAnswer(ctx: Context, { etag, encoding, body }: Answer): void {
  ctx.status = 200;
  ctx.type = "application/json";
  ctx.vary("Accept-Encoding");
  ctx.set("ETag", etag);
  if (body === null) {
    ctx.status = 304;
    return;
  }
  if (encoding !== null) ctx.set("Content-Encoding", encoding);
  ctx.body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** 503 with `Retry-After` where the store had to refuse a read. */
export const refusedReads: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof ReadRefused)) throw error;
    const { code, retryAfter } = ANSWERS[error.reason];
    throw new HttpError(503, code, error.message, { "Retry-After": retryAfter });
  }
};
