import { parseDay, WEEKDAYS, weekdayOf } from "../../base/calendar.ts";
import type { DayZone } from "../../base/day-zone.ts";
import { grouped, type ListRow, listing, shortened } from "../../base/text/listing.ts";
import type { PastAlarm } from "../alarms/alarm-log.ts";
import type { DigestFigure, DigestFigures } from "./figures.ts";
import { type Mover, movedBy } from "./movers.ts";

/** Characters of a line of plain text. */
const COLUMNS = 64;
/** Characters of a name where lines may be longer. */
const NAME = 80;
/** Alarms that a digest names; of more it gives the number. */
const MOST_ALARMS = 5;

/** A heading of a digest, and the lines below it. */
interface DigestPart {
  readonly heading: string;
  readonly rows: readonly ListRow[];
}

/** `my-blog, 2026-11-19 to 2026-11-25` */
export function titleOf({ site, from, to }: DigestFigures): string {
  return from === to ? `${site}, ${to}` : `${site}, ${from} to ${to}`;
}

/** The subject of a mail: `my-blog: 1,234 visitors, +12%` */
export function subjectOf({ site, visitors }: DigestFigures): string {
  const change = changeOf(visitors.now, visitors.before);
  return `${site}: ${visitorsOf(visitors.now)}${change === "" ? "" : `, ${change}`}`;
}

/** The text for a key, in two lines. */
export function keyText({ every, visitors }: DigestFigures): string {
  const { now, before } = visitors;
  const change = now === null || before === null ? "" : changeOf(now, before) || "as before";
  return `${visitorsOf(now)}\n${every === "day" ? "yesterday" : "7 days"} ${change}`.trimEnd();
}

function visitorsOf(count: number | null): string {
  if (count === null) return "visitors not known";
  return `${grouped(count)} ${count === 1 ? "visitor" : "visitors"}`;
}

/** The parts of a digest in their order, without empty ones. */
export function partsOf(figures: DigestFigures, zone: DayZone): DigestPart[] {
  const { visitors, views, sessions, pages, sources, rose, fell, goals, alarms } = figures;
  const baseline = baselineOf(figures);
  const row = (name: string, { now, before }: DigestFigure): ListRow => ({
    name,
    count: now === null ? "–" : grouped(now),
    change: figures.isFirst
      ? ""
      : now === null || before === null
        ? `not known of ${now === null ? "these days" : baseline}`
        : now === before
          ? `as ${baseline}`
          : `${changeOf(now, before) || "0%"} (${grouped(before)} ${baseline})`,
  });
  const lists = (
    [
      ["Pages", pages],
      ["Sources", sources],
    ] as const
  ).map(([heading, values]) => ({
    heading,
    rows: values.map(([name, count]) => ({ name: shortened(name, NAME), count: grouped(count) })),
  }));
  const parts: DigestPart[] = [
    {
      heading: "",
      rows: [row("Visitors", visitors), row("Views", views), row("Sessions", sessions)],
    },
    ...lists,
    { heading: `Rose most against ${baseline}`, rows: rose.map(moverRow) },
    { heading: `Fell most against ${baseline}`, rows: fell.map(moverRow) },
    { heading: "Goals", rows: goals.map((goal) => row(goal.name, goal)) },
    { heading: "Alarms", rows: alarmRows(alarms, zone) },
  ];
  return parts.filter(({ rows }) => rows.length > 0);
}

/** `the Saturday before`, `the week before` */
function baselineOf({ every, to }: DigestFigures): string {
  return `the ${every === "week" ? "week" : WEEKDAYS[weekdayOf(parseDay(to) ?? 0)]} before`;
}

export function digestText(figures: DigestFigures, zone: DayZone): string {
  const parts = partsOf(figures, zone).map(({ heading, rows }) => [
    "",
    ...(heading === "" ? [] : [heading]),
    ...listing(rows, COLUMNS, heading === "" ? "" : undefined),
  ]);
  return [`${titleOf(figures)} (${figures.zone})`, ...parts.flat()].join("\n");
}

/** `/about  120  +80`, `from news.example  30  −12` */
function moverRow(mover: Mover): ListRow {
  const name = "page" in mover ? mover.page : `from ${mover.source}`;
  const change = movedBy(mover);
  return {
    name: shortened(name, NAME),
    count: grouped(mover.now),
    change: `${change > 0 ? "+" : "−"}${grouped(Math.abs(change))}`,
  };
}

function alarmRows(alarms: readonly PastAlarm[], zone: DayZone): ListRow[] {
  const named = alarms.slice(0, MOST_ALARMS).map(({ kind, since, until }) => {
    const what = kind === "silence" ? "Silent" : "Rush";
    const end = until === null ? "still" : `until ${wallText(until, zone)}`;
    return { name: `${what} from ${wallText(since, zone)}, ${end}` };
  });
  const more = alarms.length - named.length;
  return more > 0 ? [...named, { name: `and ${more} more` }] : named;
}

/** `2026-11-25 14:05` */
function wallText(moment: number, zone: DayZone): string {
  return new Date(zone.wall(moment)).toISOString().slice(0, 16).replace("T", " ");
}

/** `+12%`, `−3%`; empty where there is no change, or no span before. */
function changeOf(now: number | null, before: number | null): string {
  if (now === null || before === null) return "";
  if (before === 0) return now === 0 ? "" : "new";
  const percent = Math.round((now / before - 1) * 100);
  return percent === 0 ? "" : `${percent > 0 ? "+" : "−"}${grouped(Math.abs(percent))}%`;
}
