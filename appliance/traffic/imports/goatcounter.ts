import { type Day, HOUR_MS } from "../../base/calendar.ts";
import { plainText } from "../../base/input/json.ts";
import { detached, memoize } from "../../base/memoize.ts";
import { pagePath, storable } from "../../base/text/storable.ts";
import type { Dimension } from "../../store/log/record.ts";
import { addressHost } from "../collector/counting/address.ts";
import { countryNamed } from "./countries.ts";
import { type CsvRow, csvRows } from "./files/csv.ts";
import type { Sheet } from "./files/input.ts";
import { jsonRows } from "./files/json-rows.ts";
import { type Format, KNOWN_BY_DAY, NEVER_KNOWN, type Sink } from "./format.ts";
import { momentIn } from "./moment.ts";
import { ImportRefused } from "./refused.ts";
import {
  browserNamed,
  browserVersionNamed,
  languageNamed,
  referrerOf,
  sourceNamed,
  systemNamed,
  systemVersionNamed,
  viewportOf,
} from "./values.ts";
import { Visits } from "./visits.ts";

// Both forms are those of goatcounter.com/help/export; the first character of the CSV is its version, and
// `export_version` of info.json is the other's.

const CSV_VERSION = "2";

/** One row for each view and event: only where the owner kept individual pageviews. */
export const goatcounterCsv: Format = {
  name: "GoatCounter (CSV)",
  days: "ours",
  readings: 2,
  recognises([sheet, ...others]) {
    const [, version] = /^"?(\d)Path"?,/.exec(sheet?.head ?? "") ?? [];
    if (others.length > 0 || version === undefined) return false;
    if (version !== CSV_VERSION)
      throw new ImportRefused(
        `This export of GoatCounter has version ${version}, and version ${CSV_VERSION} is known. Export it again with a current GoatCounter.`,
      );
    return true;
  },
  async read(sheets, sink) {
    sink.lackAlways([...NEVER_KNOWN, "bounce"]);
    const visits = new Visits();
    for (const sheet of sheets)
      for await (const row of csvRows(sheet))
        visits.note({ ...visitOf(row), source: cameFrom(row).source });
    for (const sheet of sheets) for await (const row of csvRows(sheet)) readHit(row, visits, sink);
  },
};

function visitOf(row: CsvRow): { moment: number; session: string } {
  const moment = momentIn(row.text("Date"));
  return { moment, session: row.text("Session") || `${row.text(`${CSV_VERSION}Path`)} ${moment}` };
}

function readHit(row: CsvRow, visits: Visits, sink: Sink): void {
  const { moment, session } = visitOf(row);
  const hour = Number.isNaN(moment) ? Number.NaN : sink.hourAt(moment);
  const day = sink.dayOfHour(hour);
  if (day === undefined) return;
  if (row.text("Bot") !== "0" && row.text("Bot") !== "") {
    sink.leave("views of crawlers");
    return;
  }
  const isEvent = /^(1|true)$/i.test(row.text("Event"));
  const name = row.text(`${CSV_VERSION}Path`);
  const values: [Dimension, string][] = [];
  const path = isEvent ? "" : pagePath(name);
  if (isEvent) values.push(["event", storable(name) || "event"]);
  else values.push(["path", path]);
  const { source, others } = cameFrom(row);
  values.push(...others, ["source", visits.sourceOf(session, source)]);
  values.push(["browser", browserNamed(row.text("Browser"))]);
  values.push(["os", systemNamed(row.text("System"))]);
  const browserVersion = browserVersionNamed(row.text("Browser"));
  if (browserVersion !== "") values.push(["browser_version", browserVersion]);
  const systemVersion = systemVersionNamed(row.text("System"));
  if (systemVersion !== "") values.push(["os_version", systemVersion]);
  const country = countryNamed(row.text("Location").split("-", 1)[0] ?? "", sink);
  if (country !== undefined) values.push(["country", country]);
  const viewport = viewportOf(Number(row.text("Screen size").split(",", 1)[0]));
  if (viewport !== undefined) values.push(["viewport", viewport]);
  const flags = isEvent ? 0 : visits.flagsOf({ day, visitor: session, session, path });
  sink.counts.hit({ kind: isEvent ? "event" : "view", flags, moment: hour, times: 1, values });
}

/** The source of a row, and its other values of where it came from. */
function cameFrom(row: CsvRow): Came {
  return cameBy(row.text("Referrer"), row.text("Referrer scheme"));
}

interface Came {
  readonly source: string;
  readonly others: readonly [Dimension, string][];
}

/** @param scheme h URL, g name of GoatCounter's, c campaign, o other */
function cameBy(text: string, scheme: string): Came {
  const source = sourceNamed(text);
  const isCampaign = scheme === "c";
  const came = scheme === "g" ? (source === "direct" ? "" : source) : text;
  const { ref, group } = referrerOf(isCampaign ? "" : came, {
    utmSource: isCampaign ? source : "",
  });
  const others: [Dimension, string][] = [
    ["ref", ref],
    ["ref_group", group],
  ];
  if (isCampaign && storable(text) !== "") others.push(["utm_campaign", storable(text)]);
  return { source: scheme === "h" ? ref : source, others };
}

