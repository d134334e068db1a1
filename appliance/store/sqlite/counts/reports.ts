import { type Day, formatDay } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import { type Accepts, type Answer, LastAnswers } from "../../answer.ts";
import { type Counter, HOUR_DIMENSIONS, type SiteKey } from "../../counting.ts";
import type { DailyForm, SeriesRow, StatsHead, Warning } from "../../reports.ts";
import type { Database } from "../database.ts";
import { DayCounts } from "./day-counts.ts";
import { counterByDay } from "./day-totals.ts";
import { hoursOf } from "./hours.ts";
import { type DimensionTally, leaveHighest, tally } from "./tallies.ts";

/** The longest range of `stats`, in days. */
export const MAX_RANGE_DAYS = 4_000;

/**
 * Days are inclusive. `from: "first"` is the first day with data up to `to`, or `to` where there is
 * none; never further back than MAX_RANGE_DAYS.
 */
interface StatsQuery {
  readonly site: SiteKey;
  readonly id: string;
  readonly from: Day | "first";
  readonly to: Day;
  /** Answer `{site, day}` rather than `{site, from, to}`. */
  readonly single: boolean;
  readonly series: boolean;
  /** With the counts by day, and how. */
  readonly daily: DailyForm | undefined;
  readonly warnings: readonly Warning[];
}

const lastAnswers = new LastAnswers();

/** The body of `/stats`. */
export function stats(
  db: Database,
  { query, accepts }: { query: StatsQuery; accepts: Accepts },
): Answer {
  return lastAnswers.answer(db, query, accepts, () => statsBody(db, query));
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
    ...(query.series && { series: seriesOf(db, range) }),
  };
  const names = new Map(dimensions.map((dimension) => [dimension, namesOf(db, dimension)]));
  const tables = (of: (dimension: DimensionTally) => string[]): Buffer[] =>
    dimensions.map((dimension, i) => {
      const counts = of(dimension);
      const rows = names.get(dimension)?.map((name, row) => `${name}:${counts[row]}`) ?? [];
      const comma = i === 0 ? "" : ",";
      return Buffer.from(`${comma}${JSON.stringify(dimension.name)}:{${rows.join()}}`);
    });

  const chunks: Uint8Array[] = [Buffer.from(JSON.stringify(head).slice(0, -1))];
  if (dimensions.length > 0) chunks.push(Buffer.from(","), ...tables(totalsOf));
  if (query.daily !== undefined) {
    const counts = new DayCounts(db, range, all);
    chunks.push(Buffer.from(`,"hours":${hoursOf(db, all, counts)}`));
    chunks.push(
      Buffer.from(',"daily":{'),
      ...tables(dailyOf(counts, query.daily)),
      Buffer.from("}"),
    );
  }
  return Buffer.concat([...chunks, Buffer.from("}")]);
}

/** The values of a dimension as JSON, in the order of `totalsOf` and `dailyOf`. */
function namesOf(db: Database, { kept, otherIds }: DimensionTally): string[] {
  const text = db.prepare("SELECT text FROM value WHERE id = ?").pluck();
  const names = kept.map(({ id }) => JSON.stringify(text.get(id)));
  return otherIds.length > 0 ? [...names, JSON.stringify(OTHER)] : names;
}

function totalsOf({ kept, other }: DimensionTally): string[] {
  return [...kept.map(({ total }) => total), other].map(String);
}

function dailyOf(counts: DayCounts, form: DailyForm): (dimension: DimensionTally) => string[] {
  return (dimension) =>
    [...dimension.kept.map((value) => counts.of(value)), counts.ofOthers(dimension)].map(
      (list) => `[${(form === "steps" ? inSteps(list) : list).join()}]`,
    );
}

/** Each offset as what it is more than the one before: small numbers that compress well. */
function inSteps(list: Float64Array): Float64Array {
  return list.map((n, at) => (at % 2 === 0 ? n - (list[at - 2] ?? 0) : n));
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

function hitsPending(db: Database, site: SiteKey): number {
  const sum = db.prepare("SELECT sum(hits) FROM waiting WHERE site = ?").pluck();
  return (sum.get(site) as number | null) ?? 0;
}
