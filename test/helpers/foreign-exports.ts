import { createWriteStream, writeFileSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { ZipFile } from "yazl";

// Files as other tools export them, made by the documentation of each: those programs do not run here.

type Row = readonly (string | number)[];

/** Texts in quotes, numbers without, as ClickHouse writes them. */
export function csv(columns: readonly string[], rows: readonly Row[]): string {
  const cell = (value: string | number) =>
    typeof value === "number" ? `${value}` : `"${value.replaceAll('"', '""')}"`;
  return [columns.map(cell).join(","), ...rows.map((row) => row.map(cell).join(","))]
    .map((line) => `${line}\n`)
    .join("");
}

export function jsonl(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** Writes a zip archive of these files. */
export async function writeZip(
  path: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(files))
    zip.addBuffer(Buffer.from(text), name, { mtime: new Date(0) });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

export function writeGzip(path: string, text: string): void {
  writeFileSync(path, gzipSync(text));
}

/** Rows of `imported_*` tables by name, without the prefix. */
type PlausibleTables = Readonly<
  Record<string, readonly [columns: readonly string[], rows: readonly Row[]]>
>;

/** The full export of plausible.io/docs/export-stats. */
export async function writePlausible(path: string, tables: PlausibleTables): Promise<void> {
  const files = Object.entries(tables).map(([name, [columns, rows]]) => [
    `imported_${name}_20260101_20260131.csv`,
    csv(columns, rows),
  ]);
  await writeZip(path, Object.fromEntries(files));
}

/** Headers as they stand in the files. */
const PLAUSIBLE_SOURCES =
  "date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces";
const GOATCOUNTER =
  "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date";
const UMAMI =
  "event_id,website_id,session_id,visit_id,created_at,hostname,browser,os,device,screen,language,country,url_path,url_query,referrer_domain,event_type,event_name,utm_source";

/** The tables of a small site: on each day 10 visitors, 30 views in 12 visits, 5 of which bounced. */
export function smallPlausible(days: readonly string[]): PlausibleTables {
  const each = (...rows: Row[]) => days.flatMap((day) => rows.map((row) => [day, ...row]));
  const counts = ["visitors", "visits", "visit_duration", "bounces", "pageviews"];
  return {
    visitors: [
      ["date", "visitors", "pageviews", "bounces", "visits", "visit_duration"],
      each([10, 30, 5, 12, 600]),
    ],
    pages: [
      ["date", "hostname", "page", "visits", "visitors", "pageviews"],
      each(["example.com", "/", 9, 8, 20], ["example.com", '/a "b", c/?x=1', 4, 4, 10]),
    ],
    entry_pages: [
      ["date", "entry_page", "visitors", "entrances", "visit_duration", "bounces", "pageviews"],
      each(["/", 8, 12, 600, 5, 30]),
    ],
    exit_pages: [
      ["date", "exit_page", "visitors", "visit_duration", "exits", "bounces", "pageviews"],
      each(["/", 8, 600, 12, 5, 30]),
    ],
    sources: [
      PLAUSIBLE_SOURCES.split(","),
      each(
        ["", "", "", "", "", "", "", 10, 4, 5, 100, 2],
        ["Google", "www.google.com", "", "", "", "", "", 12, 4, 5, 100, 2],
        [
          "Hacker News",
          "news.ycombinator.com/item",
          "hn",
          "social",
          "launch",
          "",
          "",
          8,
          2,
          2,
          100,
          1,
        ],
      ),
    ],
    locations: [
      ["date", "country", "region", "city", ...counts],
      each(["DE", "DE-BE", 2950159, 10, 12, 600, 5, 30]),
    ],
    devices: [
      ["date", "device", ...counts],
      each(["Laptop", 6, 7, 300, 3, 18], ["Mobile", 4, 5, 300, 2, 12]),
    ],
    browsers: [
      ["date", "browser", "browser_version", ...counts],
      each(
        ["Microsoft Edge", "130.0", 6, 7, 300, 3, 18],
        ["Mobile Safari", "17", 4, 5, 300, 2, 12],
      ),
    ],
    operating_systems: [
      ["date", "operating_system", "operating_system_version", ...counts],
      each(["Mac", "14.1", 10, 12, 600, 5, 30]),
    ],
    custom_events: [
      ["date", "name", "link_url", "path", "visitors", "events"],
      each(
        ["Signup", "", "", 2, 3],
        ["Outbound Link: Click", "https://github.com/x", "", 1, 2],
        ["File Download", "https://example.com/f/app.zip?x", "", 1, 1],
      ),
    ],
    custom_props: [
      ["date", "property", "value", "visitors", "events"],
      each(["plan", "pro", 1, 1]),
    ],
  };
}

/** The export of goatcounter.com/help/export-json, version 1.0. */
export function goatcounterJson(days: readonly string[]): Record<string, string> {
  const each = (...rows: object[]) =>
    jsonl(days.flatMap((day) => rows.map((row) => ({ day, path_id: 1, ...row }))));
  return {
    "info.json": JSON.stringify({
      export_version: "1.0",
      goatcounter_version: "2.7",
      created_for: "stats.example.com",
    }),
    "languages.jsonl": jsonl([{ iso_639_3: "eng", name: "English" }]),
    "locations.jsonl": jsonl([
      { country: "DE", region: "", country_name: "Germany", region_name: "" },
    ]),
    "paths.jsonl": jsonl([
      { id: 1, path: "/", title: "Home" },
      { id: 2, path: "/about/", title: "About" },
      { id: 3, event: true, path: "click-banana", title: "Banana" },
    ]),
    "refs.jsonl": jsonl([
      { id: 1, ref: "", ref_scheme: "o" },
      { id: 2, ref: "Google", ref_scheme: "g" },
      { id: 3, ref: "example.org/page.html", ref_scheme: "h" },
    ]),
    "browsers.jsonl": jsonl([{ id: 1, name: "Firefox", version: "128" }]),
    "systems.jsonl": jsonl([{ id: 1, name: "Linux", version: "Ubuntu" }]),
    "hit_stats.jsonl": jsonl(
      days.flatMap((day) => [
        { hour: `${day}T10:00:00Z`, path_id: 1, ref_id: 1, count: 4 },
        { hour: `${day}T11:00:00Z`, path_id: 1, ref_id: 2, count: 3 },
        { hour: `${day}T11:00:00Z`, path_id: 2, ref_id: 3, count: 2 },
        { hour: `${day}T11:00:00Z`, path_id: 3, ref_id: 1, count: 5 },
      ]),
    ),
    "browser_stats.jsonl": each({ browser_id: 1, count: 9 }),
    "system_stats.jsonl": each({ system_id: 1, count: 9 }),
    "location_stats.jsonl": each({ location: "DE-BE", count: 9 }),
    "language_stats.jsonl": each({ language: "eng", count: 9 }),
    "size_stats.jsonl": each({ width: 390, count: 9 }),
  };
}

/** Views as the CSV of GoatCounter has them. */
export interface GoatView {
  readonly at: string;
  readonly path: string;
  readonly session: string;
  readonly isEvent?: boolean;
  readonly referrer?: readonly [text: string, scheme: string];
}

/** The export of goatcounter.com/help/export, version 2. */
export function goatcounterCsv(views: readonly GoatView[]): string {
  return csv(
    GOATCOUNTER.split(","),
    views.map(({ at, path, session, isEvent = false, referrer: [ref, scheme] = ["", "o"] }) => [
      path,
      "A title,\nin two lines",
      isEvent ? 1 : 0,
      "",
      "Chrome 120",
      "Windows 10",
      session,
      0,
      ref,
      scheme,
      "1920,0,1",
      "US-TX",
      1,
      at,
    ]),
  );
}

/** A view or an event of Umami. */
interface UmamiEvent {
  readonly at: string;
  readonly path: string;
  readonly visitor: string;
  readonly visit: string;
  readonly name?: string;
  readonly referrer?: string;
}

/** The table website_event, joined with session. */
export function umamiEvents(events: readonly UmamiEvent[]): string {
  return csv(
    UMAMI.split(","),
    events.map(({ at, path, visitor, visit, name, referrer = "" }, n) => [
      `e${n}`,
      "w",
      visitor,
      visit,
      at,
      "example.com",
      "crios",
      "iOS",
      "mobile",
      "390x844",
      "de-CH",
      "CH",
      path,
      "a=1",
      referrer,
      name === undefined ? 1 : 2,
      name ?? "",
      "",
    ]),
  );
}

/** A report of Google Analytics 4, as its pages download it. */
export function ga4Report(columns: readonly string[], rows: readonly Row[]): string {
  const intro = [
    "# ----------------------------------------",
    "# Free form 1",
    "# 20260101-20260131",
    "# ----------------------------------------",
    "",
  ];
  return `\uFEFF${intro.join("\n")}\n${csv(columns, rows).replaceAll('"', "")}`;
}
