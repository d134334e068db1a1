import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { type Day, formatDay, parseDay } from "../../base/calendar.ts";
import { DayZone, UTC_DAYS } from "../../base/day-zone.ts";
import { isTimeZone } from "../../base/time-zone.ts";
import { bring, importOrigin } from "../../imports/bring.ts";
import { FORMAT_NAMES } from "../../imports/formats.ts";
import { type Inspected, inspect } from "../../imports/inspect.ts";
import { type ImportPlan, type LeftOut, planImport } from "../../imports/plan.ts";
import { ImportRefused } from "../../imports/refused.ts";
import { detailFrom, openToChange, type SiteRecord } from "../../store/desk.ts";
import {
  type Command,
  CommandFailed,
  JSON_OPTION,
  outJson,
  parseCommandLine,
  type Terminal,
  UsageError,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, noSite, siteMeant } from "../data.ts";
import { checkData } from "../others-data.ts";
import { barsOf } from "../sites/stats-table.ts";

const help = `tallydeck import: brings what another tool has counted.

  tallydeck import FILE... --site SITE              brings the days before the first that was counted here
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
${DATA_OPTIONS_HELP}

What was counted here is never changed. The same file again brings nothing twice. A running service shows the
days at once. \`tallydeck sources\` lists imports, and deletes one.`;

/** The heap grows by half before it is collected again, not to twice and more: a board has little memory. */
const SMALL_HEAP = "--heap-growing-percent=50";

const OPTIONS = {
  ...DATA_OPTIONS,
  ...JSON_OPTION,
  site: { type: "string" },
  inspect: { type: "boolean" },
  from: { type: "string" },
  to: { type: "string" },
  replace: { type: "boolean" },
  zone: { type: "string" },
  host: { type: "string", multiple: true },
  "log-format": { type: "string" },
  progress: { type: "boolean" },
} as const;

export const importCommand: Command = {
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, OPTIONS);
    setFlagsFromString(SMALL_HEAP);
    if (positionals.length === 0)
      throw new UsageError("Name the file: `tallydeck import FILE --site SITE`.");
    const named = daysNamed(values);
    if (values.zone !== undefined && !isTimeZone(values.zone))
      throw new UsageError("--zone must be a time zone like Europe/Zurich.");
    // Its --host is the log's, not the one that `tallydeck run` binds to.
    const { host: hosts = [], ...dataFlags } = values;
    const config = configFrom(dataFlags, terminal);
    await checkData(["import"], config, terminal);
    const desk = await openToChange(config);
    const interrupted = new AbortController();
    const interrupt = () => interrupted.abort();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
    try {
      const directory = await desk.directory();
      if (directory.sites.length === 0) throw new CommandFailed(await noSite(config, terminal));
      const site = siteMeant(directory, values.site);
      const zone = new DayZone(directory.dayZone ?? UTC_DAYS);
      const today = zone.today(terminal.now());
      const show = progressOf(terminal, values.progress === true);
      const found = await inspect(positionals, {
        ...{ zone, today, fileZone: values.zone, signal: interrupted.signal },
        detailFrom: detailFrom({ ...config, today }),
        logs: {
          ...{ site: site.id, hosts },
          ...{ pattern: values["log-format"], randomBytes },
        },
        onShare: show("Reading"),
      });
      const origin = importOrigin(found, site);
      const plan = planImport(found.days.keys(), {
        sources: await desk.read("sourceDays", { site: site.key }),
        ...{ origin, today, retentionDays: config.retentionDays },
        wish: { named, replaces: values.replace === true },
      });
      terminal.rewrite?.("");
      const work: Work = { found, plan, site, retentionDays: config.retentionDays };
      if (values.inspect) {
        tell(work, values.json === true, terminal);
        return;
      }
      refuse(work, values.replace === true);
      await bring(desk, found, {
        ...{ site, origin, plan, today, now: terminal.now, signal: interrupted.signal },
        onShare: show("Writing"),
      });
      terminal.rewrite?.("");
      if (values.json) tell(work, true, terminal);
      else
        for (const line of plan.fresh === 0 ? [hereLine(work)] : doneLines(work))
          terminal.out(line);
    } catch (error) {
      if (interrupted.signal.aborted)
        throw new CommandFailed(
          "Interrupted. What was brought stays, and the same command goes on from there.",
        );
      throw error instanceof ImportRefused ? new CommandFailed(error.message) : error;
    } finally {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
      await desk.close();
    }
  },
};

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

