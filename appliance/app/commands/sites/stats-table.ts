import { isObject } from "../../../base/input/json.ts";
import { medianTime, TIMES, timeText } from "../../../base/reading.ts";
import { grouped, listing } from "../../../base/text/listing.ts";
import type { Gap, SeriesRow, StatsTotals } from "../../../store/reports.ts";

const COUNTERS = ["Pageviews", "Visitors", "Sessions", "Bots", "App pings"];
/** The same as days lack them, in the order of a row. */
const NAMES: readonly string[] = ["pv", "uv", "sessions", "bot", "app"];
const NOT_KNOWN = "–";
const UNKNOWN = `${NOT_KNOWN} is not known: these days were imported from a tool that does not tell it.`;

interface Days {
  readonly series?: readonly SeriesRow[];
  readonly gaps?: readonly Gap[];
}
const LISTS = [
  ["path", "Pages"],
  ["ref", "Referrers"],
  ["country", "Countries"],
] as const;
const LONGEST_LIST = 5;
const GAP = "  ";

/**
 * Numbers of a site as lines for a terminal: a row a day, their sum, and the first of some dimensions.
 * @param columns how wide the terminal is; counters that find no room are left out, the last first
 * @param namesZone whether the title says whose days these are
 */
export function tableOf(
  totals: StatsTotals,
  { columns, namesZone }: { columns: number; namesZone: boolean },
): string[] {
  const { site, from, to, zone, series = [], gaps = [] } = totals as StatsTotals & Days;
  const days = from === to ? to : `${from} to ${to}`;
  const title = `${site}, ${days}${namesZone ? ` (${zone})` : ""}`;
  const lists = LISTS.flatMap(([name, heading]) =>
    listOf(heading, totals[name] as Record<string, number> | undefined, columns),
  );
  const unknown = gaps.some(({ lacks }) => lacks.some((name) => NAMES.includes(name)));
  return [
    ...[title, "", ...chartOf(series, columns), ...daysOf(series, gaps, columns)],
    ...(unknown ? ["", UNKNOWN] : []),
    ...readingOf(totals.time as Partial<Record<string, number>> | undefined),
    ...lists,
  ];
}

/** The median time on a page. @param times readings by class */
function readingOf(times: Partial<Record<string, number>> = {}): string[] {
  const median = medianTime(TIMES.map((time) => times[time] ?? 0));
  return median === null ? [] : ["", `Time on page: ${timeText(median)}, the median`];
}

const BARS = [..."▁▂▃▄▅▆▇█"];

function chartOf(series: readonly SeriesRow[], columns: number): string[] {
  if (series.length < 2) return [];
  return [
    barsOf(
      series.map(([, pv]) => pv),
      columns,
    ),
    "",
  ];
}

/** The count of each day as a bar, in a line; where there are more days than columns, of several days each. */
export function barsOf(counts: readonly number[], columns: number): string {
  const days = Math.ceil(counts.length / columns);
  const sums = Array.from({ length: Math.ceil(counts.length / days) }, (_, bar) =>
    counts.slice(bar * days, (bar + 1) * days).reduce((sum, n) => sum + n, 0),
  );
  const most = Math.max(...sums);
  const top = BARS.length - 1;
  // Only days without a count have the lowest bar.
  return sums.map((n) => BARS[n === 0 ? 0 : Math.max(1, Math.round((n / most) * top))]).join("");
}

function daysOf(series: readonly SeriesRow[], gaps: readonly Gap[], columns: number): string[] {
  const isKnown = (day: string, at: number) =>
    !gaps.some(
      ({ from, to, lacks }) =>
        from <= day && day <= to && (lacks as readonly string[]).includes(NAMES[at - 1] ?? ""),
    );
  const sums = COUNTERS.map((_, at) => series.reduce((sum, row) => sum + Number(row[at + 1]), 0));
  const rows = [
    ["Day", ...COUNTERS],
    ...series.map((row) => row.map((cell, at) => (isKnown(row[0], at) ? cellOf(cell) : NOT_KNOWN))),
    ...(series.length > 1 ? [["Sum", ...sums.map(grouped)]] : []),
  ];
  // Views are always printed; another counter only with a count.
  const counted = [0, 1, ...sums.flatMap((sum, at) => (at > 0 && sum > 0 ? [at + 1] : []))];
  const widths = counted.map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const shown = counted.slice(0, fitting(widths, columns));
  return rows.map((row) =>
    shown
      .map((at, n) => {
        const cell = row[at] ?? "";
        return n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0);
      })
      .join(GAP)
      .trimEnd(),
  );
}

function cellOf(cell: string | number): string {
  return typeof cell === "number" ? grouped(cell) : cell;
}

/** The number of columns that fit; the day and the views are always shown. */
function fitting(widths: readonly number[], columns: number): number {
  let [used, fit] = [-GAP.length, 0];
  for (const width of widths) {
    used += GAP.length + width;
    if (used > columns) break;
    fit += 1;
  }
  return Math.max(2, fit);
}

function listOf(
  heading: string,
  values: Record<string, number> | undefined,
  columns: number,
): string[] {
  if (!isObject(values)) return [];
  const all = Object.entries(values).sort(([, a], [, b]) => b - a);
  const first = all.slice(0, LONGEST_LIST);
  const more = all.length - first.length;
  return [
    "",
    `${heading}${more > 0 ? `, the first ${first.length} of ${all.length}` : ""}`,
    ...listing(
      first.map(([name, count]) => ({ name, count: grouped(count) })),
      columns,
    ),
  ];
}
