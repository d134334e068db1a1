import type { Day } from "../../base/calendar.ts";
import { pagePath, storable } from "../../base/text/storable.ts";
import type { Dimension } from "../../store/log/record.ts";
import { countryNamed } from "./countries.ts";
import { type CsvRow, csvRows } from "./files/csv.ts";
import type { Sheet } from "./files/input.ts";
import { type Format, KNOWN_BY_DAY, type Sink } from "./format.ts";
import { ImportRefused } from "./refused.ts";
import { browserNamed, deviceNamed, languageNamed, systemNamed, valuesOfSource } from "./values.ts";

// A report of Google Analytics 4 as CSV: lines that begin with #, then a table. The names of columns are those of
// its pages in English, and of its Data API: developers.google.com/analytics/devguides/reporting/data/v1/api-schema.

const DATE = ["Date", "date"];
const METRICS = {
  pv: ["Views", "screenPageViews"],
  uv: ["Active users", "Total users", "activeUsers", "totalUsers"],
  sessions: ["Sessions", "sessions"],
  engaged: ["Engaged sessions", "engagedSessions"],
} as const;
type Counted = keyof typeof METRICS;

type ValuesOf = (text: string, sink: Sink) => readonly (readonly [Dimension, string])[];

const one =
  (dimension: Dimension, name: (text: string, sink: Sink) => string | undefined): ValuesOf =>
  (text, sink) => {
    const value = name(text, sink);
    return value === undefined || value === "" ? [] : [[dimension, value]];
  };

const DIMENSIONS: readonly (readonly [names: readonly string[], ValuesOf])[] = [
  [
    ["Page path and screen class", "Page path", "pagePath", "unifiedPagePathScreen"],
    one("path", pagePath),
  ],
  [["Country", "country", "Country ID", "countryId"], one("country", countryNamed)],
  [["Device category", "deviceCategory"], one("device", deviceNamed)],
  [["Browser", "browser"], one("browser", browserNamed)],
  [["Operating system", "operatingSystem"], one("os", systemNamed)],
  [["Session source", "sessionSource", "Source", "source"], sourceValues],
  [["Session campaign", "sessionCampaignName", "Campaign"], one("utm_campaign", campaignOf)],
  [["Language code", "languageCode"], one("lang", languageNamed)],
];

const NO_DATE =
  "This report of Google Analytics has no column with dates, so nobody can say which day was what. Add the dimension Date: make an Exploration with Date and Page path as rows, and export that, or ask its Data API.";

export const ga4: Format = {
  name: "Google Analytics 4",
  days: "unknown",
  recognises(sheets) {
    const heads = sheets.map(headerOf);
    if (heads.every((head) => head !== undefined && columnOf(head, DATE) !== undefined))
      return true;
    const isReport =
      sheets.some(({ head }) => /^# (-{5,}|.*\n#)/.test(head)) && heads.some(hasMetric);
    if (isReport) throw new ImportRefused(NO_DATE);
    return false;
  },
  async read(sheets, sink) {
    sink.lackAlways([...KNOWN_BY_DAY, "bounce"]);
    const tables = sheets.map((sheet) => ({ sheet, header: headerOf(sheet) ?? [] }));
    // A table of days alone has the totals; sums of values are no visitors, for one may be with several.
    const ofDays = tables.find(({ header }) => dimensionsOf(header).length === 0);
    const totals =
      ofDays ?? tables.find(({ header }) => columnOf(header, METRICS.pv) !== undefined);
    for (const table of tables)
      await readTable(
        table,
        table === totals ? (ofDays === undefined ? "views" : "all") : "none",
        sink,
      );
  },
};

function headerOf({ head }: Sheet): string[] | undefined {
  const line = head.split(/\r?\n/).find((each) => each.trim() !== "" && !each.startsWith("#"));
  const names = line?.split(",").map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
  return names !== undefined && hasMetric(names) ? names : undefined;
}

function hasMetric(header: readonly string[] | undefined): boolean {
  return (
    header !== undefined &&
    Object.values(METRICS).some((names) => columnOf(header, names) !== undefined)
  );
}

function columnOf(header: readonly string[], names: readonly string[]): string | undefined {
  return names.find((name) => header.includes(name));
}

function dimensionsOf(header: readonly string[]): { column: string; valuesOf: ValuesOf }[] {
  return DIMENSIONS.flatMap(([names, valuesOf]) => {
    const column = columnOf(header, names);
    return column === undefined ? [] : [{ column, valuesOf }];
  });
}

type Totals = "all" | "views" | "none";

async function readTable(
  { sheet, header }: { readonly sheet: Sheet; readonly header: readonly string[] },
  totals: Totals,
  sink: Sink,
): Promise<void> {
  const date = columnOf(header, DATE) ?? "";
  const columns = Object.fromEntries(
    Object.entries(METRICS).map(([name, names]) => [name, columnOf(header, names)]),
  ) as Record<Counted, string | undefined>;
  const dimensions = dimensionsOf(header);
  const lacks = (["pv", "uv", "sessions"] as const).filter(
    (name) => columns[name] === undefined || (totals === "views" && name !== "pv"),
  );
  for await (const row of csvRows(sheet, { comment: "#" })) {
    const text = row.text(date);
    // Totals of all days stand in a row without a date.
    if (!/^\d{8}$/.test(text)) {
      sink.leave("rows without a day");
      continue;
    }
    const day = sink.dayOf(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
    const counts = day === undefined ? undefined : countsOf(row, columns, sink);
    if (day === undefined || counts === undefined) continue;
    if (totals !== "none") {
      for (const name of totals === "all" ? (Object.keys(METRICS) as Counted[]) : (["pv"] as const))
        sink.counts.count(day, name, counts[name]);
      const missing =
        columns.engaged === undefined || totals === "views" ? (["engaged"] as const) : [];
      if (lacks.length + missing.length > 0) sink.lack(day, [...lacks, ...missing]);
    }
    for (const { column, valuesOf } of dimensions)
      addValues(sink, day, valuesOf(row.text(column), sink), counts);
  }
}

function addValues(
  sink: Sink,
  day: Day,
  values: ReturnType<ValuesOf>,
  { pv: views, uv: visitors, sessions }: Record<Counted, number>,
): void {
  for (const [dimension, text] of values)
    sink.counts.value(day, dimension, text, { views, visitors, sessions });
}

function countsOf(
  row: CsvRow,
  columns: Record<Counted, string | undefined>,
  sink: Sink,
): Record<Counted, number> | undefined {
  const counts = { pv: 0, uv: 0, sessions: 0, engaged: 0 };
  for (const name of Object.keys(METRICS) as Counted[]) {
    const column = columns[name];
    const n = column === undefined ? 0 : row.number(column);
    if (n === undefined) {
      sink.leave("rows with something else than a number");
      return undefined;
    }
    counts[name] = n;
  }
  return counts;
}

/** Nothing for a source that nobody knows, since that is none of those who came directly. */
function sourceValues(text: string): readonly (readonly [Dimension, string])[] {
  return /^\((not set|data not available)\)$/.test(text) ? [] : valuesOfSource(text);
}

function campaignOf(text: string): string | undefined {
  return /^\((not set|direct|organic|referral|none)\)$/.test(text)
    ? undefined
    : storable(text) || undefined;
}
