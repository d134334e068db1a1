import type { Day } from "../../base/calendar.ts";
import { countsOf, dimensionOf, type ListName } from "../../base/text/dimensions.ts";
import { Block } from "../blocks/block.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { filterBlock } from "../blocks/filter.ts";
import { ALL_MONTHS, firstDayOf, type Month, type Months, monthOf } from "../blocks/month.ts";
import type { Counter, SiteKey } from "../counting.ts";
import type { LogTail } from "../log/tail.ts";
import type { Filter } from "../queries.ts";
import { BLOCK_COLUMNS, type Snapshot, type SourceNumber } from "../snapshot.ts";
import { BlockReading, type PassedOver } from "./block-reading.ts";
import { COUNTED_BY_HOUR, COUNTED_IN, CounterDays, NO_COUNTS } from "./counter-days.ts";
import type { SiteCounts, SiteDay, SiteDays } from "./site-counts.ts";
import type { BlockSink, ValuePass } from "./values.ts";

const HOURS = 24;
const COUNTS = ["counts", "pieces"] as const;
/** The columns of sums above zero and below it. */
const SUMS = ["views", "visitors"] as const;
/** Two standard errors: the true number is that near in 19 of 20 cases. */
const ERRORS = 2;

/** A question to blocks. */
export interface BlockQuestion extends Filter {
  /** The first day that keeps detail; Infinity for none. */
  readonly detailFrom: Day;
}

/** SiteCounts of views, without a filter. */
export const PLAIN: BlockQuestion = {
  of: "views",
  where: [],
  detailFrom: Number.POSITIVE_INFINITY,
};

/** The days that a filter can judge. */
interface DetailRange {
  /** The first day, the one after the last where it can judge none. */
  readonly from: Day;
  /** The coarsest sampling: one in 1, 2, 4 … views and events is kept. */
  readonly sampled: number;
}

/** The counts of blocks and of the unfolded log, from one snapshot; a new one for each question. */
export class BlockCounts implements SiteCounts {
  readonly #snapshot: Snapshot;
  readonly #reading: BlockReading;

  /**
   * @param tail the unfolded log, of the same sources
   * @param passedOver is called for blocks that cannot be read
   * @param source limits the counts to one source, which has no counts past retention; all unless given
   */
  constructor(snapshot: Snapshot, tail: LogTail, passedOver?: PassedOver, source?: SourceNumber) {
    this.#snapshot = snapshot;
    this.#reading = new BlockReading(snapshot, tail, passedOver, source);
  }

