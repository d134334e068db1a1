import { DEPTHS } from "../../../appliance/base/reading.ts";
import { rowsAsked } from "../../../appliance/base/text/condition.ts";
import { whole } from "../../shared/format.ts";
import {
  addNumbers,
  type DayRange,
  type Dimension,
  type History,
  hasApp,
  ownHosts,
  SERIES_OF,
  seriesOf,
  sumByValue,
} from "../history.ts";
import {
  breakdownDimensions,
  type DimensionFacts,
  HOURS_OF_WEEK,
  LEFT_OUT,
  READ_PAGES,
} from "./dimensions.ts";
import { METRIC_FACTS, metricName, share } from "./figures.ts";
import { isOfHosts } from "./hosts.ts";
import { inOrder, valueName } from "./values.ts";

/** Rows before "show all". */
export const TOP = 10;

export interface Row {
  value: string;
  /** its place among all of the range, from 0: a filter leaves it as it is */
  place: number;
  /** the name of the value, where its stored form is a code */
  name: string | null;
  count: number;
  /** of the dimension's total in the range, 0–1 */
  share: number;
  /** shown in the place of count and share, where these are of something else */
  texts?: readonly [string, string];
  /** name and value in lower case, for the filter */
  search: string;
}

export interface Breakdown extends DimensionFacts {
  /** the name of what is counted */
  counts: string;
  total: number;
  /** every value counted in the range, most frequent first */
  rows: Row[];
  /** how many came from the site's own hosts, which are no rows */
  inside: number;
  /** how many there would be without conditions, where that is known: a card keeps its place and size */
  room: number;
}

/** A card and the dimensions that are its tabs. */
export interface Group {
  name: string;
  breakdowns: Breakdown[];
}

/** Every dimension with something counted in a range, or without conditions. */
export function breakdownsOf(history: History, range: DayRange): Breakdown[] {
  const { dimensions, whole } = history;
  const names = new Set([...dimensions.keys(), ...(whole?.dimensions.keys() ?? [])]);
  // Pages by sessions are the pages that they began with: a list of its own.
  if (history.of === "sessions") names.delete("path");
  if (names.has("time")) names.add(READ_PAGES);
  const own = ownHosts(history);
  return breakdownDimensions(names).flatMap((facts) => {
    const dimension = dimensions.get(facts.name === READ_PAGES ? "time" : facts.name);
    const all = dimension ? rowsOf(dimension, history, range) : [];
    const isOwn = ({ value }: Row) => isOfHosts(facts.name) && own.has(value);
    const rows = all.filter((row) => !isOwn(row));
    const inside = all.filter(isOwn).reduce((sum, row) => sum + row.count, 0);
    const before = whole?.dimensions.get(facts.name === READ_PAGES ? "time" : facts.name);
    const known =
      whole && before ? sumByValue(before, whole, range).filter((n) => n > 0).length : 0;
    const room = Math.max(rows.length, known);
    const { counts, total } = countedIn(history, facts.name, range, rows);
    if (facts.name === "depth") deepen(rows);
    for (const row of rows) row.share = share(row.count, total) ?? 0;
    if (room === 0) return [];
    if (facts.name === HOURS_OF_WEEK)
      return [{ ...facts, counts, total, rows: [], inside, room: WEEK_ROOM }];
    if (facts.name === READ_PAGES)
      return [{ ...facts, counts, total, rows: [], inside, room: TOP }];
    return [{ ...facts, counts, total, rows, inside, room }];
  });
}

/** Makes rows of depths count those that were deeper, too. */
function deepen(rows: readonly Row[]): void {
  const own = new Map(rows.map(({ value, count }) => [value, count]));
  for (const row of rows)
    row.count = DEPTHS.slice(DEPTHS.indexOf(row.value)).reduce(
      (all, one) => all + (own.get(one) ?? 0),
      0,
    );
}

/** The heatmap is as high as so many rows. */
const WEEK_ROOM = 8;

const OTHER_COUNTS: Readonly<Record<string, string>> = {
  event: "Events",
  event_target: "Events",
  event_prop: "Events",
  hi: "First touches",
  time: "Readings",
  depth: "Readings",
  bot_kind: "Bots",
};

