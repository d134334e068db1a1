import type { Day } from "../../base/calendar.ts";
import { entryOf, isObject, plainText } from "../../base/input/json.ts";
import { pagePath, storable } from "../../base/text/storable.ts";
import type { Dimension } from "../../store/log/record.ts";
import { countryNamed } from "./countries.ts";
import type { Sheet } from "./files/input.ts";
import { jsonRows } from "./files/json-rows.ts";
import { type Format, KNOWN_BY_DAY, type Sink } from "./format.ts";
import { browserNamed, deviceNamed, sourceNamed, systemNamed, valuesOfSource } from "./values.ts";

// The lines are answers of Matomo's reporting API, a report and a day in each, as `fetchMatomo` writes them:
// developer.matomo.org/api-reference/reporting-api.

/** The value of a row in each of our dimensions. */
type ValuesOf = (row: Row, sink: Sink) => readonly (readonly [Dimension, string])[];
export type Row = Readonly<Record<string, unknown>>;

const label = (row: Row): string => (typeof row.label === "string" ? row.label : "");

/** The name of an engine or a network; flattened, rows have its keyword or address behind it: `Google - tally`. */
const firstName = (row: Row): string => label(row).split(" - ", 1)[0] ?? "";

/** The report of pages. */
export const MATOMO_PAGES = "Actions.getPageUrls";
/** The words that Matomo writes behind a name without a keyword, in a table that was flattened. */
const NO_KEYWORD = / - Keyword not defined$/;

/** The reports that are read, by their method. */
export const MATOMO_REPORTS: Readonly<Record<string, ValuesOf>> = {
  [MATOMO_PAGES]: (row) => [["path", pagePath(addressPath(row))]],
  "Referrers.getWebsites": (row) => valuesOfSource(label(row)),
  "Referrers.getSearchEngines": (row) => valuesOfSource(firstName(row), "search"),
  "Referrers.getSocials": (row) => valuesOfSource(firstName(row), "social"),
  "Referrers.getCampaigns": (row) => {
    const campaign = label(row).replace(NO_KEYWORD, "");
    return [
      ["source", sourceNamed(campaign)],
      ["utm_campaign", storable(campaign) || "campaign"],
    ];
  },
  "UserCountry.getCountry": (row, sink) => {
    const country = countryNamed(plainText(row.code), sink);
    return country === undefined ? [] : [["country", country]];
  },
  "DevicesDetection.getBrowsers": (row) => [["browser", browserNamed(label(row))]],
  "DevicesDetection.getOsFamilies": (row) => [["os", systemNamed(label(row))]],
  "DevicesDetection.getType": (row) => [["device", deviceNamed(label(row))]],
  "Events.getAction": (row) => [["event", storable(label(row)) || "event"]],
};

/** The totals of a day. */
export const MATOMO_TOTALS = "VisitsSummary.get";
export const MATOMO_VERSION = 1;

export const matomo: Format = {
  name: "Matomo",
  days: "unknown",
  recognises: ([sheet, ...others]) =>
    others.length === 0 && sheet !== undefined && /^\{"matomo":\d+,/.test(sheet.head),
  async read(sheets, sink) {
    sink.lackAlways([...KNOWN_BY_DAY, "engaged"]);
    for (const sheet of sheets) await readLines(sheet, sink);
  },
};

async function readLines(sheet: Sheet, sink: Sink): Promise<void> {
  for await (const line of jsonRows(sheet)) {
    if ("matomo" in line) {
      if (typeof line.zone === "string") sink.zone(line.zone);
      continue;
    }
    const day = sink.dayOf(plainText(line.day));
    if (day === undefined) continue;
    const rows = [line.rows].flat().filter(isObject);
    if (line.report === MATOMO_TOTALS) for (const row of rows) readTotals(row, day, sink);
    const valuesOf = entryOf(MATOMO_REPORTS, plainText(line.report));
    if (valuesOf !== undefined)
      for (const row of rows) readRow(row, valuesOf(row, sink), day, sink);
  }
}

function readTotals(row: Row, day: Day, sink: Sink): void {
  const add = (counter: "pv" | "uv" | "sessions" | "bounce", name: string) =>
    sink.counts.count(day, counter, countOf(row, name));
  // Actions are views, downloads and outlinks; where views are told apart, those count.
  add("pv", "nb_pageviews" in row ? "nb_pageviews" : "nb_actions");
  add("uv", "nb_uniq_visitors");
  add("sessions", "nb_visits");
  add("bounce", "bounce_count");
}

function readRow(row: Row, values: ReturnType<ValuesOf>, day: Day, sink: Sink): void {
  const visits = countOf(row, "nb_visits");
  const views =
    countOf(row, "nb_hits") || countOf(row, "nb_actions") || countOf(row, "nb_events") || visits;
  const visitors = countOf(row, "nb_uniq_visitors") || countOf(row, "sum_daily_nb_uniq_visitors");
  for (const [dimension, text] of values) {
    const sessions = dimension === "path" ? countOf(row, "entry_nb_visits") : visits;
    sink.counts.value(day, dimension, text, { views, visitors, sessions });
  }
}

function countOf(row: Row, name: string): number {
  const n = Number(plainText(row[name]));
  return Number.isSafeInteger(n) && n > 0 ? n : 0;
}

/** The path of a page: by its address, or its label where Matomo folded the rest. */
function addressPath(row: Row): string {
  const url = typeof row.url === "string" ? row.url : "";
  return URL.canParse(url) ? new URL(url).pathname : label(row);
}
