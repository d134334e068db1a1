import type { Day } from "../../base/calendar.ts";
import { Block } from "../blocks/block.ts";
import { decodeBlock } from "../blocks/codec.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { filterBlock } from "../blocks/filter.ts";
import { firstDayOf, MAX_MONTH, type Month, monthOf } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import type { LogTail } from "../log/tail.ts";
import type { Filter } from "../queries.ts";
import type { BlockRow, Piece, Snapshot } from "../snapshot.ts";
import type { Detail, SiteDays } from "./source.ts";

/** Months whose counts are read in one go. */
const MONTHS = 4;
/** Counts by value that are kept for the rest of a question, 16 to 32 bytes each; others are read again. */
const MAX_KEPT_ROWS = 500_000;

/** The last day that anybody counts on. */
export const LAST_DAY: Day = firstDayOf(MAX_MONTH + 1) - 1;

/** What a question asks of blocks. */
export interface BlockQuestion extends Filter {
  /** The first day that keeps detail; Infinity for none. */
  readonly detailFrom: Day;
}

/** The counters of a site in inclusive months, as blocks and the log have them. */
interface Window {
  readonly from: Month;
  readonly to: Month;
  readonly blocks: readonly Block[];
}

interface KeptMonth {
  readonly blocks: readonly Block[];
  /** Inclusive days of the month whose counts by value were read; null where they were let go. */
  readonly days: readonly [from: number, to: number] | null;
}

/** Reads for one question what it needs of blocks, and of what is left in the log; each once where it can. */
export class BlockReading {
  readonly #snapshot: Snapshot;
  readonly #tail: LogTail;
  readonly #question: BlockQuestion;
  readonly #windows = new Map<SiteKey, Window>();
  readonly #kept = new Map<string, KeptMonth>();
  #keptRows = 0;
  #turn: Promise<unknown> | undefined;

  constructor(snapshot: Snapshot, tail: LogTail, question: BlockQuestion) {
    this.#snapshot = snapshot;
    this.#tail = tail;
    this.#question = question;
  }

  /** True where a filter leaves some of what was counted. */
  get isFiltered(): boolean {
    return this.#question.where.length > 0;
  }

  /** Of each of these, blocks with all counters of its months, and perhaps of others; filtered by nothing. */
  counters(asked: readonly SiteDays[]): Promise<readonly (readonly Block[])[]> {
    return this.#inTurn(() => this.#counters(asked));
  }

