import { type Day, parseDay } from "../../appliance/base/calendar.ts";
import type { SavedView } from "../../appliance/base/input/selection.ts";
import { comparableHost } from "../../appliance/base/names.ts";
import { type Condition, readConditions, rowsAsked } from "../../appliance/base/text/condition.ts";
import type { CountsOf } from "../../appliance/base/text/dimensions.ts";
import type {
  HoursOfDay,
  SeriesRow,
  SiteSource,
  StatsAnswer,
  Warning,
} from "../../appliance/traffic/collector/wire.ts";
import { isOfHosts } from "./traffic/hosts.ts";

/** Days `from`–`to`, both included. */
export interface DayRange {
  from: Day;
  to: Day;
  /** of two days: the last 24 hours, of which this is the last one; without it, whole days */
  hour?: number | undefined;
}

export const SERIES = ["pv", "uv", "sessions", "bot", "app"] as const;
export type SeriesName = (typeof SERIES)[number];

/** The series of each kind of counts. */
export const SERIES_OF = { views: "pv", visitors: "uv", sessions: "sessions" } as const;

/** The series that are counted by the hour too. */
export type HourlyName = SeriesName | "engaged";

/** The counts of one dimension, by value and day, in flat arrays that can be summed quickly. */
export interface Dimension {
  name: string;
  values: string[];
  /** counts of value `i` are at `starts[i]` … `starts[i + 1] - 1` */
  starts: Uint32Array;
  /** days since the history's first day, ascending within a value */
  offsets: Uint16Array;
  counts: Float64Array;
  /** the stored forms of each value, where several were one */
  spellings?: Map<string, string[]>;
}

/** The decoded answer of a `/stats` request. */
export interface History {
  site: string;
  /** by which days begin, an IANA name */
  zone: string;
  /** the first day by that zone, and the zone before; null where it is the same on all days */
  zoneChange: { from: Day; before: string } | null;
  first: Day;
  last: Day;
  series: Record<SeriesName, Float64Array>;
  dimensions: Map<string, Dimension>;
  /** by counter and day: 24 counts; a day is missing where its hours are not known */
  hours: Map<string, Map<Day, number[]>>;
  /** views of the last five minutes; null where the answer has none */
  live: number | null;
  warnings: Warning[];
  pending: number;
  /** whether any survey response ever came */
  hasSurveys: boolean;
  /** selections of the site that its owner has given a name */
  views: readonly SavedView[];
  /** the sources of which the site has counts */
  sources: SiteSource[];
  /** the source that all of this is of; null where it is of all of them */
  only: SiteSource | null;
  /** days of which an import does not know some counters */
  gaps: readonly (DayRange & { lacks: readonly string[] })[];
  /** the conditions of the answer, those of `bound` first */
  where: readonly Condition[];
  /** the conditions of a shared link, which shows nothing else */
  bound: readonly Condition[];
  /** the kind of counts that values have, where they have it */
  of: CountsOf;
  /** the first day of which that can be known; before all of them, where nothing has to hold */
  since: Day;
  /** the sampling rate; counts are scaled by it */
  sampled: number;
  /** how far pageviews may be off then, in 19 of 20 cases; 0 where all were kept */
  margin: number;
  /** the same without conditions, where that was read before */
  whole: History | null;
}

/**
 * Decodes `/stats?from=first&series=1&daily=text&sources=1&entry=1&surveys=1&views=1`.
 * @param asked the requested conditions and kind of counts
 * @param whole the history without conditions, if it is known
 * @throws {Error} when the answer violates the format
 */
