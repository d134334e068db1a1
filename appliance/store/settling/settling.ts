import { DAY_MS, type Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import type { Kept } from "../blocks/compact.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { mergeRows } from "../blocks/merge.ts";
import { firstDayOf, type Month, type Months, monthOf } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import type { Counter, SiteKey } from "../counting.ts";
import {
  type BlockKey,
  type BlockPieces,
  type BlockRow,
  bytesOf,
  type Settlement,
  type Snapshot,
  type SourceNumber,
} from "../snapshot.ts";
import { type FoldingTime, foldLog } from "./folding.ts";
import { dayOfPart, SETTLED } from "./parts.ts";

/** A running day has no more parts than this before they are merged. */
const MAX_PARTS = 8;
/** Blocks that are looked at in one go. */
const PAGE = 1_000;
/** A settlement is about no more months of sites than this, nor, packed, more bytes: hits wait for it. */
const MAX_MONTHS = 125;
const MAX_BYTES = 1_048_576;
/** Nor does it drop more rows of detail. */
const MAX_DETAIL = 10_000;

/** The facts that decide which step is due. */
export interface SettlingTime extends FoldingTime {
  /** The milliseconds that the service has run with this data, over all starts. */
  readonly runMs: number;
  /** The time of the last count on each day, by that measure. */
  readonly marks: ReadonlyMap<Day, number>;
  /** The bytes that detail may take of the disk. */
  readonly maxDetailBytes: number;
}

/** The blocks of a site, month and source. */
interface SiteMonth {
  readonly site: SiteKey;
  readonly month: Month;
  readonly source: SourceNumber;
  readonly parts: readonly BlockKey[];
}

/** The parts of past days that go. */
interface Past {
  readonly today: Day;
  /** Days past retention. */
  readonly over: ReadonlySet<Day>;
  readonly keepsDetail: (day: Day) => boolean;
}

/**
 * Plans the next step: folding the log, merging parts, removing counts past retention, or removing detail that is
 * too old or too large. The caller carries it out, and asks again.
 * @returns null when nothing is due
 */
export async function nextSettlement(
  snapshot: Snapshot,
  time: SettlingTime,
): Promise<Settlement | null> {
  const generation = await snapshot.generation();
  const folding = await foldLog(snapshot, generation, time);
  if (folding !== null) return folding;
  const exists = await snapshot.siteKeys();
  const past = pastOf(time);
  const work = new Work(generation);
  for (const months of [undefined, ...monthsOf(past)])
    for await (const page of siteMonths(snapshot, months)) {
      const there = page.filter((month) => exists.has(month.site) && !work.has(month));
      for (const month of await dueOf(snapshot, there, past)) {
        await settle(snapshot, month, past, work);
        if (work.isFull) return work.settlement();
      }
    }
  if (!work.isEmpty) return work.settlement();
  if (past.over.size > 0) return work.settlement({ gone: [...past.over] });
  const detail = await pastDetail(snapshot, past, time.maxDetailBytes);
  return detail.length > 0 ? work.settlement({ detail }) : null;
}

/** The days that are past. None are while the clock is unsure, for it may be years ahead. */
function pastOf(time: SettlingTime): Past {
  const { bootedAt, today, retentionDays, detailDays, runMs, marks } = time;
  if (bootedAt === null)
    return {
      today: Number.NEGATIVE_INFINITY,
      over: new Set(),
      keepsDetail: () => true,
    };
  // The calendar may be wrong, so the service has to have run for as long, too.
  const isPast = (day: Day, days: number) =>
    day <= today - days && (marks.get(day) ?? runMs) <= runMs - days * DAY_MS;
  return {
    today,
    over: new Set([...marks.keys()].filter((day) => isPast(day, retentionDays))),
    keepsDetail: (day) => detailDays > 0 && !isPast(day, Math.min(detailDays, retentionDays)),
  };
}

/** The months of days past retention; none where there are no such days. */
function monthsOf({ over }: Past): Months[] {
  const months = [...over].map(monthOf);
  return months.length === 0 ? [] : [{ from: Math.min(...months), to: Math.max(...months) }];
}

/** The parts of a settlement, made step by step. */
class Work {
  readonly #generation: number;
  readonly #puts: BlockRow[] = [];
  readonly #drops: BlockKey[] = [];
  readonly #past: Settlement["past"][number][] = [];
  readonly #months = new Set<string>();
  #bytes = 0;

  constructor(generation: number) {
    this.#generation = generation;
  }

  get isEmpty(): boolean {
    return this.#months.size === 0;
  }

  get isFull(): boolean {
    return this.#months.size >= MAX_MONTHS || this.#bytes >= MAX_BYTES;
  }

  /** Notes that a site's month is done. @param bytes that were read for it */
  done(month: SiteMonth, bytes: number): void {
    this.#months.add(nameOfMonth(month));
    this.#bytes += bytes;
  }

  has(month: SiteMonth): boolean {
    return this.#months.has(nameOfMonth(month));
  }

  /** A block takes the place of some that were there; where it holds nothing, none does. */
  replace(
    there: readonly BlockKey[],
    into: BlockKey,
    { pieces, days }: { readonly pieces: BlockPieces; readonly days: number },
  ): void {
    const isPut = days !== 0;
    if (isPut) this.#puts.push({ ...keyOf(into), ...pieces });
    for (const key of there) if (!isPut || key.part !== into.part) this.#drops.push(keyOf(key));
  }

  addPast({ site, source }: SiteMonth, counters: ReadonlyMap<Counter, number>): void {
    if (counters.size > 0) this.#past.push({ site, source, counters });
  }

  settlement({ gone = [], detail = [] }: Partial<Settlement> = {}): Settlement {
    return {
      generation: this.#generation,
      folded: [],
      puts: this.#puts,
      drops: this.#drops,
      detail,
      past: this.#past,
      days: [],
      gone,
    };
  }
}

/** The parts of days, or the settled parts of months, by site, month and source, some at a time. */
async function* siteMonths(snapshot: Snapshot, months?: Months): AsyncGenerator<SiteMonth[]> {
  let after: BlockKey | null = null;
  let rest: BlockKey[] = [];
  for (;;) {
    const page: readonly BlockKey[] = await snapshot.list(after, PAGE, months);
    after = page.at(-1) ?? null;
    const groups = [...Map.groupBy([...rest, ...page], nameOfMonth).values()];
    // The last group may go on.
    rest = after === null ? [] : (groups.pop() ?? []);
    yield groups.map((parts) => {
      const [{ site, month, source } = NO_BLOCK] = parts;
      return { site, month, source, parts };
    });
    if (after === null) return;
  }
}

const NO_BLOCK = { site: 0, month: 0, source: 0 };

function nameOfMonth({ site, month, source }: Omit<BlockKey, "part">): string {
  return `${site} ${month} ${source}`;
}

function keyOf({ site, month, source, part }: BlockKey): BlockKey {
  return { site, month, source, part };
}

/** The months among these with something to do. */
async function dueOf(
  snapshot: Snapshot,
  months: readonly SiteMonth[],
  past: Past,
): Promise<SiteMonth[]> {
  const isDue = new Set(months.filter((month) => hasParts(month, past)));
  const suspects = months.filter((month) => !isDue.has(month) && mayHoldPast(month, past));
  // The counters of these blocks have their days.
  for (const [month, some] of Map.groupBy(suspects, (one) => one.month)) {
    const sites = some.map(({ site }) => site);
    const rows = await snapshot.rows(sites, { from: month, to: month }, "counters");
    const holding = new Set(
      rows.filter((row) => holdsPast(countersOf(row), past)).map(nameOfMonth),
    );
    for (const one of some) if (holding.has(nameOfMonth(one))) isDue.add(one);
  }
  return months.filter((month) => isDue.has(month));
}

function dayOf({ month, part }: BlockKey): Day {
  return firstDayOf(month) + dayOfPart(part);
}

function isSettled({ part }: BlockKey): boolean {
  return part === SETTLED;
}

/** Parts of days that are over, or too many of one that runs. */
function hasParts({ parts }: SiteMonth, { today }: Past): boolean {
  const running = parts.filter((part) => !isSettled(part));
  return running.some((part) => dayOf(part) < today) || crowded(running).length > 0;
}

/** The parts of days that have too many. */
function crowded<T extends BlockKey>(running: readonly T[]): T[][] {
  const byDay = Map.groupBy(running, dayOf);
  return [...byDay.values()].filter((ofDay) => ofDay.length > MAX_PARTS);
}

function mayHoldPast({ month }: SiteMonth, { over }: Past): boolean {
  return daysOf(month).some((day) => over.has(day));
}

function holdsPast(block: Block | undefined, { over }: Past): boolean {
  if (block === undefined) return false;
  const { days, month } = block;
  return daysOf(month).some((day, at) => (days >> at) & 1 && over.has(day));
}

function daysOf(month: Month): Day[] {
  return Array.from({ length: MAX_DAYS }, (_, at) => firstDayOf(month) + at);
}

/** Merges the parts of days that are over into the settled part of a month, without past days. */
async function settle(snapshot: Snapshot, whose: SiteMonth, past: Past, work: Work): Promise<void> {
  const { site, month, source } = whose;
  const rows = await blocksOf(snapshot, whose);
  const isPast = new Map(rows.map((row) => [row, holdsPast(countersOf(row), past)]));
  const over = rows.filter((row) => isSettled(row) || dayOf(row) < past.today);
  const running = rows.filter((row) => !over.includes(row));
  const many = crowded(running);
  const others = running.filter((row) => !many.some((parts) => parts.includes(row)));
  // A settled block is written again only where something is added or removed.
  const settled = over.some((row) => !isSettled(row) || isPast.get(row)) ? [over] : [];
  const kept: Kept = { counts: (day) => !past.over.has(day), today: past.today };
  const alone = others.filter((row) => isPast.get(row)).map((row) => [row]);
  let isDone = false;
  for (const parts of [...settled, ...many, ...alone]) {
    const merged = orUnreadable(() => mergeRows(month, parts, kept));
    // A block that cannot be read stays as it is, so that it can still be repaired.
    if (merged === undefined) continue;
    isDone = true;
    const settledKey = { site, month, source, part: SETTLED };
    const key = parts === over ? settledKey : (parts[0] as BlockKey);
    work.addPast(whose, merged.gone);
    work.replace(parts, key, merged);
  }
  if (isDone)
    work.done(
      whose,
      rows.reduce((sum, row) => sum + bytesOf(row), 0),
    );
}

/** All blocks of a month of one source. */
async function blocksOf(
  snapshot: Snapshot,
  { site, month, source }: Omit<BlockKey, "part">,
): Promise<readonly BlockRow[]> {
  const rows = await snapshot.rows([site], { from: month, to: month }, "detail");
  return rows.filter((row) => row.source === source);
}

/** Undefined where bytes are none of ours: a card has bent them. */
function orUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NoBlock)) throw error;
    return undefined;
  }
}

