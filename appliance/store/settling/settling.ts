import { DAY_MS, type Day } from "../../base/calendar.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import type { Kept } from "../blocks/compact.ts";
import { mergeRows } from "../blocks/merge.ts";
import { firstDayOf, monthOf } from "../blocks/month.ts";
import type { Counter, SiteKey } from "../counting.ts";
import {
  type BlockKey,
  type BlockPieces,
  type BlockRow,
  blocksIn,
  bytesOf,
  type KeptBlock,
  type Settlement,
  type SettlingSnapshot,
  type Snapshot,
} from "../snapshot.ts";
import { type FoldingTime, foldLog } from "./folding.ts";
import { dayOfPart, SETTLED } from "./parts.ts";
import { orUnreadable, valueSteps } from "./value-merging.ts";

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
  /** Days are kept so long that every home of this place has: those whose mark is before `heldMs`. */
  readonly placeKeepDays?: number | undefined;
  readonly heldMs?: number | undefined;
  /** The bytes that detail may take of the disk. */
  readonly maxDetailBytes: number;
}

/** Names the blocks of a site, month and source. */
type SiteMonth = Omit<BlockKey, "part">;

/** The parts of past days that go. */
interface Past {
  readonly today: Day;
  /** Days past retention. */
  readonly over: ReadonlySet<Day>;
  readonly keepsDetail: (day: Day) => boolean;
}

/**
 * Plans the next step: folding the log, making values one, merging parts, removing counts past retention, or removing detail that is
 * too old or too large. The caller carries it out, and asks again.
 * @returns null when nothing is due
 */
export async function nextSettlement(
  snapshot: SettlingSnapshot,
  time: SettlingTime,
): Promise<Settlement | null> {
  const generation = await snapshot.generation();
  const folding = await foldLog(snapshot, generation, time);
  if (folding !== null) return folding;
  const exists = await snapshot.siteKeys();
  const past = pastOf(time);
  const work = new Work(generation);
  const merged: NonNullable<Settlement["merged"]>[number][] = [];
  for await (const step of valueSteps(snapshot)) {
    if ("done" in step) merged.push(step.done);
    else {
      work.replace([step.row], step.row, step.merged);
      work.done(step.row, bytesOf(step.row));
    }
    if (work.isFull) return work.settlement({ merged });
  }
  if (!work.isEmpty || merged.length > 0) return work.settlement({ merged });
  for await (const month of dueMonths(snapshot, exists, past)) {
    if (work.has(month)) continue;
    await settle(snapshot, month, past, work);
    if (work.isFull) return work.settlement();
  }
  if (!work.isEmpty) return work.settlement();
  if (past.over.size > 0) return work.settlement({ gone: [...past.over] });
  const detail = await pastDetail(snapshot, past, time.maxDetailBytes);
  return detail.length > 0 ? work.settlement({ detail }) : null;
}

/** The days that are past. None are while the clock is unsure, for it may be years ahead. */
function pastOf(time: SettlingTime): Past {
  const { bootedAt, today, retentionDays, detailDays, runMs, marks } = time;
  const { placeKeepDays = retentionDays, heldMs = 0 } = time;
  if (bootedAt === null)
    return { today: Number.NEGATIVE_INFINITY, over: new Set(), keepsDetail: () => true };
  // The calendar may be wrong, so the service has to have run for as long, too.
  const isPast = (day: Day, days: number) =>
    day <= today - days && (marks.get(day) ?? runMs) <= runMs - days * DAY_MS;
  const kept = Math.min(placeKeepDays, retentionDays);
  return {
    today,
    over: new Set(
      [...marks]
        .filter(([day, mark]) => isPast(day, mark < heldMs ? kept : retentionDays))
        .map(([day]) => day),
    ),
    keepsDetail: (day) => detailDays > 0 && !isPast(day, Math.min(detailDays, retentionDays)),
  };
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

  settlement({ gone = [], detail = [], merged = [] }: Partial<Settlement> = {}): Settlement {
    return {
      generation: this.#generation,
      folded: [],
      puts: this.#puts,
      drops: this.#drops,
      detail,
      past: this.#past,
      days: [],
      gone,
      merged,
    };
  }
}