  async counterByDay(
    sites: readonly SiteKey[],
    counter: Counter,
    from: Day,
    to: Day,
  ): Promise<number[][]> {
    const sums = new Map(sites.map((site) => [site, Array<number>(to - from + 1).fill(0)]));
    await this.#reading.counters(sites, monthsOf({ from, to }), (site, block) => {
      const ofSite = sums.get(site) ?? [];
      for (const [at, day] of daysOf(block, from, to))
        for (const name of block.hasCounters(at) ? (COUNTED_IN.get(counter) ?? []) : [])
          ofSite[day - from] = (ofSite[day - from] ?? 0) + block.dayOf(name, at);
    });
    return sites.map((site) => sums.get(site) ?? []);
  }

  async byHour(days: readonly SiteDay[], dimension: string): Promise<number[][]> {
    const names = COUNTED_BY_HOUR.get(dimension) ?? (["pv"] as const);
    const hours = days.map(() => Array<number>(HOURS).fill(0));
    if (days.length === 0) return hours;
    const all = days.map(({ day }) => day);
    const bySite = Map.groupBy([...days.keys()], (i) => (days[i] as SiteDay).site);
    const months = monthsOf({ from: Math.min(...all), to: Math.max(...all) });
    await this.#reading.counters([...bySite.keys()], months, (site, block) => {
      for (const i of bySite.get(site) ?? []) {
        const at = (days[i] as SiteDay).day - firstDayOf(block.month);
        const sums = hours[i] ?? [];
        for (const name of at < 0 || at >= MAX_DAYS ? [] : names)
          for (const [hour, n] of block.hoursOf(name, at).entries())
            if (hour < HOURS) sums[hour] = (sums[hour] ?? 0) + n;
      }
    });
    return hours;
  }

  async firstDay(site: SiteKey): Promise<Day | null> {
    let first: Day | null = null;
    await this.#reading.counters([site], ALL_MONTHS, (_, { month, days }) => {
      if (days === 0) return;
      const day = firstDayOf(month) + Math.log2(days & -days);
      if (first === null || day < first) first = day;
    });
    return first;
  }

  async lastDays(sites: readonly SiteKey[], recent: Day): Promise<(Day | null)[]> {
    const last = new Map<SiteKey, Day>();
    const look = (some: readonly SiteKey[], months: Months) =>
      this.#reading.counters(some, months, (site, block) => {
        for (let at = MAX_DAYS - 1; at >= 0; at--) {
          const day = firstDayOf(block.month) + at;
          if (day <= (last.get(site) ?? -1)) return;
          if (block.dayOf("pv", at) > 0) last.set(site, day);
        }
      });
    await look(sites, { ...ALL_MONTHS, from: monthOf(recent) });
    const others = sites.filter((site) => !last.has(site));
    if (others.length > 0) await look(others, { ...ALL_MONTHS, to: monthOf(recent) - 1 });
    return sites.map((site) => last.get(site) ?? null);
  }

  pending(sites: readonly SiteKey[]): Promise<number[]> {
    return Promise.all(sites.map((site) => this.#reading.pending(site)));
  }

  async totals(sites: readonly SiteKey[]): Promise<number[]> {
    const past = await this.#snapshot.past(sites);
    const sums = new Map(sites.map((site, i) => [site, past[i]?.get("pv") ?? 0]));
    await this.#reading.counters(sites, ALL_MONTHS, (site, block) => {
      let sum = sums.get(site) ?? 0;
      for (let at = 0; at < MAX_DAYS; at++) sum += block.dayOf("pv", at);
      sums.set(site, sum);
    });
    return sites.map((site) => sums.get(site) ?? 0);
  }

  /** All counters of a site on inclusive days. */
  async counters({ site, from, to }: SiteDays): Promise<CounterDays> {
    const days = new CounterDays({ from, to });
    await this.#reading.counters([site], monthsOf({ from, to }), (_, block) => days.add(block));
    return days;
  }

  /** Reads the values of a site's days, without a filter. */
  values(range: SiteDays, of: BlockQuestion["of"]): ValuePass {
    return async (names, sink) => {
      const { site } = range;
      for await (const block of this.#reading.blocks(site, monthsOf(range), COUNTS))
        for (const name of names) {
          const days = daysInMonth(block.month, range);
          await this.#reading.read(site, block.month, async () => {
            await sink.begin(block, [name]);
            await block.load(dimensionOf(name));
            block
              .dimension(dimensionOf(name))
              ?.counts(
                days,
                name === "event_value" ? SUMS : [countsOf(name, of)],
                ({ day, length, values, columns: [counts = NO_COUNTS, below] }) => {
                  for (let i = 0; below !== undefined && i < length; i++)
                    counts[i] = (counts[i] as number) - (below[i] as number);
                  sink.count(name, { day, length, places: values, counts });
                },
              );
            await sink.end(block);
          });
          block.release();
        }
    };
  }

  /**
   * The days of a site that a filter can judge: from the day after the last of which not all was
   * kept.
   */
  async detail({ site, from, to }: SiteDays, detailFrom: Day): Promise<DetailRange> {
    let first = Math.max(from, Math.min(detailFrom, to + 1));
    const sampled: number[] = [];
    const look = (_: SiteKey, block: Block) => {
      for (const [at, day] of daysOf(block, from, to)) {
        // A day that has no detail, or lost it, is left out of the whole answer.
        if (block.isBare(at)) first = Math.max(first, day + 1);
        sampled[day - from] = Math.max(block.sample(at)?.every ?? 1, sampled[day - from] ?? 1);
      }
    };
    await this.#reading.counters([site], monthsOf({ from, to }), look, detailFrom);
    return { from: first, sampled: Math.max(1, ...sampled.slice(first - from).filter(Boolean)) };
  }

  /**
   * The same for rows that match the question's conditions.
   * @param first the first day that counts, see `detail`
   */
  filtered(range: SiteDays, first: Day, question: BlockQuestion): FilteredCounts {
    return new FilteredCounts(this.#reading, { range, first }, question);
  }
}