interface Work {
  readonly found: Inspected;
  readonly plan: ImportPlan;
  readonly site: SiteRecord;
  readonly retentionDays: number;
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

/** The sentence for days that stay out, after their number. */
const WHY: Readonly<Record<LeftOut, (work: Work) => string>> = {
  counted: () => "on which something was counted here",
  after: () =>
    "after the first one that was counted here: name them with --from and --to to fill gaps",
  unnamed: () => "that --from and --to leave out",
  today: () => "that are not over",
  retention: ({ retentionDays }) =>
    `older than ${retentionDays} days, the RETENTION_DAYS of this machine: set it higher first to keep them`,
};

/** The number of days, for people. */
function daysText(n: number): string {
  return n === 1 ? "1 day" : `${n} days`;
}

/** @throws {CommandFailed} where there is nothing to do, or something to agree to */
function refuse({ plan, site, ...work }: Work, replaces: boolean): void {
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

function leftLines(work: Work): string[] {
  return [...work.plan.left].map(([why, n]) => `Left out: ${daysText(n)} ${WHY[why](work)}.`);
}

const SUMS = [
  ["pv", "views"],
  ["uv", "visitors"],
  ["sessions", "sessions"],
] as const;

function sumsOf({ found }: Work): [name: string, n: number][] {
  return SUMS.map(([counter, name]) => [
    name,
    [...found.days.values()].reduce((sum, day) => sum + (day[counter] ?? 0), 0),
  ]);
}

function tell(work: Work, asJson: boolean, terminal: Terminal): void {
  if (asJson) {
    outJson(terminal, jsonOf(work));
    return;
  }
  const { found, plan, site } = work;
  const { about, days } = found;
  const [first = 0, last = 0] = [[...days.keys()][0], [...days.keys()].at(-1)];
  const counts = Array.from({ length: last - first + 1 }, (_, at) => {
    const day = days.get(first + at);
    return day?.pv ?? day?.sessions ?? 0;
  });
  const lines = [
    `${found.name}: ${about.format}, ${formatDay(first)} to ${formatDay(last)}, ${daysText(days.size)} with counts.`,
    zoneLine(found),
    sumsOf(work)
      .filter(([, n]) => n > 0)
      .map(([name, n]) => `${n} ${name}`)
      .join(", "),
    ...(about.gaps.some(({ lacks }) => lacks.includes("pv"))
      ? [`${about.format} does not tell how many views there were: charts have a gap there.`]
      : []),
    barsOf(counts, Math.max(1, terminal.columns - 1)),
    ...[...found.left].map(([what, n]) => `Not brought: ${n} ${what}.`),
    ...leftLines(work),
    ...plan.replaced.map(
      ({ source, days: its }) =>
        `In the place of ${daysText(its.length)} of ${source.name}, with --replace.`,
    ),
    plan.days.length === 0
      ? `Nothing of it can be brought to ${site.id}.`
      : `Would bring ${daysText(plan.fresh)} to ${site.id}${rangeText(plan)}. Nothing was written.`,
  ];
  for (const line of lines) terminal.out(line);
}

function zoneLine({ about, isZoneGuessed }: Inspected): string {
  const line = `Days begin by ${about.zone} in it`;
  return isZoneGuessed ? `${line}, unless you say otherwise with --zone.` : `${line}.`;
}

function rangeText({ days }: ImportPlan): string {
  const [first, last] = [days[0], days.at(-1)];
  return first === undefined || last === undefined
    ? ""
    : `, ${formatDay(first)} to ${formatDay(last)}`;
}

function hereLine({ plan, site }: Work): string {
  return `All of it is here already: ${daysText(plan.days.length)} of ${site.id}.`;
}

function doneLines(work: Work): string[] {
  const { found, plan, site } = work;
  return [
    `Brought ${daysText(plan.fresh)} from ${found.name} to ${site.id}${rangeText(plan)}.`,
    ...leftLines(work),
    ...[...found.left].map(([what, n]) => `Not brought: ${n} ${what}.`),
  ];
}

function jsonOf(work: Work): object {
  const { found, plan, site } = work;
  return {
    site: site.id,
    file: found.name,
    ...found.about,
    isZoneGuessed: found.isZoneGuessed,
    days: Object.fromEntries([...found.days].map(([day, sums]) => [formatDay(day), sums])),
    notBrought: Object.fromEntries(found.left),
    leftOut: Object.fromEntries(plan.left),
    replaces: plan.replaced.map(({ source, days }) => ({
      source: source.number,
      name: source.name,
      days: days.length,
    })),
    brings: plan.days.map(formatDay),
    fresh: plan.fresh,
  };
}
