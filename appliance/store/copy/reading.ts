import { DAY_MS, type Day } from "../../base/calendar.ts";
import { BLOCK_COUNTERS, Block, COUNTED_AS } from "../blocks/block.ts";
import { decodeBlock } from "../blocks/codec.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { mergeInto } from "../blocks/merge.ts";
import { ALL_MONTHS, firstDayOf, type Month, type Months } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { LogTail } from "../log/tail.ts";
import { timeRun } from "../settling/day-marks.ts";
import {
  type BlockRow,
  blocksIn,
  type Depth,
  type Snapshot,
  type SourceNumber,
} from "../snapshot.ts";
import type { Rows } from "../sql.ts";
import type { Sums } from "./engine.ts";

/** The counts that are read: of a site, one source or all of them together. */
export interface Which {
  readonly site: SiteKey;
  readonly source: SourceNumber | undefined;
}

/** A month as it is kept, with the part of it that is left in the log. */
export interface SiteMonth {
  readonly block: Block;
  /** The days with any content, ascending. */
  readonly days: readonly Day[];
}

/** Finds the unfolded log of a source. */
type TailOf = (source: SourceNumber | undefined) => LogTail;

const freshTail: TailOf = (source) => new LogTail(source);

/** The unfolded log of a server, which many questions read once. */
export class KeptLog {
  /** As the engine names it. */
  readonly server: string;
  /** Node → the last number of its log that was checked. */
  readonly looked = new Map<number, number>();
  readonly #tails = new Map<SourceNumber | undefined, LogTail>();

  constructor(server: string) {
    this.server = server;
  }

  readonly tailOf: TailOf = (source) => {
    const tail = this.#tails.get(source) ?? freshTail(source);
    this.#tails.set(source, tail);
    return tail;
  };
}

/** Ascending. @throws {RangeError} where it holds what is no block */
export async function monthsOf(
  snapshot: Snapshot,
  { site, source }: Which,
  { from, to }: Months,
  depth: Depth,
  tailOf = freshTail,
): Promise<SiteMonth[]> {
  const tail = tailOf(source);
  await tail.follow(snapshot);
  const rows = (await snapshot.rows([site], { from, to }, depth)).filter(
    (row) => source === undefined || row.source === source,
  );
  // The unfolded log gets no detail where the blocks have none.
  const keepsDetail =
    rows.length === 0 || rows.some(({ pieces }) => [...pieces.keys()].some((n) => n >= 0));
  const detailFrom = keepsDetail ? 0 : Number.POSITIVE_INFINITY;
  const left = await tail.blocks(snapshot, site, detailFrom);
  const byMonth = Map.groupBy(rows, ({ month }) => month);
  const inLog = [...left.keys()].filter((month) => month >= from && month <= to);
  const months = [...new Set([...byMonth.keys(), ...inLog])].sort((a, b) => a - b);
  return months.map((month) => monthIn(month, byMonth.get(month) ?? [], left.get(month)));
}

/** The sum of blocks of a month. */
export function monthIn(month: Month, rows: readonly BlockRow[], left?: Block): SiteMonth {
  const blocks = [...rows.map((row) => decodeBlock(row)), ...(left === undefined ? [] : [left])];
  const days = blocks.reduce((sum, block) => sum | block.days, 0);
  return { block: sumOf(month, blocks), days: daysOf({ month, days }) };
}

/** The days of a month with any content, ascending. */
export function daysOf({ month, days }: Pick<Block, "month" | "days">): Day[] {
  const all = Array.from({ length: MAX_DAYS }, (_, at) => firstDayOf(month) + at);
  return all.filter((_, at) => (days >> at) & 1);
}

/** The sum of all blocks of a month; a single block stays as it is. */
function sumOf(month: Month, blocks: readonly Block[]): Block {
  const [first, ...others] = blocks;
  if (first !== undefined && others.length === 0) return first;
  const sum = new Block(month);
  for (const block of blocks) mergeInto(sum, block);
  return sum;
}

