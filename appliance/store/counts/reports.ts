import { type Day, formatDay } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import { type Counter, HOUR_DIMENSIONS, type SiteKey } from "../counting.ts";
import { MAX_RANGE_DAYS, type StatsQuery } from "../queries.ts";
import type { DetailAnswer, SeriesRow, StatsHead } from "../reports.ts";
import { DayCounts } from "./day-counts.ts";
import { hoursOf } from "./hours.ts";
import { JsonBytes } from "./json-bytes.ts";
import type { CountsSource, Detail, SiteDays } from "./source.ts";
import { type DimensionTally, leaveHighest, tally } from "./tallies.ts";

/** The body of `/stats`, as JSON. */
export async function statsBody(source: CountsSource, query: StatsQuery): Promise<Uint8Array> {
  const { site, to } = query;
  const from = query.from === "first" ? await firstDay(source, site, to) : query.from;
  const range = { site, from, to };
  const [all, head] = await Promise.all([tally(source, range), headOf(source, query, from)]);
  const dimensions = all.filter(({ name }) => !HOUR_DIMENSIONS.has(name));
  leaveHighest(dimensions, query.daily !== undefined);
  const names = await Promise.all(dimensions.map((dimension) => namesOf(source, dimension)));
  const tables = dimensions.map((dimension, i) => ({ dimension, names: names[i] ?? [] }));

  const json = new JsonBytes();
  json.text(JSON.stringify(head).slice(0, -1));
  if (tables.length > 0) json.text(",");
  writeTables(json, tables, ({ kept, other }, row) => json.text(`${kept[row]?.total ?? other}`));
  if (query.daily !== undefined) {
    const counts = await DayCounts.read(source, range, all);
    const write = (list: Float64Array) =>
      query.daily === "text" ? json.days(list) : json.list(list);
    json.text(`,"hours":${await hoursOf(source, all, counts)},"daily":{`);
    writeTables(json, tables, (dimension, row) => {
      const value = dimension.kept[row];
      write(value === undefined ? counts.ofOthers(dimension) : counts.of(value));
    });
    json.text("}");
  }
  json.text("}");
  return json.end();
}

async function headOf(source: CountsSource, query: StatsQuery, from: Day): Promise<StatsHead> {
  const { site, to } = query;
  const [[pending = 0], series, detail] = await Promise.all([
    source.pending([site]),
    query.series ? seriesOf(source, { site, from, to }) : undefined,
    query.where.length > 0 ? source.detail({ site, from, to }) : undefined,
  ]);
  return {
    site: query.id,
    ...(query.single ? { day: formatDay(to) } : { from: formatDay(from), to: formatDay(to) }),
    zone: query.zone,
    ...(query.warnings.length > 0 && { warnings: [...query.warnings] }),
    ...(pending > 0 && { pending }),
    ...(query.live !== undefined && { live: query.live }),
    ...(detail && { detail: answerOf(detail, to) }),
    ...(series && { series }),
  };
}

function answerOf({ from, sampled }: Detail, to: Day): DetailAnswer {
  return { from: from > to ? null : formatDay(from), sampled };
}

interface Table {
  readonly dimension: DimensionTally;
  /** The values as JSON: those that are kept, and then that of the others, where there are any. */
  readonly names: readonly string[];
}

async function namesOf(
  source: CountsSource,
  { kept, otherIds }: DimensionTally,
): Promise<string[]> {
  const texts = await source.texts(kept.map(({ id }) => id));
  const names = texts.map((text) => JSON.stringify(text));
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
async function seriesOf(source: CountsSource, { site, from, to }: SiteDays): Promise<SeriesRow[]> {
  const by = async (counter: Counter) => {
    const [days = []] = await source.counterByDay([site], counter, from, to);
    return days;
  };
  const [pv, uv, sessions, bot, app] = await Promise.all([
    by("pv"),
    by("uv"),
    by("sessions"),
    by("bot"),
    by("app"),
  ]);
  return Array.from({ length: to - from + 1 }, (_, offset) => [
    formatDay(from + offset),
    pv[offset] ?? 0,
    uv[offset] ?? 0,
    sessions[offset] ?? 0,
    bot[offset] ?? 0,
    app[offset] ?? 0,
  ]);
}

async function firstDay(source: CountsSource, site: SiteKey, to: Day): Promise<Day> {
  const first = Math.min(to, (await source.firstDay(site)) ?? to);
  return Math.max(first, to - MAX_RANGE_DAYS + 1);
}