/** The name of what a list counts, and all of it. */
function countedIn(history: History, list: string, range: DayRange, rows: Row[]) {
  const { of, where } = history;
  const sum = rows.reduce((sum, row) => sum + row.count, 0);
  const other = list.startsWith("app_") ? METRIC_FACTS.app.name : OTHER_COUNTS[list];
  if (other !== undefined || rowsAsked(where) !== "views")
    return { counts: other ?? metricName("events", where), total: sum };
  const key = SERIES_OF[list === "entry" ? "sessions" : of];
  // A visitor of three pages counts in each of them, and once for the site.
  const isOfPages = list === "path" && key === "uv";
  const total = isOfPages ? addNumbers(seriesOf(history, key, range)) : sum;
  // Apps tell their country, too.
  const apps = list === "country" && key === "pv" && hasApp(history) && where.length === 0;
  const counts = METRIC_FACTS[key].name;
  return { counts: apps ? `${counts} and ${METRIC_FACTS.app.name.toLowerCase()}` : counts, total };
}

/** Rows of one dimension with their counts in a range; shares are left at 0. */
export function rowsOf(dimension: Dimension, history: History, range: DayRange): Row[] {
  const sums = sumByValue(dimension, history, range);
  const rows: Row[] = [];
  sums.forEach((count, i) => {
    if (count === 0) return;
    const value = dimension.values[i] ?? "";
    const name = valueName(dimension.name, value);
    const search = (name === null ? value : `${name}\n${value}`).toLowerCase();
    rows.push({ value, place: 0, name, count, share: 0, search });
  });
  rows.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  for (const [place, row] of rows.entries()) row.place = place;
  return rows;
}

const LEFT_OUT_BY: Readonly<Record<string, string>> = {
  host: "from other hosts",
  path: "by page",
  referrer: "by referrer",
  country: "by country",
};

/** `12 left out: 8 from other hosts, 4 by page`; null where nothing was. */
export function leftOutText(history: History, range: DayRange): string | null {
  const dimension = history.dimensions.get(LEFT_OUT);
  const rows = dimension ? rowsOf(dimension, history, range) : [];
  const sum = rows.reduce((sum, row) => sum + row.count, 0);
  if (sum === 0) return null;
  const reasons = rows.map(({ value, count }) => `${whole(count)} ${LEFT_OUT_BY[value] ?? value}`);
  return `${whole(sum)} left out: ${reasons.join(", ")}`;
}

/** The breakdowns with the rows that contain the text, without those that have no match. */
export function filtered(breakdowns: Breakdown[], text: string): Breakdown[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return breakdowns;
  return breakdowns.flatMap((breakdown) => {
    const rows = breakdown.rows.filter((row) => row.search.includes(wanted));
    return rows.length === 0 ? [] : [{ ...breakdown, rows }];
  });
}

/** The rows a card shows: the ten most frequent, or all. */
export function shownRows({ name, rows }: Breakdown, isOpen: boolean): Row[] {
  return inOrder(name, isOpen ? rows : rows.slice(0, TOP));
}

/** The number of rows behind "show all". */
export const hiddenRows = ({ rows }: Breakdown): number => Math.max(0, rows.length - TOP);

export function groupsOf(breakdowns: Breakdown[]): Group[] {
  const groups = new Map<string, Breakdown[]>();
  for (const breakdown of breakdowns) {
    const list = groups.get(breakdown.group) ?? [];
    list.push(breakdown);
    groups.set(breakdown.group, list);
  }
  return [...groups].map(([name, list]) => ({ name, breakdowns: list }));
}

/**
 * The groups in columns, each put where there is most room. Heights are in rows and those of the
 * tallest tab, so that no tab and no open list moves a card to another column.
 */
export function inColumns(groups: Group[], count: number): Group[][] {
  const columns = Array.from({ length: count }, () => ({ height: 0, groups: [] as Group[] }));
  for (const group of groups) {
    const column = columns.reduce((best, one) => (one.height < best.height ? one : best));
    column.groups.push(group);
    column.height += heightOf(group);
  }
  return columns.map((column) => column.groups);
}

const HEAD_ROWS = 3;

function heightOf({ breakdowns }: Group): number {
  const heights = breakdowns.map(({ room }) => Math.min(TOP + 1, room));
  return HEAD_ROWS + Math.max(...heights);
}

/** The address most pages were seen at, where it is one a browser can open. */
export function originOf(breakdowns: Breakdown[]): string | null {
  const hosts = breakdowns.find(({ name }) => name === "host")?.rows ?? [];
  return hosts.find(({ value }) => isOrigin(value))?.value ?? null;
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
