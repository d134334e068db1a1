import type { Context } from "koa";
import { encodingFor } from "../../../base/http/encoding.ts";
import type { Condition } from "../../../base/text/condition.ts";
import { hasOpenName } from "../../../base/text/source-name.ts";
import {
  type Accepts,
  type Answer,
  type Asker,
  type Lane,
  type Numbers,
  type SourceNumber,
  SourceUnclear,
  sourceNamed,
} from "../../../store/store.ts";
import { queryValue } from "../counting/payload.ts";
import { invalid } from "./question.ts";

/** The asker of a read, which is gone when the connection is closed. */
export function askerOf(ctx: Context, lane: Lane): Asker {
  return { lane, gone: () => ctx.socket.destroyed };
}

/** The parts of an owner's read besides its query. */
export function readingOf(ctx: Context): { accepts: Accepts; asker: Asker } {
  return { accepts: acceptsOf(ctx), asker: askerOf(ctx, "owner") };
}

/** The encodings that the asker accepts, and the answer it has. */
function acceptsOf(ctx: Context): Accepts {
  return {
    encoding: encodingFor(ctx),
    // A browser that reloads wants it all.
    ifNoneMatch: /\bno-cache\b/.test(ctx.get("Cache-Control")) ? "" : ctx.get("If-None-Match"),
  };
}

/**
 * The number of the requested source; undefined for all.
 * @param readsAll whether the asker is told the names of sources, and may ask by them
 * @throws {HttpError} 400, to a link that shares a part in any case: which sources there are is no part of it
 */
export async function sourceAsked(
  ctx: Context,
  numbers: Numbers,
  { bound, readsAll }: { readonly bound: readonly Condition[]; readonly readsAll: boolean },
): Promise<SourceNumber | undefined> {
  const text = queryValue(ctx.query, "source");
  if (text === undefined) return undefined;
  if (bound.length > 0) throw invalid("This link shows all sources together. Leave `source` out.");
  try {
    const sources = await numbers.read("sources", undefined, askerOf(ctx, "owner"));
    // Names that the asker is not told must not be found out by guessing.
    return sourceNamed(
      readsAll ? sources : sources.map((one) => (hasOpenName(one) ? one : { ...one, name: "" })),
      text,
    );
  } catch (error) {
    if (error instanceof SourceUnclear) throw invalid(error.message);
    throw error;
  }
}

/** Sends numbers of days that may still run. @param now epoch milliseconds */
export function sendRunning(ctx: Context, answer: Answer, now: number): void {
  ctx.set("Cache-Control", "private, no-cache");
  ctx.vary("Authorization");
  // The dashboard needs the time of today; the system's clock, which Node would use, may be wrong.
  ctx.set("Date", new Date(now).toUTCString());
  sendAnswer(ctx, answer);
}

/** Sends an answer of the reader, or 304 where the asker has it already. */
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
