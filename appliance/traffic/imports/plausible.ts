import type { Dimension } from "../../base/text/dimensions.ts";
import { pagePath, storable } from "../../base/text/storable.ts";
import { addressHost } from "../collector/counting/address.ts";
import { countryNamed } from "./countries.ts";
import { type CsvRow, columnsOf, csvRows } from "./files/csv.ts";
import type { Sheet } from "./files/input.ts";
import { type Format, KNOWN_BY_DAY, type Sink } from "./format.ts";
import { ImportRefused } from "./refused.ts";
import {
  browserNamed,
  browserVersionNamed,
  deviceNamed,
  referrerOf,
  sourceNamed,
  systemNamed,
  systemVersionNamed,
} from "./values.ts";

// The tables are those of plausible.io/docs/csv-import, which an export has, too. All of them and all columns may
// be missing; columns were added over the years.

/** Counts of a row, by what a table calls them. */
interface Columns {
  readonly views?: string;
  readonly visitors?: string;
  readonly sessions?: string;
}

const ALL: Columns = { views: "pageviews", visitors: "visitors", sessions: "visits" };

/** A value of ours for a row; undefined for a row without one. */
type ValueOf = (row: CsvRow, sink: Sink) => string | undefined;

interface TableRule {
  /** Counters of a day, by the column that has them. */
  readonly counters?: readonly (readonly ["pv" | "uv" | "sessions" | "bounce", string])[];
  readonly values?: readonly (readonly [Dimension, ValueOf, Columns])[];
  /** For people: what there is no place for here. */
  readonly left?: string;
}

const given =
  (column: string): ValueOf =>
  (row) =>
    storable(row.text(column)) || undefined;

/** The name in a column, with the version in the one beside it. */
const versionIn =
  (column: string, named: (text: string) => string): ValueOf =>
  (row) =>
    named(`${row.text(column)} ${row.text(`${column}_version`)}`) || undefined;

const TABLES: Readonly<Record<string, TableRule>> = {
  visitors: {
    counters: [
      ["pv", "pageviews"],
      ["uv", "visitors"],
      ["sessions", "visits"],
      ["bounce", "bounces"],
    ],
  },
  pages: {
    values: [
      ["path", (row) => pagePath(row.text("page")), { views: "pageviews", visitors: "visitors" }],
      ["host", hostOf, { views: "pageviews", visitors: "visitors" }],
    ],
  },
  entry_pages: {
    values: [["path", (row) => pagePath(row.text("entry_page")), { sessions: "entrances" }]],
  },
  sources: {
    values: [
      ["source", (row) => sourceNamed(row.text("source")), ALL],
      ["ref", (row) => referrerOf(cameFrom(row)).ref, ALL],
      ["ref_group", (row) => groupOf(row), ALL],
      ["utm_source", given("utm_source"), ALL],
      ["utm_medium", given("utm_medium"), ALL],
      ["utm_campaign", given("utm_campaign"), ALL],
    ],
  },
  locations: { values: [["country", (row, sink) => countryNamed(row.text("country"), sink), ALL]] },
  devices: { values: [["device", (row) => deviceNamed(row.text("device")), ALL]] },
  browsers: {
    values: [
      ["browser", (row) => browserNamed(row.text("browser")), ALL],
      ["browser_version", versionIn("browser", browserVersionNamed), ALL],
    ],
  },
  operating_systems: {
    values: [
      ["os", (row) => systemNamed(row.text("operating_system")), ALL],
      ["os_version", versionIn("operating_system", systemVersionNamed), ALL],
    ],
  },
  custom_events: {
    values: [
      ["event", (row) => eventOf(row), { views: "events", visitors: "visitors" }],
      ["event_target", targetOf, { views: "events", visitors: "visitors" }],
    ],
  },
  exit_pages: { left: "pages on which sessions ended" },
  custom_props: { left: "properties of events" },
};

/** The names of Plausible's own events, and ours for the same. */
const EVENTS = new Map([
  ["Outbound Link: Click", "outbound"],
  ["Cloaked Link: Click", "outbound"],
  ["File Download", "download"],
]);

