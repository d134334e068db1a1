import { createHash } from "node:crypto";
import { DAY_MS, type Day } from "../../base/calendar.ts";
import { BLOCK_COUNTERS, type Block, COUNTED_AS } from "../blocks/block.ts";
import { decodeBlock, encodeBlock } from "../blocks/codec.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { firstDayOf, MAX_MONTH, type Months, monthOf } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { LogTail } from "../log/tail.ts";
import { PIECES, type Piece, type Snapshot } from "../snapshot.ts";
import { sliceOf, sumOf } from "./difference.ts";
import type { Sums } from "./engine.ts";

/** What is kept of a site and month, with what is left of it in the log. */
interface SiteMonth {
  readonly block: Block;
  /** Those on which there is anything, ascending. */
  readonly days: readonly Day[];
}

/** What there is of a site, as of one moment. */
export interface Outline {
  /** Ascending; and for how long the data had been in use since each was last counted on, in ms. */
  readonly days: readonly { readonly day: Day; readonly ageMs: number }[];
  /** Counters of days past retention. */
  readonly past: Sums;
}

/** One day of a site, as of one moment. */
export interface SourceDay {
  readonly day: Day;
  /** 32 bytes, which are others as soon as anything else is counted. */
  readonly hash: Uint8Array;
  /** A block of this day only; undefined where the caller knows it by its hash. */
  readonly slice: Block | undefined;
}

/** By which time retention goes. */
interface Marks {
  /** How long the service has run with the data, in ms. */
  readonly runMs: number;
  /** When, by that measure, each day was last counted on. */
  readonly days: ReadonlyMap<Day, number>;
}

const ALL_MONTHS = { from: 0, to: MAX_MONTH };

/** Which days there are of a site, and what is past. */
export async function outlineOf(snapshot: Snapshot, site: SiteKey, marks: Marks): Promise<Outline> {
  const months = await monthsOf(snapshot, site, ALL_MONTHS, ["counters"]);
  const days = months.flatMap((month) => month.days);
  const [past = new Map()] = await snapshot.past([site]);
  const newest = Math.max(days.at(-1) ?? 0, ...marks.days.keys());
  return {
    past,
    days: days.map((day) => {
      const mark = marks.days.get(day);
      // What is still in the log has none: as if the service had run all the time.
      const age = mark === undefined ? (newest - day) * DAY_MS : marks.runMs - mark;
      return { day, ageMs: Math.max(0, age) };
    }),
  };
}

/** Days of a site of one month, those on which there is anything. */
export async function readDays(
  snapshot: Snapshot,
  site: SiteKey,
  days: readonly Day[],
  isKnown: (day: Day, hash: Uint8Array) => boolean,
): Promise<SourceDay[]> {
  const [first] = days;
  if (first === undefined) return [];
  const range = { from: monthOf(first), to: monthOf(first) };
  const [month] = await monthsOf(snapshot, site, range, PIECES);
  return days.flatMap((day) => {
    if (!month?.days.includes(day)) return [];
    const slice = sliceOf(month.block, day);
    const hash = createHash("sha256");
    for (const piece of Object.values(encodeBlock(slice))) hash.update(piece).update("\0");
    const state = hash.digest();
    return [{ day, hash: state, slice: isKnown(day, state) ? undefined : slice }];
  });
}

/** What was counted on each of some days of one month, summed over all values. */
export async function daySums(
  snapshot: Snapshot,
  site: SiteKey,
  days: readonly Day[],
): Promise<Map<Day, Sums>> {
  const sums = new Map<Day, Sums>();
  const range = { from: monthOf(Math.min(...days)), to: monthOf(Math.max(...days)) };
  for (const { block, days: there } of await monthsOf(snapshot, site, range, [
    "counters",
    "counts",
  ]))
    for (const day of there)
      if (days.includes(day)) sums.set(day, sumsOf(block, day - firstDayOf(block.month)));
  return sums;
}

/** Counters of all time, days past retention included. */
export async function totalsOf(snapshot: Snapshot, site: SiteKey): Promise<Sums> {
  const [past = new Map()] = await snapshot.past([site]);
  const sums = new Map(past);
  for (const { block } of await monthsOf(snapshot, site, ALL_MONTHS, ["counters"]))
    for (let at = 0; at < MAX_DAYS; at++) addTo(sums, countersOf(block, at));
  return sums;
}

/** Adds counts by name. */
export function addTo(sums: Map<string, number>, more: Sums): void {
  for (const [name, n] of more) sums.set(name, (sums.get(name) ?? 0) + n);
}

/** By counter, what was counted on a day of the month. */
export function countersOf(block: Block, at: number): Map<string, number> {
  const sums = new Map<string, number>();
  for (const name of BLOCK_COUNTERS) {
    const { counter } = COUNTED_AS[name];
    const n = block.dayOf(name, at);
    if (n > 0) sums.set(counter, (sums.get(counter) ?? 0) + n);
  }
  return sums;
}

/** How many hits of the sites wait for the clock. */
export async function pendingHits(snapshot: Snapshot): Promise<number> {
  const tail = new LogTail();
  await tail.follow(snapshot);
  let sum = 0;
  for (const site of await snapshot.siteKeys()) sum += tail.pending(site);
  return sum;
}

/** What is kept of a site by month, with what is left in the log; ascending. */
async function monthsOf(
  snapshot: Snapshot,
  site: SiteKey,
  { from, to }: Months,
  pieces: readonly Piece[],
): Promise<SiteMonth[]> {
  const tail = new LogTail();
  await tail.follow(snapshot);
  const rows = await snapshot.blocks([site], { from, to }, pieces);
  // Where nothing was kept of what came together, nothing is told of what is not settled yet.
  const keepsDetail = rows.length === 0 || rows.some(({ detail }) => detail.length > 0);
  const detailFrom = keepsDetail ? 0 : Number.POSITIVE_INFINITY;
  const left = await tail.blocks(snapshot, site, detailFrom);
  const byMonth = Map.groupBy(rows, ({ month }) => month);
  const months = new Set([
    ...byMonth.keys(),
    ...[...left.keys()].filter((m) => m >= from && m <= to),
  ]);
  return [...months]
    .sort((a, b) => a - b)
    .map((month) => {
      const blocks = (byMonth.get(month) ?? []).map((row) => decodeBlock(row));
      const rest = left.get(month);
      if (rest !== undefined) blocks.push(rest);
      const mask = blocks.reduce((sum, { days }) => sum | days, 0);
      const days = Array.from({ length: MAX_DAYS }, (_, at) => firstDayOf(month) + at);
      return { block: sumOf(month, blocks), days: days.filter((_, at) => (mask >> at) & 1) };
    });
}

function sumsOf(block: Block, at: number): Sums {
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