/** The months with content of a site, by source, ascending. */
export async function monthsBySource(
  snapshot: Snapshot,
  site: SiteKey,
  sources: readonly SourceNumber[],
  tailOf = freshTail,
): Promise<ReadonlyMap<SourceNumber, readonly Month[]>> {
  const months = new Map(sources.map((source) => [source, new Set<Month>()]));
  for await (const { source, month } of blocksIn(snapshot, [site], ALL_MONTHS, []))
    months.get(source)?.add(month);
  for (const [source, ofSource] of months) {
    const tail = tailOf(source);
    await tail.follow(snapshot);
    for (const month of (await tail.blocks(snapshot, site, Number.POSITIVE_INFINITY)).keys())
      ofSource.add(month);
  }
  return new Map([...months].map(([source, all]) => [source, [...all].sort((a, b) => a - b)]));
}

/**
 * Day → the sum of its counts. Each record raises it, and nothing else does: folding, merging and dropping detail
 * leave it as it is.
 */
export function amounts({ block, days }: SiteMonth): ReadonlyMap<Day, number> {
  const first = firstDayOf(block.month);
  return new Map(
    days.map((day) => [
      day,
      [...sumsOf(block, day - first).values()].reduce((sum, n) => sum + n, 0),
    ]),
  );
}

/** The counts of a day of the month, by counter and dimension, summed over all values. */
export function sumsOf(block: Block, at: number): Map<string, number> {
  const sums = countersOf(block, at);
  for (const [name, { days }] of block.dimensions)
    days[at]?.each((_, { views, visitors, sessions }) => {
      for (const [measure, n] of [
        [name, views],
        [`${name} visitors`, visitors],
        [`${name} sessions`, sessions],
      ] as const)
        if (n > 0) sums.set(measure, (sums.get(measure) ?? 0) + n);
    });
  return sums;
}

/** The counters of a day of the month, by name. */
export function countersOf(block: Block, at: number): Map<string, number> {
  const sums = new Map<string, number>();
  for (const name of BLOCK_COUNTERS) {
    const { counter } = COUNTED_AS[name];
    const n = block.dayOf(name, at);
    if (n > 0) sums.set(counter, (sums.get(counter) ?? 0) + n);
  }
  return sums;
}

/** Adds counts by name. */
export function addTo(sums: Map<string, number>, more: Sums): void {
  for (const [name, n] of more) sums.set(name, (sums.get(name) ?? 0) + n);
}

/** The counters of days past retention, by name. */
export async function pastOf(rows: Rows, { site, source }: Which): Promise<Sums> {
  const past = await rows<{ counter: string; n: number }>(
    `SELECT counter, CAST(sum(n) AS bigint) AS n FROM past
     WHERE site = $1 AND (source = $2 OR $2 < 0) GROUP BY counter`,
    [site, source ?? -1],
  );
  return new Map(past.map(({ counter, n }) => [counter, n]));
}

/** The counters by day. */
export async function counterDays(
  snapshot: Snapshot,
  which: Which,
  tailOf = freshTail,
): Promise<ReadonlyMap<Day, Sums>> {
  const months = await monthsOf(snapshot, which, ALL_MONTHS, "counters", tailOf);
  return new Map(
    months.flatMap(({ block, days }) =>
      days.map((day) => [day, countersOf(block, day - firstDayOf(block.month))] as const),
    ),
  );
}

/** Longer than any day is kept. */
const OLDEST_MS = 20_000 * DAY_MS;

/** The ms for which the data has been in use since the last count on a day. */
export async function agesOf(rows: Rows): Promise<(day: Day) => number> {
  const { runMs, marks } = await timeRun(rows);
  const newest = Math.max(0, ...marks.keys());
  return (day) => {
    const mark = marks.get(day);
    // A day that is still in the log has none: as if the service had run all the time.
    const age = mark === undefined ? (newest - day) * DAY_MS : runMs - mark;
    // The mark comes from elsewhere, and may be anything.
    return Math.min(Math.max(0, Number.isFinite(age) ? age : 0), OLDEST_MS);
  };
}

/** The number of hits of the sites that wait for the clock. */
export async function pendingHits(snapshot: Snapshot): Promise<number> {
  const tail = new LogTail();
  await tail.follow(snapshot);
  let sum = 0;
  for (const site of await snapshot.siteKeys()) sum += tail.pending(site);
  return sum;
}
