import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Context } from "koa";
import { invalidField } from "../../base/refusal.ts";
import { readBytes } from "../../http/body.ts";
import { HttpError } from "../../http/errors.ts";
import type { LogFeed } from "../../imports/logs/feed.ts";
import { ImportRefused } from "../../imports/refused.ts";
import type { Numbers } from "../../store/store.ts";
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
const BATCH = /^[\w.:+/=-]{1,128}$/;

const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** `POST /api/logs/:site`: counts the lines of an access log. */
export function logsRoute({ numbers, feed }: Parts): SenderRoute {
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
      const text = await textOf(ctx);
      const { hits, left, isLate, note } = await feed
        .read({ site: id, batch, text, hosts, pattern })
        .catch((error: unknown) => {
          throw error instanceof ImportRefused ? invalidField("format", error.message) : error;
        });
      if (isLate)
        throw new HttpError(
          400,
          "too_old",
          "All these lines are of days before yesterday. Bring the file with `tallydeck import`.",
        );
      await numbers.countOnce(site.key, batch, hits);
      ctx.body = {
        ok: true,
        views: hits.length,
        left: Object.fromEntries(left),
        ...(note !== undefined && { note }),
      } satisfies LogsAnswer;
    },
  };
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

/** @throws {HttpError} 413, 415, 400 */
async function textOf(ctx: Context): Promise<string> {
  const encoding = ctx.get("Content-Encoding").toLowerCase();
  if (!["", "identity", "gzip"].includes(encoding))
    throw new HttpError(
      415,
      "unsupported_media_type",
      "Send lines as they are, or packed by gzip.",
    );
  if (encoding !== "gzip") return (await readBytes(ctx.req, PACKED_BYTES)).toString("utf8");
  const bytes = await readBytes(ctx.req, PACKED_BYTES);
  try {
    return (await unpack(bytes, { maxOutputLength: UNPACKED_BYTES })).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw new HttpError(
        413,
        "payload_too_large",
        `The lines are larger than ${UNPACKED_BYTES} bytes when they are unpacked.`,
      );
    throw new HttpError(400, "invalid_body", "The body is no gzip that can be unpacked.");
  }
}
