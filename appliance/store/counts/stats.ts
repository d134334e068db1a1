import { type Day, formatDay } from "../../base/calendar.ts";
import type { SavedView } from "../../base/input/selection.ts";
import { OTHER } from "../../base/names.ts";
import { type Condition, conditionText, rowsAsked } from "../../base/text/condition.ts";
import { DIMENSIONS, type ListName } from "../../base/text/dimensions.ts";
import { hasOpenName } from "../../base/text/source-name.ts";
import { DETAIL_DIMENSIONS } from "../blocks/detail.ts";
import { firstDayOf } from "../blocks/month.ts";
import { COUNTERS } from "../counting.ts";
import { MAX_RANGE_DAYS, type StatsQuery } from "../queries.ts";
import type { DetailAnswer, Gap, SiteSource, StatsHead } from "../reports.ts";
import type { CountedSource } from "../sources.ts";
import type { BlockCounts } from "./block-counts.ts";
import type { CounterDays, TableValue } from "./counter-days.ts";
import { JsonBytes } from "./json-bytes.ts";
import type { SiteDays } from "./site-counts.ts";
import {
  cut,
  type DimensionTotals,
  ValueDays,
  type ValuePass,
  type ValueSum,
  valueTotals,
} from "./values.ts";

/**
 * The bytes that all values of an answer may take together; beyond them, the lowest are OTHER, too.
 */
const MAX_TEXT_BYTES = 1_048_576;
/** The same for counts by day: two years of a busy site, or some megabytes. */
const MAX_ANSWERED_DAY_COUNTS = 1_000_000;

/** Facts of a site besides its counts; undefined leaves one out. */
interface SiteFacts {
  readonly sources?: readonly CountedSource[] | undefined;
  /** Whether there is any survey response. */
  readonly surveys?: boolean | undefined;
  readonly views?: readonly SavedView[] | undefined;
  /** Tells the days that do not know some counters. */
  readonly gapsIn?: (range: SiteDays) => Promise<readonly Gap[]>;
}

/** The body of `/stats`, as JSON. */
export async function statsBody(
  source: BlockCounts,
  query: StatsQuery,
  { gapsIn = async () => [], ...facts }: SiteFacts = {},
): Promise<Uint8Array> {
  const { site, to } = query;
  const from = query.from === "first" ? await firstDay(source, query) : query.from;
  const range = { site, from, to };
  // Events and readings are of no visitor or session: where they are asked for, all there is of them is how many.
  const of = rowsAsked(query.where) === "views" ? query.of : "views";
  const { pass, counters: countersOf, detail } = await passOf(source, range, { ...query, of });
  const names: readonly ListName[] =
    query.where.length > 0 ? [...DETAIL_DIMENSIONS, "event_value"] : DIMENSIONS;
  const dimensions = await valueTotals(pass, query.entry ? [...names, "entry"] : names, (found) =>
    leaveHighest(found, query.daily !== undefined),
  );
  const counters = await countersOf();
  const days = query.daily && (await ValueDays.read(pass, range, dimensions));
  const fixed = counters.tables(of);
  const tables: Table[] = [
    ...COUNTERS.flatMap((name) => fixedTable(name, fixed)),
    ...dimensions.map((dimension) => ({
      name: dimension.name,
      values: [
        ...dimension.kept.map((value, place) => ({
          ...value,
          days: days?.of(dimension.name, place) ?? [],
        })),
        ...(dimension.other === undefined
          ? []
          : [{ text: OTHER, total: dimension.other, days: days?.ofOthers(dimension.name) ?? [] }]),
      ],
    })),
    ...["hour", "dowhour"].flatMap((name) => fixedTable(name, fixed)),
  ];

  const json = new JsonBytes();
  const [pending = 0] = await source.pending([site]);
  // A filter counts by detail alone, which an import has where it knows every view.
  const gaps = query.where.length > 0 ? [] : await gapsIn(range);
  const told = { from, counters, pending, detail: await detail(), gaps };
  const head = headOf(query, { ...told, ...facts });
  json.text(JSON.stringify(head).slice(0, -1));
  if (tables.length > 0) json.text(",");
  writeTables(json, tables, ({ total }) => json.text(`${total}`));
  if (query.daily !== undefined) {
    json.text(`,"hours":${JSON.stringify(counters.hours(of))},"daily":{`);
    writeTables(json, tables, ({ days: list }) =>
      query.daily === "text" ? json.days(list) : json.list(list),
    );
    json.text("}");
  }
  json.text("}");
  return json.end();
}

/** The counts for a question, filtered where it has conditions. */
async function passOf(
  source: BlockCounts,
  range: SiteDays,
  query: StatsQuery,
): Promise<{
  readonly pass: ValuePass;
  counters(): Promise<CounterDays>;
  detail(): Promise<DetailAnswer | undefined>;
}> {
  if (query.where.length === 0)
    return {
      pass: source.values(range, query.of),
      counters: () => source.counters(range),
      detail: async () => undefined,
    };
  const { from, sampled } = await source.detail(range, query.detailFrom);
  const filtered = source.filtered(range, from, query);
  return {
    pass: filtered.pass,
    counters: () => filtered.counters(),
    detail: async () => ({
      from: from > range.to ? null : formatDay(from),
      sampled,
      ...(sampled > 1 && { margin: await filtered.margin() }),
    }),
  };
}

