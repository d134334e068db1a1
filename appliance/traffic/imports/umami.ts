import { pagePath, storable } from "../../base/text/storable.ts";
import type { Dimension } from "../../store/log/record.ts";
import { addressHost } from "../collector/counting/address.ts";
import { countryNamed } from "./countries.ts";
import { type CsvRow, columnsOf, csvRows } from "./files/csv.ts";
import { type Format, NEVER_KNOWN, type Sink } from "./format.ts";
import { momentIn } from "./moment.ts";
import { ImportRefused } from "./refused.ts";
import {
  browserNamed,
  deviceNamed,
  languageNamed,
  referrerOf,
  sourceNamed,
  systemNamed,
  systemVersionNamed,
  viewportOf,
} from "./values.ts";
import { Visits } from "./visits.ts";

// The table is `website_event` of github.com/umami-software/umami, joined with `session`, as its cloud exports it.
// Versions have different columns.

const VIEW = "1";
const CUSTOM = "2";

export const umami: Format = {
  name: "Umami",
  days: "ours",
  readings: 2,
  recognises(sheets) {
    if (sheets.some((sheet) => isEvents(columnsOf(sheet)))) return true;
    if (sheets.length > 1 && sheets.every((sheet) => columnsOf(sheet).join() === "x,y"))
      throw new ImportRefused(
        "These are totals of one period, as Umami's dashboard downloads them: they do not say which day was what. Export the data of the website in Umami Cloud, or the table website_event of its database joined with session, as CSV.",
      );
    return false;
  },
  async read(sheets, sink) {
    sink.lackAlways([...NEVER_KNOWN, "bounce"]);
    const visits = new Visits();
    const tables = sheets.filter((sheet) => isEvents(columnsOf(sheet)));
    for (const { name } of sheets.filter((sheet) => !tables.includes(sheet)))
      sink.leave(`tables that are not needed (${name})`);
    for (const table of tables)
      for await (const row of csvRows(table))
        visits.note({ ...visitOf(row), source: cameFrom(row).source });
    for (const table of tables)
      for await (const row of csvRows(table)) readEvent(row, visits, sink);
  },
};

function isEvents(columns: readonly string[]): boolean {
  return ["created_at", "url_path", "session_id"].every((name) => columns.includes(name));
}

function visitOf(row: CsvRow): { moment: number; visitor: string; session: string } {
  const visitor = row.text("session_id");
  const session = row.text("visit_id") || visitor;
  return { moment: momentIn(row.text("created_at")), visitor, session };
}

function cameFrom(row: CsvRow) {
  const host = storable(addressHost(row.text("hostname")));
  const { ref, group } = referrerOf(row.text("referrer_domain"), {
    page: host,
    utmSource: storable(row.text("utm_source")),
  });
  const source = sourceNamed(row.text("utm_source") || (group === "internal" ? "" : ref));
  return { host, ref, group, source };
}

function readEvent(row: CsvRow, visits: Visits, sink: Sink): void {
  const { moment, visitor, session } = visitOf(row);
  const hour = Number.isNaN(moment) ? Number.NaN : sink.hourAt(moment);
  const day = sink.dayOfHour(hour);
  if (day === undefined) return;
  const type = row.text("event_type") || VIEW;
  if (type !== VIEW && type !== CUSTOM) {
    sink.leave("rows that are neither a view nor an event");
    return;
  }
  const path = pagePath(row.text("url_path"));
  const { host, ref, group, source } = cameFrom(row);
  const values: [Dimension, string][] = [
    ["path", path],
    ["ref", ref],
    ["ref_group", group],
    ["source", visits.sourceOf(session, source)],
    ["browser", browserNamed(row.text("browser"))],
    ["os", systemNamed(row.text("os"))],
    ["device", deviceNamed(row.text("device"))],
    ["lang", languageNamed(row.text("language"))],
  ];
  const add = (dimension: Dimension, value: string | undefined) => {
    if (value) values.push([dimension, value]);
  };
  add("os_version", systemVersionNamed(row.text("os")));
  add("host", host && storable(`https://${host}`));
  add("country", countryNamed(row.text("country"), sink));
  add("viewport", viewportOf(Number(row.text("screen").split("x", 1)[0])));
  for (const name of ["utm_source", "utm_medium", "utm_campaign"] as const)
    add(name, storable(row.text(name)));
  const isEvent = type === CUSTOM;
  if (isEvent) add("event", storable(row.text("event_name")) || "event");
  const flags = isEvent ? 0 : visits.flagsOf({ day, visitor, session, path });
  sink.counts.hit({ kind: isEvent ? "event" : "view", flags, moment: hour, times: 1, values });
}
