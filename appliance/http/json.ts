import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "koa";

/** Below this, compressing saves nothing that matters. */
const WORTH_COMPRESSING_BYTES = 1_024;

const compressors = {
  // Level 4 is as fast as gzip and smaller; the default, 11, takes seconds for a large report.
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
};

/** Answers JSON text with an ETag, 304 when the client has it, compressed when it is worth it. */
export async function sendJson(ctx: Context, json: string): Promise<void> {
  ctx.status = 200;
  ctx.type = "application/json";
  ctx.vary("Accept-Encoding");
  const body = Buffer.from(json);
  // Weak: the same for every encoding.
  ctx.set("ETag", `W/"${createHash("sha1").update(body).digest("base64url")}"`);
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const encoding =
    body.length < WORTH_COMPRESSING_BYTES ? false : ctx.acceptsEncodings("br", "gzip");
  if (encoding !== "br" && encoding !== "gzip") {
    ctx.body = body;
    return;
  }
  ctx.set("Content-Encoding", encoding);
  ctx.body = await compressors[encoding](body);
}
