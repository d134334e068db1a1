import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import type { Dimension } from "../../base/text/dimensions.ts";
import type { DayContent, ValueRow } from "../../store/desk.ts";
import type { ExportedSite } from "./site.ts";
import { csvLine, sumOf } from "./tables.ts";

// The tables of plausible.io/docs/csv-import, with all of their columns; what is not counted here is 0 there: the
// duration of visits, and bounces of a value. Sources and campaigns are not known together, so a source has none.

type Cell = string | number;

interface Table {
  readonly columns: readonly string[];
  rowsOf(content: DayContent): readonly (readonly Cell[])[];
}

const COUNTS = ["visitors", "visits", "visit_duration", "bounces", "pageviews"];
const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"];

/** A table of the values of a dimension. @param texts the cells of a value, before its counts */
function valuesOf(
  dimension: Dimension,
  columns: readonly string[],
  texts: (text: string) => readonly Cell[],
): Table {
  return {
    columns: [...columns, ...COUNTS],
    rowsOf: ({ values }) =>
      (values[dimension] ?? []).map(([text, views, visitors, sessions]) => [
        ...texts(text),
        ...[visitors, sessions, 0, 0, views],
      ]),
  };
}

/**
 * A table of names and their versions: a row for each version, and one for what came without any.
 * @param called what Plausible calls a name
 */
function versionsOf(
  [dimension, versions]: readonly [Dimension, Dimension],
  columns: readonly string[],
  called: (name: string) => string,
): Table {
  return {
    columns: [...columns, ...COUNTS],
    rowsOf({ values }) {
      const byName = Map.groupBy(values[versions] ?? [], ([text]) => nameIn(text));
      return (values[dimension] ?? []).flatMap(([name, ...counts]) => {
        const own = byName.get(name) ?? [];
        const left = counts.map((n, at) =>
          own.reduce((rest, [, ...some]) => Math.max(0, rest - (some[at] ?? 0)), n),
        ) as [number, number, number];
        const rows: readonly ValueRow[] = left.some((n) => n > 0) ? [...own, [name, ...left]] : own;
        return rows.map(([text, views, visitors, sessions]) => [
          ...[called(name), text.slice(name.length + 1)],
          ...[visitors, sessions, 0, 0, views],
        ]);
      });
    },
  };
}

/** `Samsung Internet` of `Samsung Internet 23` */
function nameIn(version: string): string {
  return version.slice(0, Math.max(0, version.lastIndexOf(" ")));
}

const TABLES: Readonly<Record<string, Table>> = {
  visitors: {
    columns: ["visitors", "pageviews", "bounces", "visits", "visit_duration"],
    rowsOf(content) {
      const sessions = sumOf(content, "sessions");
      const [pv, uv] = [sumOf(content, "pv"), sumOf(content, "uv")];
      return [[uv, pv, bouncesOf(content, sessions), sessions, 0]];
    },
  },
  pages: {
    columns: ["hostname", "page", "visits", "visitors", "pageviews"],
    rowsOf(content) {
      const host = hostOf(content);
      return (content.values.path ?? [])
        .filter(([, views]) => views > 0)
        .map(([page, views, visitors]) => [host, page, visitors, visitors, views]);
    },
  },
  entry_pages: {
    columns: ["entry_page", "visitors", "entrances", "visit_duration", "bounces", "pageviews"],
    rowsOf: ({ values }) =>
      (values.path ?? [])
        .filter(([, , , sessions]) => sessions > 0)
        .map(([page, , , sessions]) => [page, sessions, sessions, 0, 0, 0]),
  },
  sources: {
    columns: [
      "source",
      "referrer",
      ...UTM,
      "pageviews",
      "visitors",
      "visits",
      "visit_duration",
      "bounces",
    ],
    rowsOf: ({ values }) =>
      (values.source ?? values.ref ?? []).map(([text, views, visitors, sessions]) => [
        ...[text === "direct" ? "" : text, text === "direct" ? "" : text, ...UTM.map(() => "")],
        ...[views, visitors, sessions, 0, 0],
      ]),
  },
  locations: valuesOf("country", ["country", "region", "city"], (text) => [text, "", 0]),
  devices: valuesOf("device", ["device"], (text) => [capital(text)]),
  browsers: versionsOf(
    ["browser", "browser_version"],
    ["browser", "browser_version"],
    (name) => name,
  ),
  operating_systems: versionsOf(
    ["os", "os_version"],
    ["operating_system", "operating_system_version"],
    (name) => SYSTEMS.get(name) ?? name,
  ),
  custom_events: {
    columns: ["name", "link_url", "path", "visitors", "events"],
    rowsOf: ({ values }) =>
      (values.event ?? []).map(([text, views, visitors]: ValueRow) => [
        text,
        "",
        "",
        Math.min(views, visitors),
        views,
      ]),
  },
};

/** Names of Plausible's for the same systems. */
const SYSTEMS = new Map([
  ["macOS", "Mac"],
  ["Linux", "GNU/Linux"],
  ["ChromeOS", "Chrome OS"],
]);

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Sessions with exactly one view: those that did not go on, where that is known. */
function bouncesOf(content: DayContent, sessions: number): number {
  const engaged = sumOf(content, "engaged");
  return engaged > 0 ? Math.max(0, sessions - engaged) : sumOf(content, "bounce");
}

/** The host with the most views: which page is on which host is not counted. */
function hostOf({ values }: DayContent): string {
  const [first] = [...(values.host ?? [])].sort(([, a], [, b]) => b - a);
  return (first?.[0] ?? "").replace(/^https?:\/\//, "");
}

/** A zip archive as Plausible exports and imports it. */
export async function plausibleExport(
  site: ExportedSite,
  onShare: (share: number) => void,
): Promise<NodeJS.ReadableStream> {
  const names = Object.keys(TABLES);
  const { from, to } = await rangeOf(site);
  const zip = new ZipFile();
  for (const [n, [name, table]] of Object.entries(TABLES).entries())
    zip.addReadStreamLazy(`imported_${name}_${from}_${to}.csv`, (take) =>
      take(
        null,
        Readable.from(linesOf(site, table, (share) => onShare((n + share) / names.length))),
      ),
    );
  zip.end();
  return zip.outputStream;
}

async function* linesOf(
  site: ExportedSite,
  { columns, rowsOf }: Table,
  onShare: (share: number) => void,
): AsyncGenerator<string> {
  yield csvLine(["date", ...columns]);
  for await (const { day, content, share } of site.days()) {
    onShare(share);
    const lines = rowsOf(content).map((row) => csvLine([day, ...row]));
    if (lines.length > 0) yield lines.join("");
  }
}

/** The first and the last day, as file names have them: `20260131`. */
async function rangeOf(site: ExportedSite): Promise<{ from: string; to: string }> {
  let [from, to] = ["", ""];
  for await (const { day } of site.days()) {
    from ||= day;
    to = day;
  }
  const short = (day: string) => day.replaceAll("-", "");
  return { from: short(from), to: short(to) };
}
