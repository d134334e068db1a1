import { type Day, dowhourOf, HOUR_MS, hourName } from "../../base/calendar.ts";
import { BLOCK_COUNTERS, type Block, type BlockCounter, COUNTED_AS } from "../blocks/block.ts";
import { type DimensionBlock, MAX_DAYS } from "../blocks/dictionary.ts";
import { firstDayOf } from "../blocks/month.ts";
import { type Counter, HOURLY_COUNTERS, hourDimension, type SiteKey } from "../counting.ts";
import type { Dimension } from "../log/record.ts";
import type { LogTail } from "../log/tail.ts";
import type { Snapshot } from "../snapshot.ts";
import { type BlockQuestion, BlockReading, LAST_DAY } from "./block-reading.ts";
import type { IdTable } from "./id-table.ts";
import type { CountsSource, Detail, SiteDay, SiteDays, VisitValue } from "./source.ts";
import { ValueIds } from "./value-ids.ts";

const HOURS = 24;
const WEEKDAYS = 7;
const ALL_DAYS = { from: 0, to: LAST_DAY } as const;
/** The counter that `hour` and `dowhour` are of. */
const HOURS_OF = { views: "pv", visitors: "uv", sessions: "sessions" } as const;
const COUNTED_IN: ReadonlyMap<Counter, readonly BlockCounter[]> = Map.groupBy(
  BLOCK_COUNTERS,
  (name) => COUNTED_AS[name].counter,
);

/** Counts of views, of whatever was seen together. */
export const PLAIN: BlockQuestion = {
  of: "views",
  where: [],
  detailFrom: Number.POSITIVE_INFINITY,
};

type VisitDay = (day: Day, id: number, n: number) => void;

/** The counts of blocks and of what is left in the log, of one moment; made anew for each question. */
export class BlockCounts implements CountsSource {
  readonly #snapshot: Snapshot;
  readonly #tail: LogTail;
  readonly #of: BlockQuestion["of"];
  readonly #reading: BlockReading;
  readonly #ids = new ValueIds();

  constructor(snapshot: Snapshot, tail: LogTail, question: BlockQuestion) {
    this.#snapshot = snapshot;
    this.#tail = tail;
    this.#of = question.of;
    this.#reading = new BlockReading(snapshot, tail, question);
  }

  detail(days: SiteDays): Promise<Detail> {
    return this.#reading.detail(days);
  }