interface Counted {
  readonly counters: CounterDays;
  /** The variance of the number of views. */
  readonly variance: number;
}

/** SiteCounts of rows that match conditions. */
class FilteredCounts {
  readonly #reading: BlockReading;
  readonly #range: SiteDays;
  readonly #first: Day;
  readonly #question: BlockQuestion;
  /** The counts that the first pass has found. */
  #counted: Counted | undefined;

  constructor(
    reading: BlockReading,
    { range, first }: { readonly range: SiteDays; readonly first: Day },
    question: BlockQuestion,
  ) {
    this.#reading = reading;
    this.#range = range;
    this.#first = first;
    this.#question = question;
  }

  readonly pass: ValuePass = async (names, sink) => {
    const { site, to } = this.#range;
    const { detailFrom, where, of } = this.#question;
    const ofList = (list: ListName) => countsOf(list, of);
    const counters = new CounterDays(this.#range);
    const range = { from: this.#first, to };
    const isEmpty = this.#first > to;
    let variance = 0;
    for await (const block of isEmpty
      ? []
      : this.#reading.blocks(site, monthsOf(range), BLOCK_COLUMNS, detailFrom)) {
      const fitting = new Block(block.month);
      const days = daysInMonth(block.month, range);
      await this.#reading.read(site, block.month, async () => {
        await sink.begin(block, names);
        await filterBlock(block, { where, of: ofList, days, names }, fitting, (name, counts) =>
          sink.count(name, counts),
        );
        await sink.end(block);
      });
      counters.add(fitting);
      variance += varianceOf(block, fitting);
    }
    this.#counted ??= { counters, variance };
  };

  /** All counters of matching rows. They are those of the first pass, if there was one. */
  async counters(): Promise<CounterDays> {
    return (await this.#known()).counters;
  }

  /** The error of the number of views due to sampling: two standard errors. */
  async margin(): Promise<number> {
    return Math.ceil(ERRORS * Math.sqrt((await this.#known()).variance));
  }

  async #known(): Promise<Counted> {
    if (this.#counted === undefined) await this.pass(new Set(), NO_SINK);
    return this.#counted as Counted;
  }
}

const NO_SINK: BlockSink = { async begin() {}, count() {}, async end() {} };

/** The variance of a number of views, where one row in `every` was drawn. */
function varianceOf(block: { sample(day: number): Sampled | undefined }, fitting: Block): number {
  let variance = 0;
  for (let day = 0; day < MAX_DAYS; day++) {
    const sample = block.sample(day);
    const n = fitting.dayOf("pv", day);
    if (sample === undefined || n === 0) continue;
    variance += n * (sample.every - 1) * Math.max(0, 1 - n / sample.seen);
  }
  return variance;
}

interface Sampled {
  readonly every: number;
  readonly seen: number;
}

function monthsOf({ from, to }: { readonly from: Day; readonly to: Day }): Months {
  return { from: monthOf(from), to: monthOf(to) };
}

/** Inclusive days of the month, from 0. */
function daysInMonth(
  month: Month,
  { from, to }: { readonly from: Day; readonly to: Day },
): readonly [from: number, to: number] {
  const first = firstDayOf(month);
  return [Math.max(0, from - first), Math.min(MAX_DAYS - 1, to - first)];
}

/** The days of a block within inclusive days: of the month, and since 1970. */
function* daysOf({ month }: Block, from: Day, to: Day): Generator<readonly [number, Day]> {
  const first = firstDayOf(month);
  const [begin, end] = daysInMonth(month, { from, to });
  for (let at = begin; at <= end; at++) yield [at, first + at];
}
