import { createGunzip } from "node:zlib";
import type { Context } from "koa";
import { readBytes } from "../../base/http/body.ts";
import { HttpError, rateLimited } from "../../base/http/errors.ts";
import { invalidField } from "../../base/refusal.ts";
import { HitsEncoder, type Numbers, type SiteRecord, type SiteRules } from "../../store/store.ts";
import { BYTES_AT_ONCE, type LogFeed } from "../../traffic/imports/logs/feed.ts";
import { ImportRefused } from "../../traffic/imports/refused.ts";
import { noSuchSite } from "../routes/sites/sites.ts";
import type { LogsAnswer } from "../wire.ts";
import type { SenderRoute } from "./route.ts";

interface Parts {
  numbers: Pick<Numbers, "directory" | "countOnce">;
  feed: LogFeed;
}

const MB = 1_048_576;
const PACKED_BYTES = MB;
const UNPACKED_BYTES = 16 * MB;
const MAX_HOSTS = 20;
/** Batches that wait for each other: each holds its packed bytes. */
const MAX_WAITING = 8;
const BATCH = /^[\w.:+/=-]{1,128}$/;

/** `POST /api/logs/:site`: counts the lines of an access log. */
export function logsRoute({ numbers, feed }: Parts): SenderRoute {
  let waiting = 0;
  return {
    path: ["api", "logs"],
    usage: "Send lines to /api/logs/<site>.",
    methods: ["POST"],
    scope: "logs",
    async handle(ctx, { channel: id }) {
      const site = numbers.directory.sites.find((one) => one.id === id);
      if (site === undefined) throw noSuchSite(id);
      const batch = batchOf(ctx);
      const hosts = [ctx.query.host ?? []].flat();
      if (hosts.length > MAX_HOSTS)
        throw invalidField("host", `may stand there ${MAX_HOSTS} times.`);
      const pattern = [ctx.query.format ?? []].flat()[0];
      if (waiting >= MAX_WAITING)
        throw rateLimited(1, "Other lines are being read. Send these again in a moment.");
      waiting++;
      try {
        ctx.body = await count(site, batch, { hosts, pattern, body: await bodyOf(ctx) });
      } finally {
        waiting--;
      }
    },
  };

  async function count(
    rules: Pick<SiteRecord, "id" | "key"> & SiteRules,
    batch: string,
    sent: Pick<Parameters<LogFeed["read"]>[0], "hosts" | "pattern" | "body">,
  ): Promise<LogsAnswer> {
    const { id, key } = rules;
    // A site has another key after other data were taken in.
    const name = `${key} ${id} ${batch}`;
    const { hits, views, left, isLate, note } = await feed
      .read({ ...sent, site: id, rules, batch: name, encoder: () => new HitsEncoder(key) })
      .catch((error: unknown) => {
        throw error instanceof ImportRefused ? invalidField("format", error.message) : error;
      });
    if (isLate)
      throw new HttpError(
        400,
        "too_old",
        "All these lines are of days before yesterday. Bring the file with `tallydeck import`.",
      );
    if (hits !== undefined) await numbers.countOnce(batch, hits);
    feed.stored(name);
    return {
      ok: true,
      views,
      left: Object.fromEntries(left),
      ...(note !== undefined && { note }),
    };
  }
}

/** @throws {Refusal} `invalid_field` */
function batchOf(ctx: Context): string {
  const batch = ctx.get("Batch-Id") || [ctx.query.batch ?? ""].flat()[0] || "";
  if (BATCH.test(batch)) return batch;
  throw invalidField(
    "Batch-Id",
    "must be a header that names these lines: up to 128 letters, digits and . : + / = _ -. Sent again under the same name, they count once.",
  );
}

/**
 * The lines of a body, unpacked anew each time that they are asked for: as one text they would be many times as large.
 * @throws {HttpError} 413, 415, 400, also while they are read
 */
async function bodyOf(ctx: Context): Promise<() => AsyncGenerator<Uint8Array>> {
  const encoding = ctx.get("Content-Encoding").toLowerCase();
  if (!["", "identity", "gzip"].includes(encoding))
    throw new HttpError(
      415,
      "unsupported_media_type",
      "Send lines as they are, or packed by gzip.",
    );
  const bytes = await readBytes(ctx.req, PACKED_BYTES);
  return () => (encoding === "gzip" ? unpacked(bytes) : inPieces(bytes));
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE)
    yield bytes.subarray(at, at + BYTES_AT_ONCE);
}

/** @throws {HttpError} 413, 400 */
async function* unpacked(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const unpack = createGunzip({ chunkSize: BYTES_AT_ONCE });
  unpack.end(bytes);
  let n = 0;
  try {
    for await (const piece of unpack as AsyncIterable<Uint8Array>) {
      n += piece.length;
      if (n > UNPACKED_BYTES)
        throw new HttpError(
          413,
          "payload_too_large",
          `The lines are larger than ${UNPACKED_BYTES} bytes when they are unpacked.`,
        );
      yield piece;
    }
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, "invalid_body", "The body is no gzip that can be unpacked.");
  }
}
