import type { IncomingMessage } from "node:http";
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

function tooLarge(limit: number): HttpError {
  return new HttpError(413, "payload_too_large", `The body is larger than ${limit} bytes.`);
}

/** Reads a body of at most `limit` bytes. @throws {HttpError} 413 `payload_too_large`, 400 `invalid_json` where it ends early */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  // A request that announces none is at its end before anything listens.
  if (request.readableEnded) return Buffer.alloc(0);
  try {
    const length = request.headers["content-length"];
    return await getRawBody(request, { limit, ...(length !== undefined && { length }) });
  } catch (error) {
    if ((error as { type?: string }).type === "entity.too.large") throw tooLarge(limit);
    throw new HttpError(400, "invalid_json", "The body ended before it was complete.");
  }
}
