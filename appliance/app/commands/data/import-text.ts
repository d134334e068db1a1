import { formatDay } from "../../../base/calendar.ts";
import { grouped } from "../../../base/text/listing.ts";
import type { SiteRecord } from "../../../store/desk.ts";
import type { Inspected } from "../../../traffic/imports/inspect.ts";
import type { ImportPlan, LeftOut } from "../../../traffic/imports/plan.ts";
import { barsOf } from "../sites/stats-table.ts";

export interface ImportWork {
  readonly found: Inspected;
  readonly plan: ImportPlan;
  readonly site: SiteRecord;
  readonly retentionDays: number;
}

/** The sentence for days that stay out, after their number. */
const WHY: Readonly<Record<LeftOut, (work: ImportWork) => string>> = {
  counted: () => "on which something was counted here",
  after: () =>
    "after the first one that was counted here: name them with --from and --to to fill gaps",
  unnamed: () => "that --from and --to leave out",
  today: () => "that are not over",
  retention: ({ retentionDays }) =>
    `older than ${retentionDays} days, the RETENTION_DAYS of this machine: set it higher first to keep them`,
};

export function daysText(n: number): string {
  return n === 1 ? "1 day" : `${grouped(n)} days`;
}

export function leftLines(work: ImportWork): string[] {
  return [...work.plan.left].map(([why, n]) => `Left out: ${daysText(n)} ${WHY[why](work)}.`);
}

const SUMS = [
  ["pv", "views"],
  ["uv", "visitors"],
  ["sessions", "sessions"],
] as const;

function sumsOf({ found }: ImportWork): [name: string, n: number][] {
  return SUMS.map(([counter, name]) => [
    name,
    [...found.days.values()].reduce((sum, day) => sum + (day[counter] ?? 0), 0),
  ]);
}

/** The lines of an inspection. @param columns the characters that fit in a line */
export function tellLines(work: ImportWork, columns: number): string[] {
  const { found, plan, site } = work;
  const { about, days } = found;
  const [first = 0, last = 0] = [[...days.keys()][0], [...days.keys()].at(-1)];
  const counts = Array.from({ length: last - first + 1 }, (_, at) => {
    const day = days.get(first + at);
    return day?.pv ?? day?.sessions ?? 0;
  });
  return [
    `${found.name}: ${about.format}, ${formatDay(first)} to ${formatDay(last)}, ${daysText(days.size)} with counts.`,
    zoneLine(found),
    sumsOf(work)
      .filter(([, n]) => n > 0)
      .map(([name, n]) => `${grouped(n)} ${name}`)
      .join(", "),
    ...(about.gaps.some(({ lacks }) => lacks.includes("pv"))
      ? [`${about.format} does not tell how many views there were: charts have a gap there.`]
      : []),
    barsOf(counts, Math.max(1, columns - 1)),
    ...[...found.left].map(([what, n]) => `Not imported: ${grouped(n)} ${what}.`),
    ...found.notes,
    ...leftLines(work),
    ...plan.replaced.map(
      ({ source, days: its }) =>
        `In the place of ${daysText(its.length)} of ${source.name}, with --replace.`,
    ),
    plan.days.length === 0
      ? `Nothing of it can be imported into ${site.id}.`
      : `Would import ${daysText(plan.fresh)} into ${site.id}${rangeText(plan)}. Nothing was written.`,
  ];
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

export function hereLine({ plan, site }: ImportWork): string {
  return `All of it is here already: ${daysText(plan.days.length)} of ${site.id}.`;
}

export function doneLines(work: ImportWork): string[] {
  const { found, plan, site } = work;
  return [
    `Imported ${daysText(plan.fresh)} from ${found.name} to ${site.id}${rangeText(plan)}.`,
    ...leftLines(work),
    ...[...found.left].map(([what, n]) => `Not imported: ${grouped(n)} ${what}.`),
    ...found.notes,
  ];
}

export function jsonOf(work: ImportWork): object {
  const { found, plan, site } = work;
  return {
    site: site.id,
    file: found.name,
    ...found.about,
    isZoneGuessed: found.isZoneGuessed,
    days: Object.fromEntries([...found.days].map(([day, sums]) => [formatDay(day), sums])),
    notBrought: Object.fromEntries(found.left),
    notes: found.notes,
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