export function decodeHistory(
  answer: StatsAnswer,
  asked: Pick<History, "where" | "of">,
  whole: History | null,
): History {
  const first = parseDay(answer.from);
  const last = parseDay(answer.to);
  if (
    first === undefined ||
    last === undefined ||
    last < first ||
    !answer.series ||
    !answer.daily
  ) {
    throw new Error(
      "The answer is not what this page asked for. Reload the page: Tallydeck may have been updated.",
    );
  }
  const length = last - first + 1;
  const { detail, zoneChange } = answer;
  const bound = readConditions(answer.bound ?? []);
  const where = [...bound, ...asked.where];
  const { sampled = 1, margin = 0 } = detail ?? {};
  return {
    site: answer.site,
    zone: answer.zone,
    zoneChange: zoneChange ? { ...zoneChange, from: parseDay(zoneChange.from) ?? first } : null,
    first,
    last,
    series: decodeSeries(answer.series, first, length),
    dimensions: new Map(
      Object.entries(answer.daily).map(([name, values]) => {
        const dimension = decodeDimension(name, values);
        return [name, isOfHosts(name) ? folded(dimension) : dimension];
      }),
    ),
    hours: new Map(
      Object.entries(answer.hours ?? {}).map(([name, days]) => [name, decodeHours(days, first)]),
    ),
    live: answer.live ?? null,
    warnings: answer.warnings ?? [],
    pending: answer.pending ?? 0,
    views: answer.views ?? [],
    hasSurveys: answer.surveys ?? false,
    sources: answer.sources ?? [],
    only: answer.sources?.find(({ number }) => number === answer.only) ?? null,
    gaps: (answer.gaps ?? []).map(({ from, to, lacks }) => ({
      from: parseDay(from) ?? first,
      to: parseDay(to) ?? last,
      lacks,
    })),
    where,
    bound,
    sampled,
    margin,
    whole,
    of: rowsAsked(where) === "views" ? asked.of : "views",
    since: detail ? (parseDay(detail.from ?? "") ?? last + 1) : Number.NEGATIVE_INFINITY,
  };
}

function decodeSeries(rows: SeriesRow[], first: Day, length: number): History["series"] {
  const series = {
    pv: new Float64Array(length),
    uv: new Float64Array(length),
    sessions: new Float64Array(length),
    bot: new Float64Array(length),
    app: new Float64Array(length),
  };
  for (const [day, ...figures] of rows) {
    const at = (parseDay(day) ?? first) - first;
    SERIES.forEach((name, i) => {
      series[name][at] = figures[i] ?? 0;
    });
  }
  return series;
}

function decodeHours(days: HoursOfDay[], first: Day): Map<Day, number[]> {
  return new Map(days.map(([offset = 0, ...hours]) => [first + offset, hours]));
}

/** Codes of the characters of a day, see DailyForm. */
const [ZERO, A, Z, SMALL_A, LEFT] = [48, 65, 90, 97, 40] as const;

function decodeDimension(name: string, table: Record<string, string>): Dimension {
  const values = Object.keys(table);
  const texts = Object.values(table);
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  const starts = new Uint32Array(values.length + 1);
  const offsets = new Uint16Array(size);
  const counts = new Float64Array(size);
  let at = 0;
  texts.forEach((text, i) => {
    starts[i] = at;
    let offset = 0;
    for (let next = 0; next < text.length; next++) {
      const code = text.charCodeAt(next);
      if (code >= A && code <= Z) {
        offset += code - A + 1;
        continue;
      }
      if (code === LEFT) {
        const right = text.indexOf(")", next);
        if (right < 0) break;
        counts[at] = Number(text.slice(next + 1, right));
        next = right;
      } else counts[at] = code >= SMALL_A ? code - SMALL_A + 10 : code - ZERO;
      offsets[at++] = offset++;
    }
  });
  starts[values.length] = at;
  return { name, values, starts, offsets: offsets.subarray(0, at), counts: counts.subarray(0, at) };
}

/** The values of a dimension of hosts with and without `www.` as one. */
function folded(dimension: Dimension): Dimension {
  const spellings = new Map<string, number[]>();
  dimension.values.forEach((value, i) => {
    const host = comparableHost(value);
    spellings.set(host, [...(spellings.get(host) ?? []), i]);
  });
  const { starts, offsets, counts } = dimension;
  const made: Dimension = {
    name: dimension.name,
    values: [...spellings.keys()],
    starts: new Uint32Array(spellings.size + 1),
    offsets: new Uint16Array(offsets.length),
    counts: new Float64Array(counts.length),
    spellings: new Map(),
  };
  let at = 0;
  [...spellings].forEach(([host, places], i) => {
    const days = new Map<number, number>();
    for (const place of places)
      for (let from = starts[place] ?? 0; from < (starts[place + 1] ?? 0); from++) {
        const day = offsets[from] ?? 0;
        days.set(day, (days.get(day) ?? 0) + (counts[from] ?? 0));
      }
    for (const [day, count] of [...days].sort(([a], [b]) => a - b)) {
      made.offsets[at] = day;
      made.counts[at++] = count;
    }
    made.starts[i + 1] = at;
    made.spellings?.set(
      host,
      places.map((place) => dimension.values[place] ?? host),
    );
  });
  return { ...made, offsets: made.offsets.subarray(0, at), counts: made.counts.subarray(0, at) };
}

