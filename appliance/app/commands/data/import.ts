import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Day, parseDay } from "../../../base/calendar.ts";
import { isTimeZone } from "../../../base/time-zone.ts";
import { detailFrom } from "../../../store/desk.ts";
import { bring, importOrigin } from "../../../traffic/imports/bring.ts";
import { fetchMatomo, isMatomo } from "../../../traffic/imports/fetch-matomo.ts";
import { FORMAT_NAMES } from "../../../traffic/imports/formats.ts";
import { inspect } from "../../../traffic/imports/inspect.ts";
import { planImport } from "../../../traffic/imports/plan.ts";
import { ImportRefused } from "../../../traffic/imports/refused.ts";
import {
  CommandFailed,
  command,
  outJson,
  repeated,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { onSite } from "../others-data.ts";
import {
  daysText,
  doneLines,
  hereLine,
  type ImportWork,
  jsonOf,
  leftLines,
  tellLines,
} from "./import-text.ts";

export const importCommand = command({
  help: `tallydeck import: imports what another tool has counted.

  tallydeck import FILE... --site SITE              imports the days before the first that was counted here
  tallydeck import FILE... --site SITE --inspect    tells what that would be, and writes nothing

It knows these: ${FORMAT_NAMES.join(", ")}. A file may be packed (zip, gz, zst).

  --from DAY       with --to: these days instead, where nothing was counted here: 2026-01-31
  --to DAY
  --replace        puts days in the place of those that another import brought
  --zone ZONE      the time zone by which days begin in the file, where it does not say so: Europe/Zurich
  --host NAME      the host whose requests are taken from an access log of several; may be repeated
  --log-format P   the pattern of an access log of your own: '$remote_addr [$time_local] "$request" $status'
  --json           tells it as JSON
  --progress       tells on standard error how far it is, an object a line: {"step":"Reading","percent":40}

In place of FILE, the address of a Matomo asks that for its reports, with the token in MATOMO_TOKEN:
  MATOMO_TOKEN=… tallydeck import "https://matomo.example.com/?idSite=1" --site SITE

${DATA_OPTIONS_HELP}

What was counted here is never changed. The same file again brings nothing twice. A running service shows the
days at once. \`tallydeck sources\` lists imports, and deletes one.`,
  options: {
    ...DATA_OPTIONS,
    ...switches("json", "inspect", "replace", "progress"),
    ...valued("site", "from", "to", "zone", "log-format"),
    ...repeated("host"),
  },
  async run({ values, positionals }, terminal) {
    terminal.yieldToOthers();
    if (positionals.length === 0)
      throw new UsageError("Name the file: `tallydeck import FILE --site SITE`.");
    const named = daysNamed(values);
    if (values.zone !== undefined && !isTimeZone(values.zone))
      throw new UsageError("--zone must be a time zone like Europe/Zurich.");
    // Its --host is the log's, not the one that `tallydeck run` binds to.
    const { host: hosts = [], ...dataFlags } = values;
    const config = configFrom(dataFlags, terminal);
    const asked = new AskedFiles();
    const interrupted = new AbortController();
    const forget = terminal.onStop(() => interrupted.abort());
    const at = { id: values.site, changes: !values.inspect };
    const work = onSite(
      ["import"],
      at,
      { config, terminal },
      async ({ desk, site, zone, today }) => {
        const show = progressOf(terminal, values.progress === true);
        const paths = await asked.files(positionals, terminal, {
          from: named?.from,
          to: named?.to ?? today - 1,
          signal: interrupted.signal,
          onShare: show("Asking Matomo"),
        });
        const found = await inspect(paths, {
          zone,
          today,
          fileZone: values.zone,
          signal: interrupted.signal,
          detailFrom: detailFrom({ ...config, today }),
          logs: {
            site: site.id,
            rules: site,
            hosts,
            pattern: values["log-format"],
            randomBytes,
          },
          onShare: show("Reading"),
        });
        const origin = importOrigin(found, site);
        const plan = planImport(found.days.keys(), {
          sources: await desk.read("sourceDays", { site: site.key }),
          origin,
          today,
          retentionDays: config.retentionDays,
          wish: { named, replaces: values.replace === true },
        });
        terminal.rewrite?.("");
        const work: ImportWork = { found, plan, site, retentionDays: config.retentionDays };
        if (values.inspect) {
          if (values.json) outJson(terminal, jsonOf(work));
          else for (const line of tellLines(work, terminal.columns)) terminal.out(line);
          return;
        }
        refuse(work, values.replace === true);
        await bring(desk, found, {
          site,
          origin,
          plan,
          today,
          now: terminal.now,
          signal: interrupted.signal,
          onShare: show("Writing"),
        });
        terminal.rewrite?.("");
        if (values.json) outJson(terminal, jsonOf(work));
        else
          for (const line of plan.fresh === 0 ? [hereLine(work)] : doneLines(work))
            terminal.out(line);
      },
    );
    try {
      await work;
    } catch (error) {
      if (interrupted.signal.aborted)
        throw new CommandFailed(
          "Interrupted. What was imported stays, and the same command goes on from there.",
        );
      throw error instanceof ImportRefused ? new CommandFailed(error.message) : error;
    } finally {
      forget();
      await asked.remove();
    }
  },
});

/** Shows a step with its share, as often as its percents change. */
function progressOf(
  { err, rewrite }: Terminal,
  isForPrograms: boolean,
): (step: string) => (share: number) => void {
  return (step) => {
    let told = -1;
    return (share) => {
      const percent = Math.floor(100 * share);
      if (percent === told) return;
      told = percent;
      if (isForPrograms) err(JSON.stringify({ step, percent }));
      else rewrite?.(`${step} … ${percent} %`);
    };
  };
}

function daysNamed({
  from,
  to,
}: {
  from?: string;
  to?: string;
}): { from: Day; to: Day } | undefined {
  if (from === undefined && to === undefined) return undefined;
  const [first, last] = [from, to].map((text) => parseDay(text ?? ""));
  if (first === undefined || last === undefined || last < first)
    throw new UsageError("Give --from and --to together, two days like 2026-01-31.");
  return { from: first, to: last };
}

/** @throws {CommandFailed} where there is nothing to do, or something to agree to */
function refuse({ plan, site, ...work }: ImportWork, replaces: boolean): void {
  const { days, replaced } = plan;
  if (replaced.length > 0 && !replaces) {
    const n = replaced.reduce((sum, one) => sum + one.days.length, 0);
    throw new CommandFailed(
      `${daysText(n)} of these came with ${replaced.map(({ source }) => source.name).join(", ")} before. Give --replace, too, to put this file in their place, or name other days with --from and --to.`,
    );
  }
  if (days.length === 0)
    throw new CommandFailed(
      [`None of its days can be brought.`, ...leftLines({ plan, site, ...work })].join("\n"),
    );
}

/** Answers of a Matomo, kept as files while they are imported. */
class AskedFiles {
  readonly #folders: string[] = [];

  /** The paths of files, with an address replaced by the file of its answers. */
  async files(
    words: readonly string[],
    { env }: Terminal,
    options: Omit<Parameters<typeof fetchMatomo>[0], "url" | "token">,
  ): Promise<string[]> {
    const paths: string[] = [];
    for (const word of words) {
      if (!isMatomo(word)) {
        paths.push(word);
        continue;
      }
      const token = env.MATOMO_TOKEN;
      if (token === undefined)
        throw new UsageError(
          "Set MATOMO_TOKEN to a token of Matomo: Settings, Security, Auth tokens.",
        );
      const folder = await mkdtemp(join(tmpdir(), "tallydeck-import-"));
      this.#folders.push(folder);
      const path = join(folder, new URL(word).host);
      await pipeline(fetchMatomo({ ...options, url: word, token }), createWriteStream(path));
      paths.push(path);
    }
    return paths;
  }

  async remove(): Promise<void> {
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}