export const plausible: Format = {
  name: "Plausible",
  days: "unknown",
  recognises(sheets) {
    if (sheets.some((sheet) => tableOf(sheet) !== undefined)) return true;
    if (sheets.some(isOfDashboard))
      throw new ImportRefused(
        "These are totals of one period, as Plausible's dashboard exports them: they do not say which day was what. Choose in Plausible: Settings of the site, Imports & Exports, Export data.",
      );
    return false;
  },
  async read(sheets, sink) {
    const columns = new Set(
      sheets.filter((sheet) => tableOf(sheet) === "visitors").flatMap(columnsOf),
    );
    const unknown = (TABLES.visitors?.counters ?? []).filter(([, column]) => !columns.has(column));
    sink.lackAlways([...KNOWN_BY_DAY, "engaged", ...unknown.map(([counter]) => counter)]);
    for (const sheet of sheets) {
      const table = tableOf(sheet);
      if (table === undefined) sink.leave(`tables that are not known (${sheet.name})`);
      else await readTable(sheet, TABLES[table] ?? {}, sink);
    }
  },
};

/** The name of an `imported_*` table that has a date. */
function tableOf(sheet: Sheet): string | undefined {
  const [, name = ""] = /^imported_([a-z_]+?)(?:_\d{8}_\d{8})?\.csv$/i.exec(sheet.name) ?? [];
  return Object.hasOwn(TABLES, name) && columnsOf(sheet).includes("date") ? name : undefined;
}

/** The dashboard exports one table for each card, none of which has days but `visitors.csv`. */
function isOfDashboard(sheet: Sheet): boolean {
  const columns = columnsOf(sheet);
  const isCard =
    /^(pages|sources|channels|utm_\w+|countries|browsers|entry_pages|conversions)\.csv$/;
  return isCard.test(sheet.name) && columns[0] === "name" && columns.includes("visitors");
}

async function readTable(
  sheet: Sheet,
  { counters = [], values = [], left }: TableRule,
  sink: Sink,
) {
  for await (const row of csvRows(sheet)) {
    if (left !== undefined) {
      sink.leave(left);
      continue;
    }
    const day = sink.dayOf(row.text("date"));
    if (day === undefined) continue;
    for (const [counter, column] of counters) {
      const n = row.number(column);
      if (n === undefined) sink.leave("rows with something else than a number");
      else sink.counts.count(day, counter, n);
    }
    for (const [dimension, read, columns] of values) {
      const value = read(row, sink);
      if (value === undefined) continue;
      const [views, visitors, sessions] = [columns.views, columns.visitors, columns.sessions].map(
        (column) => (column === undefined ? 0 : row.number(column)),
      );
      if (views === undefined || visitors === undefined || sessions === undefined)
        sink.leave("rows with something else than a number");
      else sink.counts.value(day, dimension, value, { views, visitors, sessions });
    }
  }
}

/** The origin, as our script sends it. */
function hostOf(row: CsvRow): string | undefined {
  const host = storable(addressHost(row.text("hostname")));
  return host === "" ? undefined : storable(`https://${host}`);
}

/** The referrer's address; where it is missing, the domain of the source that Plausible made of it. */
function cameFrom(row: CsvRow): string {
  const source = sourceNamed(row.text("source"));
  return row.text("referrer") || (source === "direct" || !source.includes(".") ? "" : source);
}

function groupOf(row: CsvRow): string {
  return referrerOf(cameFrom(row), { utmSource: storable(row.text("utm_source")) }).group;
}

function eventOf(row: CsvRow): string | undefined {
  const name = storable(row.text("name"));
  return EVENTS.get(name) ?? (name || undefined);
}

/** The host of a link, or the name of a file. */
function targetOf(row: CsvRow): string | undefined {
  const link = row.text("link_url");
  if (link === "") return undefined;
  if (eventOf(row) !== "download") return storable(addressHost(link)) || undefined;
  return storable(link.split(/[?#]/, 1)[0]?.split("/").at(-1)) || undefined;
}