/** The counters of a block; undefined where they cannot be read. */
function countersOf({ month, counters }: BlockRow): Block | undefined {
  const counts = new Uint8Array();
  return orUnreadable(() => new BlockReader({ month, counters, counts }).counters);
}

/**
 * Detail of days that keep none any more, and of the oldest days where all of it takes more than it may; as much of it
 * as one settlement takes.
 */
async function pastDetail(
  snapshot: Snapshot,
  { keepsDetail }: Past,
  maxBytes: number,
): Promise<Settlement["detail"]> {
  const days = await snapshot.detailDays();
  const over = days.filter((day) => !keepsDetail(day));
  const isBounded = over.length === 0 && maxBytes !== Number.POSITIVE_INFINITY;
  // Beside what is past nothing is measured: that goes first.
  let excess = isBounded ? (await snapshot.detailBytes()) - maxBytes : 0;
  const detail: Settlement["detail"][number][] = [];
  let [left, rows] = [MAX_BYTES, MAX_DETAIL];
  for (const day of over.length > 0 ? over : days) {
    if (left <= 0 || rows <= 0 || (isBounded ? excess <= 0 : over.length === 0)) break;
    let to = 0;
    for (const { site, bytes } of await snapshot.detailOf(day, rows)) {
      if (left <= 0 && site !== to) break;
      to = site;
      left -= bytes;
      excess -= bytes;
      rows--;
    }
    detail.push({ day, to });
  }
  return detail;
}