  async eachDay({ site, from, to }: SiteDays, visit: VisitDay): Promise<void> {
    await this.#reading.eachMonth({ site, from, to }, true, (blocks, first) => {
      const [month = 0] = blocks.map((block) => block.month);
      const last = Math.min(to, firstDayOf(month + 1) - 1);
      for (let day = Math.max(first, firstDayOf(month)); day <= last; day++)
        for (const block of blocks) {
          this.#visitCounters(block, day, visit);
          this.#visitValues(block, day, visit);
        }
    });
  }

  async eachSum(
    { site, from, to }: SiteDays,
    visit: (id: number, n: number, days: number) => void,
  ): Promise<void> {
    await this.#reading.eachMonth({ site, from, to }, true, (blocks, first) => {
      for (const block of blocks) {
        for (const [, day] of daysOf(block, first, to))
          this.#visitCounters(block, day, (_day, id, n) => visit(id, n, 1));
        this.#visitSums(block, first, to, visit);
      }
    });
  }

  async eachValue(_site: SiteKey, ids: IdTable, visit: VisitValue): Promise<void> {
    this.#ids.each(ids, visit);
  }

  texts(ids: readonly number[]): string[] {
    return ids.map((id) => this.#ids.text(id));
  }

  /** Of what is counted by the hour, which is all that anybody asks for. */
  fewValues(_site: SiteKey, dimension: string): (readonly [id: number, text: string])[] {
    return HOUR_NAMES.map((text) => [this.#ids.of(dimension, text), text]);
  }

  async counterByDay(
    sites: readonly SiteKey[],
    counter: Counter,
    from: Day,
    to: Day,
  ): Promise<number[][]> {
    const fitting = await this.#reading.fitting(sites.map((site) => ({ site, from, to })));
    return fitting.map(({ blocks, from: first }) => {
      const sums = Array<number>(to - from + 1).fill(0);
      for (const block of blocks)
        for (const [at, day] of daysOf(block, first, to))
          sums[day - from] = (sums[day - from] ?? 0) + counted(block, counter, at);
      return sums;
    });
  }

  async byHour(days: readonly SiteDay[], dimension: string): Promise<number[][]> {
    const counters = BY_HOUR.get(dimension) ?? [HOURS_OF[this.#of]];
    const fitting = await this.#reading.fitting(
      days.map(({ site, day }) => ({ site, from: day, to: day })),
    );
    return fitting.map(({ blocks, from }, i) => {
      const { day } = days[i] as SiteDay;
      const hours = Array<number>(HOURS).fill(0);
      for (const block of blocks)
        for (const [at] of daysOf(block, Math.max(from, day), day))
          for (const counter of counters)
            for (const [hour, n] of block.hoursOf(counter, at).entries())
              if (hour < HOURS) hours[hour] = (hours[hour] ?? 0) + n;
      return hours;
    });
  }

  async firstDay(site: SiteKey): Promise<Day | null> {
    const [blocks = []] = await this.#reading.counters([{ site, ...ALL_DAYS }]);
    const days = blocks.flatMap(({ month, days: mask }) =>
      mask === 0 ? [] : [firstDayOf(month) + Math.log2(mask & -mask)],
    );
    return days.length === 0 ? null : Math.min(...days);
  }

  async lastDays(sites: readonly SiteKey[]): Promise<(Day | null)[]> {
    // Most have views in months that were read already, or in later ones.
    const newest = (await this.#reading.newestCounters(sites)).map(lastDayWithViews);
    const others = sites.filter((_, i) => newest[i] === null);
    const before = await this.#reading.counters(others.map((site) => ({ site, ...ALL_DAYS })));
    const byOther = new Map(others.map((site, i) => [site, lastDayWithViews(before[i] ?? [])]));
    return sites.map((site, i) => newest[i] ?? byOther.get(site) ?? null);
  }

  async pending(sites: readonly SiteKey[]): Promise<number[]> {
    await this.#reading.counters([]);
    return sites.map((site) => this.#tail.pending(site));
  }

  async totals(sites: readonly SiteKey[]): Promise<number[]> {
    const [past, all] = await Promise.all([
      this.#snapshot.past(sites),
      this.#reading.counters(sites.map((site) => ({ site, ...ALL_DAYS }))),
    ]);
    return sites.map((_, i) => {
      let sum = past[i]?.get("pv") ?? 0;
      for (const block of all[i] ?? [])
        for (let at = 0; at < MAX_DAYS; at++) sum += block.dayOf("pv", at);
      return sum;
    });
  }

  #visitCounters(block: Block, day: Day, visit: VisitDay): void {
    const at = day - firstDayOf(block.month);
    if (!block.hasCounters(at)) return;
    for (const name of BLOCK_COUNTERS) {
      const { counter, value } = COUNTED_AS[name];
      const n = block.dayOf(name, at);
      if (n > 0) visit(day, this.#ids.of(counter, value), n);
    }
    const see = (ids: readonly number[], firstHour: number, hours: Float64Array) => {
      for (let hour = 0; hour < HOURS; hour++) {
        const n = hours[hour] as number;
        if (n > 0) visit(day, ids[firstHour + hour] as number, n);
      }
    };
    for (const [dimension, counters] of BY_HOUR)
      for (const counter of counters)
        see(this.#ids.ofAll(dimension, HOUR_NAMES), 0, block.hoursOf(counter, at));
    const hours = block.hoursOf(HOURS_OF[this.#of], at);
    see(this.#ids.ofAll("hour", HOUR_NAMES), 0, hours);
    see(this.#ids.ofAll("dowhour", HOURS_OF_WEEK), HOURS * (day % WEEKDAYS), hours);
  }

  #visitValues(block: Block, day: Day, visit: VisitDay): void {
    const at = day - firstDayOf(block.month);
    for (const [name, dimension] of block.dimensions) {
      const table = dimension.days[at];
      if (table === undefined) continue;
      const { values, [this.#of]: counts } = table;
      const ids = this.#ids.ofBlock(dimension);
      for (let row = 0; row < values.length; row++) {
        const n = counts[row] as number;
        if (n === 0) continue;
        visit(day, this.#idOf(name, dimension, ids, values[row] as number), n);
      }
    }
  }

  #visitSums(
    block: Block,
    from: Day,
    to: Day,
    visit: (id: number, n: number, days: number) => void,
  ): void {
    for (const [name, dimension] of block.dimensions) {
      const sums = new Float64Array(dimension.texts.length);
      const days = new Uint8Array(dimension.texts.length);
      for (const [at] of daysOf(block, from, to)) {
        const table = dimension.days[at];
        if (table === undefined) continue;
        const { values, [this.#of]: counts } = table;
        for (let row = 0; row < values.length; row++) {
          const n = counts[row] as number;
          const value = values[row] as number;
          sums[value] = (sums[value] as number) + n;
          if (n > 0) days[value] = (days[value] as number) + 1;
        }
      }
      const ids = this.#ids.ofBlock(dimension);
      for (const [value, n] of sums.entries())
        if (n > 0) visit(this.#idOf(name, dimension, ids, value), n, days[value] as number);
    }
  }

  #idOf(name: Dimension, { texts }: DimensionBlock, ids: Int32Array, value: number): number {
    const known = ids[value] as number;
    if (known !== 0) return known;
    const id = this.#ids.of(name, texts[value] as string);
    ids[value] = id;
    return id;
  }
}

const HOUR_NAMES = Array.from({ length: HOURS }, (_, hour) => hourName(hour));
/** From the weekday of 1970-01-01 on. */
const HOURS_OF_WEEK = Array.from({ length: WEEKDAYS * HOURS }, (_, hour) =>
  dowhourOf(hour * HOUR_MS),
);
/** What is kept by the hour besides views. */
const BY_HOUR: ReadonlyMap<string, readonly BlockCounter[]> = new Map(
  HOURLY_COUNTERS.map((counter) => [hourDimension(counter), COUNTED_IN.get(counter) ?? []]),
);

/** The days of a block within inclusive days: of the month, and since 1970. */
function* daysOf({ month }: Block, from: Day, to: Day): Generator<readonly [number, Day]> {
  const first = firstDayOf(month);
  const last = Math.min(to, first + MAX_DAYS - 1);
  for (let day = Math.max(from, first); day <= last; day++) yield [day - first, day];
}

function counted(block: Block, counter: Counter, at: number): number {
  let sum = 0;
  for (const name of COUNTED_IN.get(counter) ?? []) sum += block.dayOf(name, at);
  return sum;
}

function lastDayWithViews(blocks: readonly Block[]): Day | null {
  let last = -1;
  for (const block of blocks)
    for (let at = MAX_DAYS - 1; at >= 0 && firstDayOf(block.month) + at > last; at--)
      if (block.dayOf("pv", at) > 0) last = firstDayOf(block.month) + at;
  return last < 0 ? null : last;
}