interface Table {
  readonly name: string;
  readonly values: readonly TableValue[];
}

function fixedTable(name: string, fixed: ReadonlyMap<string, readonly TableValue[]>): Table[] {
  const values = fixed.get(name);
  return values === undefined ? [] : [{ name, values }];
}

function headOf(
  query: StatsQuery,
  {
    from,
    counters,
    pending,
    detail,
    sources = [],
    surveys,
    views,
    gaps,
  }: {
    readonly from: Day;
    readonly counters: CounterDays;
    readonly pending: number;
    readonly detail: DetailAnswer | undefined;
    readonly gaps: readonly Gap[];
  } & Omit<SiteFacts, "gapsIn">,
): StatsHead {
  const { to, source: only, zoneChange } = query;
  return {
    site: query.id,
    ...(query.single ? { day: formatDay(to) } : { from: formatDay(from), to: formatDay(to) }),
    zone: query.zone,
    ...(zoneChange !== undefined &&
      zoneChange.from > from &&
      zoneChange.from <= to && {
        zoneChange: { from: formatDay(zoneChange.from), before: zoneChange.before },
      }),
    ...(query.warnings.length > 0 && { warnings: [...query.warnings] }),
    // Hits that wait for the clock fit no filter yet.
    ...(pending > 0 && query.bound === undefined && { pending }),
    ...(query.live !== undefined && { live: query.live }),
    ...(sources.length > 0 && {
      ...(only !== undefined && { only }),
      sources: sources.map((each) => toldOf(each, query)),
    }),
    ...(surveys !== undefined && { surveys }),
    ...(views !== undefined && { views: [...views] }),
    ...(detail && { detail }),
    ...(query.bound && { bound: query.bound.map(conditionText) }),
    ...(gaps.length > 0 && { gaps: [...gaps] }),
    ...(query.series && { series: counters.series() }),
  };
}

function toldOf(
  { number, kind, name, first }: CountedSource,
  { tellsSources }: Pick<StatsQuery, "tellsSources">,
): SiteSource {
  const isNamed = hasOpenName({ kind }) || tellsSources === "named";
  return {
    number,
    kind,
    ...(isNamed && { name }),
    ...(first !== null && { from: formatDay(first) }),
  };
}

/** Leaves the highest values that an answer has room for; the others count as OTHER. */
function leaveHighest(dimensions: readonly DimensionTotals[], byDay: boolean): void {
  share(dimensions, MAX_TEXT_BYTES, ({ text }) => Buffer.byteLength(text));
  if (byDay) share(dimensions, MAX_ANSWERED_DAY_COUNTS, ({ days }) => days);
}

/** Shares the places of an answer among dimensions. Places that one does not need go to the others. */
function share(
  dimensions: readonly DimensionTotals[],
  room: number,
  costOf: (value: ValueSum) => number,
): void {
  const needs = dimensions.map((dimension) => ({
    dimension,
    need: dimension.kept.reduce((sum, value) => sum + costOf(value), 0),
  }));
  needs.sort((a, b) => a.need - b.need);
  let left = room;
  for (const [i, { dimension, need }] of needs.entries()) {
    const part = left / (needs.length - i);
    left -= Math.min(need, part);
    if (need <= part) continue;
    let cost = 0;
    cut(
      dimension,
      dimension.kept.findIndex((value) => {
        cost += costOf(value);
        return cost > part;
      }),
    );
  }
}

/** `"path":{"/":…,"/a":…},"ref":{…}`, each value as `write` has it. */
function writeTables(
  json: JsonBytes,
  tables: readonly Table[],
  write: (value: TableValue) => void,
): void {
  for (const [i, { name, values }] of tables.entries()) {
    json.text(`${i > 0 ? "," : ""}${JSON.stringify(name)}:{`);
    for (const [row, value] of values.entries()) {
      json.text(`${row > 0 ? "," : ""}${JSON.stringify(value.text)}:`);
      write(value);
    }
    json.text("}");
  }
}

/** The first day of a question that begins with the first one that has data; of a shared part, with the first that fits it. */
export async function firstDay(
  source: BlockCounts,
  query: Pick<StatsQuery, "site" | "to" | "bound" | "detailFrom">,
): Promise<Day> {
  const { site, to, bound } = query;
  const known = Math.min(to, (await source.firstDay(site)) ?? to);
  const first = Math.max(known, to - MAX_RANGE_DAYS + 1);
  return bound === undefined
    ? first
    : firstFitting(source, { site, from: first, to }, { ...query, where: bound });
}

/** The first day with a view, an event or a reading that fits, so that who sees a part only is not told when the rest began. */
async function firstFitting(
  source: BlockCounts,
  range: SiteDays,
  { where, detailFrom }: { readonly where: readonly Condition[]; readonly detailFrom: Day },
): Promise<Day> {
  let first = range.to;
  let month = 0;
  const detail = await source.detail(range, detailFrom);
  const { pass } = source.filtered(range, detail.from, { of: "views", where, detailFrom });
  await pass(new Set<ListName>(["path", "event"]), {
    begin: async (block) => {
      month = firstDayOf(block.month);
    },
    count: (_, { day, length }) => {
      if (length > 0) first = Math.min(first, month + day);
    },
    end: async () => {},
  });
  return first;
}