  /** The same from the first month that was read already; of a site of which none was, all there is. */
  newestCounters(sites: readonly SiteKey[]): Promise<readonly (readonly Block[])[]> {
    return this.#inTurn(() =>
      this.#counters(
        sites.map((site) => {
          const window = this.#windows.get(site);
          return { site, from: firstDayOf(window?.from ?? 0), to: LAST_DAY };
        }),
      ),
    );
  }

  /**
   * The same, but of what fits the question's conditions: blocks, and the first day of them that counts.
   */
  async fitting(
    asked: readonly SiteDays[],
  ): Promise<readonly { readonly blocks: readonly Block[]; readonly from: Day }[]> {
    if (!this.isFiltered) {
      const all = await this.counters(asked);
      return asked.map(({ from }, i) => ({ blocks: all[i] ?? [], from }));
    }
    const fitting = [];
    for (const days of asked) {
      const blocks: Block[] = [];
      const from = await this.eachMonth(days, false, (more) => void blocks.push(...more));
      fitting.push({ blocks, from });
    }
    return fitting;
  }

  /**
   * Visits month by month the blocks of what fits the question's conditions.
   * @param isWhole false: their counters are enough
   * @returns the first of these days that counts, see `detail`
   */
  async eachMonth(
    { site, from: first, to }: SiteDays,
    isWhole: boolean,
    visit: (blocks: readonly Block[], from: Day) => void,
  ): Promise<Day> {
    const { from } = this.isFiltered
      ? await this.detail({ site, from: first, to })
      : { from: first };
    await this.#inTurn(async () => {
      for (let month = monthOf(from); from <= to && month <= monthOf(to); month += MONTHS)
        for (const { blocks } of await this.#months(site, month, { from, to }, isWhole))
          visit(blocks, from);
    });
    return from;
  }

  /**
   * The first of these days from which on all keep detail (the day after the last where none does), and
   * one in how many views and events is kept where it is the fewest.
   */
  async detail(days: SiteDays): Promise<Detail> {
    const [blocks = []] = await this.counters([days]);
    const byMonth = Map.groupBy(blocks, ({ month }) => month);
    const { detailFrom } = this.#question;
    let from = Math.max(days.from, Math.min(detailFrom, days.to + 1));
    let sampled = 1;
    for (let day = days.to; day >= from; day--) {
      const month = monthOf(day);
      const ofMonth = byMonth.get(month) ?? [];
      const at = day - firstDayOf(month);
      if (!keepsDetail(ofMonth, at)) from = day + 1;
      else for (const block of ofMonth) sampled = Math.max(sampled, block.sampled(at)?.every ?? 1);
    }
    return { from, sampled };
  }

  async #counters(asked: readonly SiteDays[]): Promise<readonly (readonly Block[])[]> {
    // One range for each site: a window has no holes.
    const missing = [...Map.groupBy(asked, ({ site }) => site)].flatMap(([site, ranges]) =>
      this.#missing({
        site,
        from: Math.min(...ranges.map(({ from }) => from)),
        to: Math.max(...ranges.map(({ to }) => to)),
      }),
    );
    const groups = Map.groupBy(missing, ({ from, to }) => `${from} ${to}`);
    for (const group of groups.values()) {
      const [{ from, to } = NO_MONTHS] = group;
      await this.#widen(
        group.map(({ site }) => site),
        from,
        to,
      );
    }
    return asked.map(({ site }) => this.#windows.get(site)?.blocks ?? []);
  }

  /** One thing after the other: the second may find what the first has read. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = (this.#turn ?? this.#tail.follow(this.#snapshot)).then(work);
    this.#turn = turn;
    return turn;
  }

  /** The months around those that are there, which are not there yet. */
  #missing({ site, from, to }: SiteDays): { site: SiteKey; from: Month; to: Month }[] {
    const [first, last] = [Math.max(0, monthOf(from)), Math.min(MAX_MONTH, monthOf(to))];
    const window = this.#windows.get(site);
    if (window === undefined) return [{ site, from: first, to: last }];
    return [
      { site, from: first, to: window.from - 1 },
      { site, from: window.to + 1, to: last },
    ].filter((months) => months.from <= months.to);
  }

  /** Reads the counters of some months, the same for all of these sites. */
  async #widen(sites: readonly SiteKey[], from: Month, to: Month): Promise<void> {
    const rows = await this.#snapshot.blocks(sites, from, to, ["counters"]);
    const bySite = Map.groupBy(rows, ({ site }) => site);
    for (const site of sites) {
      const blocks = [
        ...(bySite.get(site) ?? []).map((row) => decodeBlock(row)),
        ...this.#tailOf(site, from, to),
      ];
      const window = this.#windows.get(site);
      this.#windows.set(site, {
        from: Math.min(from, window?.from ?? from),
        to: Math.max(to, window?.to ?? to),
        blocks: [...(window?.blocks ?? []), ...blocks],
      });
    }
  }

  #tailOf(site: SiteKey, from: Month, to: Month): Block[] {
    const blocks = this.#tail.blocks(site, this.#question.detailFrom).values();
    return [...blocks].filter(({ month }) => month >= from && month <= to);
  }

  /** Some months that begin with this one, as far as the days go. */
  async #months(
    site: SiteKey,
    first: Month,
    days: { readonly from: Day; readonly to: Day },
    isWhole: boolean,
  ): Promise<KeptMonth[]> {
    const last = Math.min(monthOf(days.to), first + MONTHS - 1);
    const all = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const kept = all.map((month) => this.#kept.get(`${site} ${month}`));
    if (kept.every((one, i) => one !== undefined && covers(one, all[i] as Month, days, isWhole)))
      return kept as KeptMonth[];
    const pieces: Piece[] = this.isFiltered
      ? ["counters", "counts", "detail"]
      : ["counters", "counts"];
    const rows = await this.#snapshot.blocks([site], first, last, pieces);
    return all.map((month) => {
      const ofMonth = rows.filter((row) => row.month === month);
      const tail = this.#tailOf(site, month, month);
      const its = daysOf(month, days);
      const blocks = this.isFiltered
        ? this.#filtered(ofMonth, tail)
        : [
            ...ofMonth.map((row) => decodeBlock(row, { days: its, of: this.#question.of })),
            ...tail,
          ];
      return this.#keep(`${site} ${month}`, { blocks, days: its });
    });
  }

  #filtered(rows: readonly BlockRow[], tail: readonly Block[]): Block[] {
    const { where } = this.#question;
    const blocks = [...rows.map((row) => decodeBlock(row, { days: NO_DAYS, where })), ...tail];
    const takes = (day: number) => keepsDetail(blocks, day);
    return blocks.map((block) => filterBlock(block, where, takes));
  }

  #keep(key: string, month: KeptMonth): KeptMonth {
    const rows = month.blocks.reduce((sum, block) => sum + rowsOf(block), 0);
    this.#keptRows += rows;
    if (this.#keptRows <= MAX_KEPT_ROWS) this.#kept.set(key, month);
    else {
      this.#keptRows -= rows;
      this.#kept.set(key, { blocks: month.blocks.map(countersOf), days: null });
    }
    return month;
  }
}

const NO_DAYS = [1, 0] as const;
const NO_MONTHS = { from: 0, to: -1 } as const;

/** Inclusive days of the month, from 0. */
function daysOf(
  month: Month,
  { from, to }: { readonly from: Day; readonly to: Day },
): readonly [from: number, to: number] {
  const first = firstDayOf(month);
  return [Math.max(0, from - first), Math.min(MAX_DAYS - 1, to - first)];
}

function covers(
  { days }: KeptMonth,
  month: Month,
  asked: { readonly from: Day; readonly to: Day },
  isWhole: boolean,
): boolean {
  if (!isWhole) return true;
  const [from, to] = daysOf(month, asked);
  return days !== null && days[0] <= from && days[1] >= to;
}

/** False where views were counted whose detail is gone, or never was. */
function keepsDetail(blocks: readonly Block[], day: number): boolean {
  let missing = 0;
  for (const block of blocks) missing += block.dayOf("pv", day) - (block.sampled(day)?.seen ?? 0);
  return missing <= 0;
}

function rowsOf({ dimensions }: Block): number {
  let rows = 0;
  for (const { texts, days } of dimensions.values()) {
    rows += texts.length;
    for (const table of days) rows += table?.values.length ?? 0;
  }
  return rows;
}

function countersOf(block: Block): Block {
  const counters = new Block(block.month);
  for (let day = 0; day < MAX_DAYS; day++)
    if (block.hasCounters(day)) counters.countersOf(day).set(block.countersOf(day));
  return counters;
}