/** The months of sites with something to do: some twice. */
async function* dueMonths(
  snapshot: SettlingSnapshot,
  exists: ReadonlySet<SiteKey>,
  past: Past,
): AsyncGenerator<SiteMonth> {
  for await (const parts of partsByMonth(snapshot)) {
    const [month] = parts;
    if (month !== undefined && exists.has(month.site) && areDue(parts, past)) yield month;
  }
  if (past.over.size === 0) return;
  const months = [...past.over].map(monthOf);
  const range = { from: Math.min(...months), to: Math.max(...months) };
  for await (const block of blocksIn(snapshot, [...exists], range, ["counters"]))
    if (holdsPast(block, past)) yield block;
}

/** The parts of days, those of a site, month and source together. */
async function* partsByMonth(snapshot: SettlingSnapshot): AsyncGenerator<readonly BlockKey[]> {
  let parts: BlockKey[] = [];
  for (let after: BlockKey | null = null; ; ) {
    const page: readonly BlockKey[] = await snapshot.parts(after, PAGE);
    for (const part of page) {
      if (parts[0] !== undefined && nameOfMonth(parts[0]) !== nameOfMonth(part)) {
        yield parts;
        parts = [];
      }
      parts.push(part);
    }
    after = page.at(-1) ?? null;
    if (after === null) break;
  }
  yield parts;
}

function nameOfMonth({ site, month, source }: SiteMonth): string {
  return `${site} ${month} ${source}`;
}

function keyOf({ site, month, source, part }: BlockKey): BlockKey {
  return { site, month, source, part };
}

function dayOf({ month, part }: BlockKey): Day {
  return firstDayOf(month) + dayOfPart(part);
}

function isSettled({ part }: BlockKey): boolean {
  return part === SETTLED;
}

/** Whether parts are of days that are over, or too many of one that runs. */
function areDue(parts: readonly BlockKey[], { today }: Past): boolean {
  return parts.some((part) => dayOf(part) < today) || crowded(parts).length > 0;
}

/** The parts of days that have too many. */
function crowded<T extends BlockKey>(running: readonly T[]): T[][] {
  const byDay = Map.groupBy(running, dayOf);
  return [...byDay.values()].filter((ofDay) => ofDay.length > MAX_PARTS);
}

/** False where the counters of a block cannot be read. */
function holdsPast({ month, counters }: Omit<KeptBlock, "pieces">, { over }: Past): boolean {
  const counts = new Uint8Array();
  const block = orUnreadable(() => new BlockReader({ month, counters, counts }).counters);
  const { days = 0 } = block ?? {};
  return [...over].some((day) => monthOf(day) === month && (days >> (day - firstDayOf(month))) & 1);
}

/** Merges the parts of days that are over into the settled part of a month, without past days. */
async function settle(snapshot: Snapshot, whose: SiteMonth, past: Past, work: Work): Promise<void> {
  const { site, month, source } = whose;
  const all = await snapshot.rows([site], { from: month, to: month }, "detail");
  const rows = all.filter((row) => row.source === source);
  const isPast = new Map(rows.map((row) => [row, holdsPast(row, past)]));
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

/**
 * Detail of days that keep none any more; else, of the oldest days where all of it takes more than it may. It is as much
 * as one settlement takes.
 */
async function pastDetail(
  snapshot: SettlingSnapshot,
  { keepsDetail }: Past,
  maxBytes: number,
): Promise<Settlement["detail"]> {
  const days = await snapshot.detailDays();
  const over = days.filter((day) => !keepsDetail(day));
  let excess = Number.POSITIVE_INFINITY;
  if (over.length === 0)
    excess = maxBytes === excess ? 0 : (await snapshot.detailBytes()) - maxBytes;
  const detail: Settlement["detail"][number][] = [];
  let [bytes, rows] = [0, 0];
  for (const day of over.length > 0 ? over : days) {
    if (bytes >= Math.min(excess, MAX_BYTES) || rows >= MAX_DETAIL) break;
    let to = 0;
    for (const row of await snapshot.detailOf(day, MAX_DETAIL - rows)) {
      if (bytes >= MAX_BYTES && row.site !== to) break;
      to = row.site;
      bytes += row.bytes;
      rows++;
    }
    detail.push({ day, to });
  }
  return detail;
}
