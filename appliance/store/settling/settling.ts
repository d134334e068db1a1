import { DAY_MS, type Day, HOUR_MS } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { ALL_KEPT, type Kept } from "../blocks/compact.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { mergeSliced } from "../blocks/merge.ts";
import { firstDayOf, MAX_MONTH, type Month, monthOf } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import type { Counter, SiteKey } from "../counting.ts";
import {
  type BlockKey,
  type BlockPieces,
  type BlockRow,
  type BlockSize,
  bytesOf,
  type Due,
  PIECES,
  type Settlement,
  type SlicedBlock,
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
const MAX_BYTES = 4 * 1_048_576;

/** The facts that decide which step is due. */
export interface SettlingTime extends FoldingTime {
  /** The milliseconds that the service has run with this data, over all starts. */
  readonly runMs: number;
  /** The time of the last count on each day, by that measure. */
  readonly marks: ReadonlyMap<Day, number>;
  /** The bytes that detail may take of the disk. */
  readonly maxDetailBytes: number;
  /** Kept from one settlement to the next; without it all blocks are looked through each time. */
  readonly looked?: SearchedDays;
}

/** The past days that were searched, with nothing left to remove. It changes with the days, or with the hour. */
export interface SearchedDays {
  past: string;
}

/** The blocks of a site, month and source. */
interface SiteMonth {
  readonly site: SiteKey;
  readonly month: Month;
  readonly source: SourceNumber;
  readonly parts: readonly BlockSize[];
}

/** The parts of past days that go. */
interface Past {
  readonly today: Day;
  /** Days past retention. */
  readonly over: ReadonlySet<Day>;
  readonly keepsDetail: (day: Day) => boolean;
  /** The last month with expired detail. */
  readonly detailTo: Month;
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
  const share = new DetailShare();
  const name = nameOf(past, time);
  // A settlement that is to measure all detail has to see it all.
  const due =
    time.maxDetailBytes === Number.POSITIVE_INFINITY
      ? dueIn(past, time.looked?.past === name)
      : undefined;
  for await (const page of siteMonths(snapshot, due)) {
    const months = page.filter(({ site }) => exists.has(site));
    for (const month of months) share.add(month);
    for (const month of await dueOf(snapshot, months, past)) {
      await settle(snapshot, month, past, work);
      if (work.isFull) return work.settlement();
    }
  }
  if (!work.isEmpty) return work.settlement();
  if (past.over.size > 0) return work.settlement([...past.over]);
  if (time.looked !== undefined) time.looked.past = name;
  return share.bytes > time.maxDetailBytes
    ? cutDetail(snapshot, share, time.maxDetailBytes, work)
    : null;
}

/** The days that are past. None are while the clock is unsure, for it may be years ahead. */
function pastOf(time: SettlingTime): Past {
  const { bootedAt, today, retentionDays, detailDays, runMs, marks } = time;
  if (bootedAt === null)
    return {
      today: Number.NEGATIVE_INFINITY,
      over: new Set(),
      keepsDetail: () => true,
      detailTo: NO_MONTH,
    };
  // The calendar may be wrong, so the service has to have run for as long, too.
  const isPast = (day: Day, days: number) =>
    day <= today - days && (marks.get(day) ?? runMs) <= runMs - days * DAY_MS;
  return {
    today,
    over: new Set([...marks.keys()].filter((day) => isPast(day, retentionDays))),
    keepsDetail: (day) => detailDays > 0 && !isPast(day, Math.min(detailDays, retentionDays)),
    detailTo: detailDays > 0 ? monthOf(today - Math.min(detailDays, retentionDays)) : MAX_MONTH,
  };
}

const NO_MONTH: Month = -1;

/** A name for the past days and the hour of the search, since a copy may bring such days later. */
function nameOf({ over, keepsDetail }: Past, { marks, runMs }: SettlingTime): string {
  const withoutDetail = [...marks.keys()].filter((day) => !keepsDetail(day));
  return [[...over], withoutDetail, Math.floor(runMs / HOUR_MS)].map(String).join(" ");
}

/** @param isLooked whether a search has found nothing past */
function dueIn({ over, detailTo }: Past, isLooked: boolean): Due {
  const months = isLooked ? [] : [...over].map(monthOf);
  return {
    from: Math.min(...months, MAX_MONTH + 1),
    to: Math.max(...months, NO_MONTH),
    detailTo: isLooked ? NO_MONTH : detailTo,
  };
}

/** The parts of a settlement, made step by step. */
class Work {
  readonly #generation: number;
  readonly #puts: BlockRow[] = [];
  readonly #drops: BlockKey[] = [];
  readonly #past: Settlement["past"][number][] = [];
  #months = 0;
  #bytes = 0;

  constructor(generation: number) {
    this.#generation = generation;
  }

  get isEmpty(): boolean {
    return this.#months === 0;
  }

  get isFull(): boolean {
    return this.#months >= MAX_MONTHS || this.#bytes >= MAX_BYTES;
  }

  /** Notes that a site's month is done. @param bytes that were read for it */
  done(bytes: number): void {
    this.#months++;
    this.#bytes += bytes;
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

  settlement(gone: readonly Day[] = []): Settlement {
    return {
      generation: this.#generation,
      folded: [],
      puts: this.#puts,
      drops: this.#drops,
      past: this.#past,
      days: [],
      gone,
    };
  }
}

/** The blocks, all or those that are due, by site, month and source, some at a time. */
async function* siteMonths(snapshot: Snapshot, due?: Due): AsyncGenerator<SiteMonth[]> {
  let after: BlockKey | null = null;
  let rest: BlockSize[] = [];
  for (;;) {
    const page: readonly BlockSize[] = await snapshot.list(after, PAGE, due);
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
    const rows = await snapshot.blocks(sites, { from: month, to: month }, ["counters"]);
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

function mayHoldPast({ month, parts }: SiteMonth, { over, keepsDetail }: Past): boolean {
  const hasDetail = parts.some(({ detailBytes }) => detailBytes > 0);
  return daysOf(month).some((day) => over.has(day) || (hasDetail && !keepsDetail(day)));
}

function holdsPast(block: Block | undefined, { over, keepsDetail }: Past): boolean {
  if (block === undefined) return false;
  const { days } = block;
  return daysOf(block.month).some(
    (day, at) =>
      ((days >> at) & 1 && over.has(day)) || (block.sample(at) !== undefined && !keepsDetail(day)),
  );
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
  const kept: Kept = {
    counts: (day) => !past.over.has(day),
    detail: past.keepsDetail,
    today: past.today,
  };
  const alone = others.filter((row) => isPast.get(row)).map((row) => [row]);
  let isDone = false;
  for (const parts of [...settled, ...many, ...alone]) {
    const merged = await mergeSliced(month, parts, kept).catch(orUnreadable);
    // A block that cannot be read stays as it is, so that it can still be repaired.
    if (merged === undefined) continue;
    isDone = true;
    const settledKey = { site, month, source, part: SETTLED };
    const key = parts === over ? settledKey : (parts[0] as BlockKey);
    work.addPast(whose, merged.gone);
    work.replace(parts, key, merged);
  }
  if (isDone) work.done(rows.reduce((sum, row) => sum + bytesOf(row), 0));
}

/** All blocks of a month of one source. */
async function blocksOf(
  snapshot: Snapshot,
  { site, month, source }: Omit<BlockKey, "part">,
): Promise<readonly SlicedBlock[]> {
  const all = { after: null, maxBytes: Number.MAX_SAFE_INTEGER };
  const rows = await snapshot.slicedBlocks([site], { from: month, to: month }, PIECES, all);
  return rows.filter((row) => row.source === source);
}

/** Undefined where bytes are none of ours: a card has bent them. */
function orUnreadable(error: unknown): undefined {
  if (!(error instanceof NoBlock)) throw error;
}

/** The counters of a block; undefined where they cannot be read. */
function countersOf({ month, counters }: SlicedBlock): Block | undefined {
  const nothing = new Uint8Array();
  try {
    return new BlockReader({ month, counters, counts: nothing, detail: nothing }).counters;
  } catch (error) {
    return orUnreadable(error);
  }
}

/** The amount of detail, and the place of the oldest. */
class DetailShare {
  bytes = 0;
  month: Month = Number.POSITIVE_INFINITY;
  /** Blocks of that month with detail; as many as one settlement handles. */
  oldest: BlockSize[] = [];

  add({ month, parts }: SiteMonth): void {
    for (const part of parts) {
      if (part.detailBytes === 0) continue;
      this.bytes += part.detailBytes;
      if (month < this.month) {
        this.month = month;
        this.oldest = [];
      }
      if (month === this.month && this.oldest.length < MAX_MONTHS) this.oldest.push(part);
    }
  }
}

/** Removes detail from the older half of the days of the oldest month, from as many blocks as necessary. */
async function cutDetail(
  snapshot: Snapshot,
  share: DetailShare,
  maxBytes: number,
  work: Work,
): Promise<Settlement | null> {
  let left = share.bytes - maxBytes;
  for (const size of share.oldest) {
    const { month, part, detailBytes } = size;
    if (left <= 0 || work.isFull) break;
    const rows = await blocksOf(snapshot, size);
    const row = rows.find((one) => one.part === part);
    const block = row && countersOf(row);
    if (row === undefined || block === undefined) continue;
    const days = daysOf(month).filter((_, at) => block.sample(at) !== undefined);
    const kept = new Set(days.slice(Math.ceil(days.length / 2)));
    const isKept = { ...ALL_KEPT, detail: (day: Day) => kept.has(day) };
    const merged = await mergeSliced(month, [row], isKept).catch(orUnreadable);
    if (merged === undefined) continue;
    work.done(bytesOf(row));
    work.replace([row], row, merged);
    left -= days.length === kept.size ? 0 : detailBytes * (1 - kept.size / days.length);
  }
  return work.isEmpty ? null : work.settlement();
}
