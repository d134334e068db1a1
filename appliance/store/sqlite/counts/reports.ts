import { type Day, formatDay } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import { type Accepts, type Answer, LastAnswers } from "../../answer.ts";
import { type Counter, HOUR_DIMENSIONS, type SiteKey } from "../../counting.ts";
import { JsonBytes } from "../../counts/json-bytes.ts";
import { MAX_RANGE_DAYS, type StatsQuery } from "../../queries.ts";
import type { SeriesRow, StatsHead } from "../../reports.ts";
import { type Database, dataVersion } from "../database.ts";
import { DayCounts } from "./day-counts.ts";
import { counterByDay } from "./day-totals.ts";
import { hoursOf } from "./hours.ts";
import { type DimensionTally, leaveHighest, tally } from "./tallies.ts";

const lastAnswers = new LastAnswers();

/** The body of `/stats`. */
export function stats(
  db: Database,
  { query, accepts }: { query: StatsQuery; accepts: Accepts },
): Answer {
  return lastAnswers.answer(dataVersion(db), query, accepts, () => statsBody(db, query));
}

function statsBody(db: Database, query: StatsQuery): Uint8Array {
  const { site, to } = query;
  const from = query.from === "first" ? firstDay(db, site, to) : query.from;
  const range = { site, from, to };
  const all = tally(db, range);
  const dimensions = all.filter(({ name }) => !HOUR_DIMENSIONS.has(name));
  leaveHighest(dimensions, query.daily !== undefined);

  const pending = hitsPending(db, site);
  const head: StatsHead = {
    site: query.id,
    ...(query.single ? { day: formatDay(to) } : { from: formatDay(from), to: formatDay(to) }),
    ...(query.warnings.length > 0 && { warnings: [...query.warnings] }),
    ...(pending > 0 && { pending }),
    ...(query.live !== undefined && { live: query.live }),
    ...(query.series && { series: seriesOf(db, range) }),
  };
  const tables = dimensions.map((dimension) => ({ dimension, names: namesOf(db, dimension) }));

  const json = new JsonBytes();
  json.text(JSON.stringify(head).slice(0, -1));
  if (tables.length > 0) json.text(",");
  writeTables(json, tables, ({ kept, other }, row) => json.text(`${kept[row]?.total ?? other}`));
  if (query.daily !== undefined) {
    const counts = new DayCounts(db, range, all);
    const write = (list: Float64Array) =>
      query.daily === "text" ? json.days(list) : json.list(list);
    json.text(`,"hours":${hoursOf(db, all, counts)},"daily":{`);
    writeTables(json, tables, (dimension, row) => {
      const value = dimension.kept[row];
      write(value === undefined ? counts.ofOthers(dimension) : counts.of(value));
    });
    json.text("}");
  }
  json.text("}");
  return json.end();
}

interface Table {
  readonly dimension: DimensionTally;
  /** The values as JSON: those that are kept, and then that of the others, where there are any. */
  readonly names: readonly string[];
}

function namesOf(db: Database, { kept, otherIds }: DimensionTally): string[] {
  // In one go: a statement for each would take five times as long.
  const texts = db.prepare(
    "SELECT text FROM json_each(?) AS asked JOIN value ON value.id = asked.value ORDER BY asked.key",
  );
  const ids = JSON.stringify(kept.map(({ id }) => id));
  const names = (texts.pluck().all(ids) as string[]).map((text) => JSON.stringify(text));
  return otherIds.length > 0 ? [...names, JSON.stringify(OTHER)] : names;
}

/** `"path":{"/":…,"/a":…},"ref":{…}`, each value as `write` has it. */
function writeTables(
  json: JsonBytes,
  tables: readonly Table[],
  write: (dimension: DimensionTally, row: number) => void,
): void {
  for (const [i, { dimension, names }] of tables.entries()) {
    json.text(`${i > 0 ? "," : ""}${JSON.stringify(dimension.name)}:{`);
    for (const [row, name] of names.entries()) {
      json.text(`${row > 0 ? "," : ""}${name}:`);
      write(dimension, row);
    }
    json.text("}");
  }
}

/** Rows of `[day, pv, uv, sessions, bot, app]`, ascending, zeros included. */
function seriesOf(db: Database, range: { site: SiteKey; from: Day; to: Day }): SeriesRow[] {
  const by = (counter: Counter) => counterByDay(db, { ...range, counter });
  const [pv, uv, sessions] = [by("pv"), by("uv"), by("sessions")];
  const [bot, app] = [by("bot"), by("app")];
  return Array.from({ length: range.to - range.from + 1 }, (_, offset) => [
    formatDay(range.from + offset),
    pv[offset] ?? 0,
    uv[offset] ?? 0,
    sessions[offset] ?? 0,
    bot[offset] ?? 0,
    app[offset] ?? 0,
  ]);
}

function firstDay(db: Database, site: SiteKey, to: Day): Day {
  const days = ["packed_day", "count"].map(
    (table) =>
      db.prepare(`SELECT min(day) FROM ${table} WHERE site = ?`).pluck().get(site) as Day | null,
  );
  const first = Math.min(to, ...days.filter((day) => day !== null));
  return Math.max(first, to - MAX_RANGE_DAYS + 1);
}

/** How many hits of a site wait for the clock. */
export function hitsPending(db: Database, site: SiteKey): number {
  const sum = db.prepare("SELECT sum(hits) FROM waiting WHERE site = ?").pluck();
  return (sum.get(site) as number | null) ?? 0;
}