/** Sums by hour or day: first views of a page in each session, and no views. */
export const goatcounterJson: Format = {
  name: "GoatCounter",
  days: "UTC",
  recognises(sheets) {
    const info = sheets.find(({ name }) => name === "info.json");
    if (info === undefined || !sheets.some(({ name }) => name === "hit_stats.jsonl")) return false;
    const [, version = "without a version"] =
      /"export_version"\s*:\s*"([\d.]+)"/.exec(info.head) ?? [];
    if (!version.startsWith("1."))
      throw new ImportRefused(
        `This export of GoatCounter is ${version}, and 1.0 is known: it may mean something else.`,
      );
    return true;
  },
  async read(sheets, sink) {
    sink.lackAlways([...KNOWN_BY_DAY, "pv", "uv", "bounce", "engaged"]);
    const sheet = (name: string) => sheets.filter((one) => one.name === `${name}.jsonl`);
    const names = new Names();
    // Each text has its kind before it: as objects, they would take several times as much.
    const paths = await names.of(sheet("paths"), ({ path, event }) =>
      event === true ? `${EVENT}${storable(path) || "event"}` : `${PAGE}${pagePath(path)}`,
    );
    const refs = await names.of(sheet("refs"), ({ ref, ref_scheme }) => {
      const scheme = plainText(ref_scheme)[0] ?? "o";
      return scheme + storable(scheme === "h" ? addressHost(ref) : ref);
    });
    const valuesOfRef = memoize((text) => {
      const { source, others } = cameBy(text.slice(1), text[0] ?? "");
      return [...others, ["source", source] as const];
    });
    // With its version, where it has one: without is read out of that.
    const named = (
      table: string,
      ours: (text: string) => string,
      oursWithVersion: (text: string) => string,
    ) =>
      names.of(sheet(table), ({ name, version }) => {
        const text = plainText(name);
        return oursWithVersion(`${text} ${plainText(version)}`) || ours(text);
      });
    const browsers = await named("browsers", browserNamed, browserVersionNamed);
    const systems = await named("systems", systemNamed, systemVersionNamed);
    const isPage = (row: Row) => paths.get(row.path_id)?.startsWith(PAGE) === true;

    for (const one of sheet("hit_stats"))
      for await (const row of jsonRows(one)) {
        const moment = momentIn(plainText(row.hour));
        const [day, n] = [dayOfMoment(sink, moment), countOf(row, sink)];
        const what = paths.get(row.path_id);
        if (day === undefined || n === undefined) continue;
        if (what === undefined) sink.leave("counts of pages that the export does not name");
        else if (what.startsWith(EVENT))
          sink.counts.value(day, "event", what.slice(1), { views: n, visitors: n, sessions: 0 });
        else {
          sink.counts.count(day, "sessions", n);
          visitsOf(sink, day, "path", what.slice(1), n);
          const ref = refs.get(row.ref_id);
          for (const [dimension, text] of ref === undefined ? [] : valuesOfRef(ref))
            visitsOf(sink, day, dimension, text, n);
        }
      }
    const tables: readonly [string, (row: Row) => [Dimension, string | undefined][]][] = [
      [
        "browser_stats",
        ({ browser_id }) => {
          const text = browsers.get(browser_id) ?? "";
          return [
            ["browser", text && browserNamed(text)],
            ["browser_version", browserVersionNamed(text)],
          ];
        },
      ],
      [
        "system_stats",
        ({ system_id }) => {
          const text = systems.get(system_id) ?? "";
          return [
            ["os", text && systemNamed(text)],
            ["os_version", systemVersionNamed(text)],
          ];
        },
      ],
      [
        "location_stats",
        ({ location }) => [
          ["country", countryNamed(plainText(location).split("-", 1)[0] ?? "", sink)],
        ],
      ],
      ["language_stats", ({ language }) => [["lang", languageNamed(plainText(language))]]],
      ["size_stats", ({ width }) => [["viewport", viewportOf(Number(plainText(width)))]]],
    ];
    for (const [name, read] of tables)
      for (const one of sheet(name))
        for await (const row of jsonRows(one)) {
          const [day, n, values] = [sink.dayOf(plainText(row.day)), countOf(row, sink), read(row)];
          if (day === undefined || n === undefined || !isPage(row)) continue;
          for (const [dimension, text] of values) if (text) visitsOf(sink, day, dimension, text, n);
        }
  },
};

type Row = Readonly<Record<string, unknown>>;
const EVENT = "e";
const PAGE = "p";

function visitsOf(sink: Sink, day: Day, dimension: Dimension, text: string, n: number): void {
  sink.counts.value(day, dimension, text, { views: 0, visitors: 0, sessions: n });
}

function dayOfMoment(sink: Sink, moment: number): Day | undefined {
  return sink.dayOfHour(Math.floor(moment / HOUR_MS));
}

function countOf({ count }: Row, sink: Sink): number | undefined {
  if (Number.isSafeInteger(count) && Number(count) >= 0) return Number(count);
  sink.leave("rows with something else than a number");
  return undefined;
}

/** The most bytes that all names may take, nearly; each has some more than its text. */
const MAX_NAMES = 256 * 1_048_576;
const BYTES_OF_NAME = 80;

/** The tables of names, by their numbers. */
class Names {
  #bytes = 0;

  async of(
    sheets: readonly Sheet[],
    read: (row: Row) => string,
  ): Promise<ReadonlyMap<unknown, string>> {
    const all = new Map<unknown, string>();
    for (const sheet of sheets)
      for await (const row of jsonRows(sheet)) {
        const name = detached(read(row));
        this.#bytes += BYTES_OF_NAME + name.length;
        if (this.#bytes > MAX_NAMES)
          throw new ImportRefused(
            `${sheet.name} has more names than there is memory for. Export a part of the site.`,
          );
        all.set(row.id, name);
      }
    return all;
  }
}
