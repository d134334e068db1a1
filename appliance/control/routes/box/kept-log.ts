import { HttpError } from "../../../base/http/errors.ts";
import type { Handler } from "../../route.ts";

interface KeptLogParts {
  /** The log that was kept; undefined where there is none. */
  read: () => Uint8Array | undefined;
}

/** `GET /api/log`: the end of the log before the last failure, as a text file. */
export const downloadLog: Handler<KeptLogParts, Buffer> = (ctx, { read }) => {
  const log = read();
  if (log === undefined)
    throw new HttpError(
      404,
      "no_log",
      "No log is kept: nothing has failed since the box was set up.",
    );
  ctx.set("Cache-Control", "no-store");
  ctx.set("Content-Disposition", 'attachment; filename="tallydeck-log.txt"');
  ctx.type = "text/plain; charset=utf-8";
  ctx.body = Buffer.from(log);
};
