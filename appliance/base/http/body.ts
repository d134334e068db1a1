import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import getRawBody from "raw-body";
import { HttpError } from "./errors.ts";

/**
 * Reads a JSON body of at most `limit` bytes, by those that arrive, and not only by the declared length.
 * @throws {HttpError} 413 `payload_too_large`, 400 `invalid_json`
 */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  return parseJson(await readBytes(request, limit));
}

/** @throws {HttpError} 400 `invalid_json` */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new HttpError(400, "invalid_json", "The body is not valid JSON in UTF-8.");
  }
}

/**
 * Reads the first `keep` bytes of a body. The rest is discarded, and not awaited beyond `limit`.
 * @throws {HttpError} 400 `invalid_body` when it ends early
 */
export async function readStart(
  request: IncomingMessage,
  { keep, limit }: { keep: number; limit: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = 0;
  try {
    // The connection stays, for the answer.
    for await (const chunk of request.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      if (read < keep) chunks.push(chunk.subarray(0, keep - read));
      read += chunk.length;
      if (read > limit) break;
    }
  } catch {
    throw new HttpError(400, "invalid_body", "The body ended before it was complete.");
  }
  request.resume();
  return Buffer.concat(chunks);
}

/** Reads a body of at most `limit` bytes. @throws {HttpError} 413 `payload_too_large`, 400 `invalid_json` where it ends early */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  // A request that announces none is at its end before anything listens.
  if (request.readableEnded) return Buffer.alloc(0);
  try {
    const length = request.headers["content-length"];
    return await getRawBody(request, { limit, ...(length !== undefined && { length }) });
  } catch (error) {
    if ((error as { type?: string }).type === "entity.too.large")
      throw new HttpError(413, "payload_too_large", `The body is larger than ${limit} bytes.`);
    throw new HttpError(400, "invalid_json", "The body ended before it was complete.");
  }
}

/** Bytes of a body that is filled in by hand. */
const FORM_BYTES = 65_536;

/** @throws {HttpError} 415 unless the body is declared as JSON; parameters and case do not matter. */
function expectJson(ctx: Context): void {
  const [type = ""] = ctx.get("Content-Type").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new HttpError(
      415,
      "unsupported_media_type",
      "Send the body as JSON, with the header `Content-Type: application/json`.",
    );
}

/**
 * The body as JSON of any shape.
 * @throws {HttpError} 415, 413, 400 `invalid_json`
 */
export function jsonBody(ctx: Context, limit = FORM_BYTES): Promise<unknown> {
  expectJson(ctx);
  return readJson(ctx.req, limit);
}

/**
 * The bytes of a body with the type of JSON, for parsing elsewhere.
 * @throws {HttpError} 415, 413, 400 `invalid_json` where it ends early
 */
export function jsonBytes(ctx: Context, limit: number): Promise<Buffer> {
  expectJson(ctx);
  return readBytes(ctx.req, limit);
}

/**
 * The body as JSON, which may be missing.
 * @throws {HttpError} 415, 413, 400 `invalid_json`
 */
export async function optionalJson(ctx: Context, otherwise: object): Promise<unknown> {
  const isThere = ctx.get("Transfer-Encoding") !== "" || Number(ctx.get("Content-Length")) > 0;
  return isThere ? jsonBody(ctx) : otherwise;
}
