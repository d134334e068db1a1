import { finished, Readable } from "node:stream";
import { invalidField } from "../../../base/refusal.ts";
import { EXPORT_FORMATS, exportFormatOf, exportName } from "../../../base/text/export-name.ts";
import type { Numbers } from "../../../store/store.ts";
import type { OwnProgram } from "../../moving/own-program.ts";
import type { Handler } from "../../route.ts";
import { siteOf } from "./sites.ts";

interface ExportParts {
  numbers: Numbers;
  program: Pick<OwnProgram, "start">;
}

/** `GET /api/sites/:id/export?format=plausible|csv|jsonl`: all that was counted of a site, as one file. */
export const exportSite: Handler<ExportParts> = async (ctx, parts) => {
  const { numbers, program } = parts;
  const { id } = siteOf(ctx, numbers);
  const format = exportFormatOf([ctx.query.format].flat()[0]);
  if (format === undefined)
    throw invalidField("format", `must be one of ${EXPORT_FORMATS.join(", ")}.`);
  const work = program.start("export", [`--site=${id}`, `--format=${format}`, "--to=-"]);
  // The client may have left already.
  finished(ctx.res, () => work.kill());
  const pieces = work.read();
  // An export that cannot begin is told by a sentence.
  const first = await pieces.next();
  ctx.attachment(exportName(id, numbers.zone.today(numbers.clock.now()), format));
  ctx.set("Cache-Control", "no-store");
  ctx.type = format === "plausible" ? "application/zip" : "application/gzip";
  return Readable.from(rest(first, pieces), { objectMode: false }).on("error", () => {
    // A download that ends early must not look whole.
    ctx.res.destroy();
  });
};

async function* rest(
  first: IteratorResult<Buffer>,
  pieces: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* pieces;
}