/** Whether a day was imported from a tool that does not tell one of these things. */
export const isUntold = ({ gaps }: History, day: Day, ...names: string[]): boolean =>
  gaps.some(
    ({ from, to, lacks }) => from <= day && day <= to && names.some((name) => lacks.includes(name)),
  );

/** The stored forms of a value. */
export const spellingsOf = ({ dimensions }: History, name: string, value: string): string[] =>
  dimensions.get(name)?.spellings?.get(value) ?? [value];

/** The hosts of the site itself, as its pages say. */
export function ownHosts({ whole, dimensions }: History): Set<string> {
  const hosts = (whole?.dimensions ?? dimensions).get("host")?.values ?? [];
  return new Set(hosts.map((origin) => comparableHost(origin.replace(/^https?:\/\//, ""))));
}

/** The sum of each value of a dimension over a range, by the value's number. */
export function sumByValue(dimension: Dimension, history: History, range: DayRange): Float64Array {
  const { starts, offsets, counts, values } = dimension;
  const from = range.from - history.first;
  const to = range.to - history.first;
  const sums = new Float64Array(values.length);
  for (let value = 0; value < values.length; value++) {
    const end = starts[value + 1] ?? 0;
    let sum = 0;
    for (let at = starts[value] ?? 0; at < end; at++) {
      const offset = offsets[at] ?? 0;
      if (offset > to) break;
      if (offset >= from) sum += counts[at] ?? 0;
    }
    sums[value] = sum;
  }
  return sums;
}

/** The counts of one value of a dimension by day over a range: one number per day. */
export function valueByDay(
  history: History,
  { dimension: name, value }: { dimension: string; value: string },
  range: DayRange,
): Float64Array {
  const days = new Float64Array(range.to - range.from + 1);
  const dimension = history.dimensions.get(name);
  const i = dimension?.values.indexOf(value) ?? -1;
  if (!dimension || i < 0) return days;
  const shift = range.from - history.first;
  for (let at = dimension.starts[i] ?? 0; at < (dimension.starts[i + 1] ?? 0); at++) {
    const day = (dimension.offsets[at] ?? 0) - shift;
    if (day >= 0 && day < days.length) days[day] = dimension.counts[at] ?? 0;
  }
  return days;
}

/** The sum of a whole dimension by day over a range: one number per day. */
export function sumByDay(history: History, name: string, range: DayRange): Float64Array {
  const days = new Float64Array(range.to - range.from + 1);
  const dimension = history.dimensions.get(name);
  const shift = range.from - history.first;
  dimension?.offsets.forEach((offset, at) => {
    const day = offset - shift;
    if (day >= 0 && day < days.length) days[day] = (days[day] ?? 0) + (dimension.counts[at] ?? 0);
  });
  return days;
}

/** One column of the series over a range, with zeros for days outside the history. */
export function seriesOf(history: History, name: SeriesName, range: DayRange): Float64Array {
  const days = new Float64Array(range.to - range.from + 1);
  const column = history.series[name];
  for (let i = 0; i < days.length; i++) days[i] = column[range.from - history.first + i] ?? 0;
  return days;
}

/** A counter of a day by the hour, 00 to 23; undefined where that was not kept. */
export function hoursOn(history: History, name: HourlyName, day: Day): number[] | undefined {
  return name === "pv" && history.of === "views"
    ? hourlyViews(history, day)
    : history.hours.get(name)?.get(day);
}

function hourlyViews(history: History, day: Day): number[] | undefined {
  const hours = new Array<number>(24).fill(0);
  const dimension = history.dimensions.get("hour");
  const wanted = day - history.first;
  dimension?.values.forEach((value, i) => {
    const end = dimension.starts[i + 1] ?? 0;
    for (let at = dimension.starts[i] ?? 0; at < end; at++) {
      if (dimension.offsets[at] === wanted) hours[Number(value)] = dimension.counts[at] ?? 0;
    }
  });
  return hours.some((n) => n > 0) ? hours : undefined;
}

/** Whether there is any ping of an app. */
export function hasApp({ series, whole }: History): boolean {
  return (whole?.series ?? series).app.some((n) => n > 0);
}

/** Whether a site has no counts, not even of bots. */
export function isEmpty(history: History): boolean {
  return SERIES.every((name) => history.series[name].every((n) => n === 0));
}

export function addNumbers(numbers: ArrayLike<number>): number {
  return Array.from(numbers).reduce((sum, n) => sum + n, 0);
}

/** Whether a site has views, but no counted visitors. */
export function isUnvisited({ series }: History): boolean {
  return series.uv.every((n) => n === 0) && series.pv.some((n) => n > 0);
}
