import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportFormatOf,
  exportName,
} from "../../../base/text/export-name.ts";
import { csvExport } from "../../../traffic/exports/csv.ts";
import { jsonlExport } from "../../../traffic/exports/jsonl.ts";
import { plausibleExport } from "../../../traffic/exports/plausible.ts";
import { ExportedSite } from "../../../traffic/exports/site.ts";
import { CommandFailed, command, notUnderstood, UsageError, valued } from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { onSite } from "../others-data.ts";

type MakeExport = (
  site: ExportedSite,
  onShare: (share: number) => void,
) => Promise<NodeJS.ReadableStream>;

const MAKE: Readonly<Record<ExportFormat, MakeExport>> = {
  plausible: plausibleExport,
  csv: async (site, onShare) => packed(csvExport(site, onShare)),
  jsonl: async (site, onShare) => packed(jsonlExport(site, onShare)),
};
const STDOUT = "-";

export const exportCommand = command({
  help: `tallydeck export: writes all that was counted of a site into one file.

  tallydeck export --site SITE --format FORMAT [--to FILE]

  --site SITE      which; where there is one site only, that one
  --format FORMAT  plausible  a zip archive that Plausible and others import
                   csv        one table: each value of each dimension by day
                   jsonl      everything, from which another Tallydeck has the same answers: see
                              \`tallydeck import\`
  --to FILE        where to; a name with the site and the day in this folder, unless given; - for
                   standard output
${DATA_OPTIONS_HELP}

csv and jsonl are packed (gzip). A service may run meanwhile. Nothing in the file identifies a visitor: nothing
here does. Tokens, and addresses that digests go to, stay.`,
  options: { ...DATA_OPTIONS, ...valued("site", "format", "to") },
  async run({ values, positionals }, terminal) {
    if (positionals.length > 0) throw notUnderstood("export", positionals, []);
    const format = exportFormatOf(values.format);
    if (format === undefined)
      throw new UsageError(`Say in which format: --format ${EXPORT_FORMATS.join(", ")}.`);
    const config = configFrom(values, terminal);
    const about = { config, terminal };
    await onSite(
      ["export"],
      { id: values.site },
      about,
      async ({ desk, zone, today, now, ...of }) => {
        const site = new ExportedSite(desk, of.site, zone.nameAt(now));
        const to = values.to ?? exportName(site.id, today, format);
        const onShare = (share: number) =>
          terminal.rewrite?.(`Writing … ${Math.floor(100 * share)} %`);
        const stream = await MAKE[format](site, onShare);
        if (to === STDOUT) {
          await pipeline(stream, terminal.output, { end: false });
          return;
        }
        await writeWhole(stream, to);
        terminal.rewrite?.("");
        terminal.out(`Wrote ${to}.`);
      },
    );
  },
});

function packed(lines: AsyncGenerator<string>): NodeJS.ReadableStream {
  const gzip = createGzip();
  // An error of either comes out of what is read.
  pipeline(Readable.from(lines), gzip).catch(() => {});
  return gzip;
}

/** Writes a file that is there whole or not at all. @throws {CommandFailed} */
async function writeWhole(stream: NodeJS.ReadableStream, path: string): Promise<void> {
  const unfinished = `${path}.part`;
  try {
    await rm(unfinished, { force: true });
    await pipeline(stream, createWriteStream(unfinished, { flags: "wx" }));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw new CommandFailed(`${path} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
