import type { Day } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import { type Counter, MAX_TEXT_BYTES, MAX_VALUES } from "../counting.ts";
import type { Dimension } from "../log/record.ts";
import { BLOCK_COUNTERS, Block, COUNTED_AS } from "./block.ts";
import { columnsOf } from "./detail.ts";
import { DimensionBlock, MAX_DAYS } from "./dictionary.ts";
import { firstDayOf } from "./month.ts";

export interface Kept {
  /** Whether a day (since 1970) is kept. */
  readonly counts: (day: Day) => boolean;
  /** Counts since this day are not of the past: none of their values becomes OTHER. */
  readonly today: Day;
}

/** Keeps all, with unchanged values. */
export const ALL_KEPT: Kept = {
  counts: () => true,
  today: Number.NEGATIVE_INFINITY,
};

interface Compacted {
  readonly block: Block;
  /** Sums of the days that are dropped, by counter. */
  readonly gone: ReadonlyMap<Counter, number>;
}

/**
 * Copies the part of a block that is kept, without texts that no count and no row of detail uses. Where a
 * dimension has more values than a month may hold, the rarest values of past days become OTHER; sums stay the
 * same. Frequent values come first, which packs best.
 */
export function compactBlock(block: Block, kept: Kept): Compacted {
  const first = firstDayOf(block.month);
  // The block may be read in part: its days come from the counters, and not from the dimensions that are here.
  let [days, bare] = [0, 0];
  for (let day = 0; day < MAX_DAYS; day++) {
    if (!kept.counts(first + day)) continue;
    days |= block.days & (1 << day);
    if (block.isBare(day)) bare |= 1 << day;
  }
  const compact = new Block(block.month, { days, samples: [], bare });
  const gone = new Map<Counter, number>();
  for (let day = 0; day < MAX_DAYS; day++) {
    if (!kept.counts(first + day)) addGone(gone, block, day);
    else if (block.hasCounters(day)) compact.countersOf(day).set(block.countersOf(day));
  }
  compact.detail = block.detail.map((detail, day) =>
    kept.counts(first + day) ? detail?.clone() : undefined,
  );
  for (const [name, dimension] of block.inOrder) {
    const tables = dimension.days.map((table, day) =>
      kept.counts(first + day) ? table : undefined,
    );
    const use = useOf(compact, name, { texts: dimension.texts, days: tables });
    const renamed = rename(dimension, use, kept.today - first);
    if (renamed.dimension.texts.length === 0) continue;
    compact.dimensions.set(name, renamed.dimension);
    for (const [day, table] of tables.entries())
      table?.each((value, counts) =>
        renamed.dimension.table(day).add(renamed.places[value] as number, counts),
      );
    renumber(compact, name, renamed.places);
  }
  return { block: compact, gone };
}

function addGone(gone: Map<Counter, number>, block: Block, day: number): void {
  for (const name of BLOCK_COUNTERS) {
    const n = block.dayOf(name, day);
    const { counter } = COUNTED_AS[name];
    if (n > 0) gone.set(counter, (gone.get(counter) ?? 0) + n);
  }
}

interface Use {
  /** Views of each value on the days that are kept. */
  readonly views: Float64Array;
  /** 1 where a count or a row of detail names the value. */
  readonly isUsed: Uint8Array;
  /** The last day of the month on which the value was counted, or -1. */
  readonly lastDays: Int8Array;
}

function useOf(
  block: Block,
  name: Dimension,
  { texts, days }: Pick<DimensionBlock, "texts" | "days">,
): Use {
  const views = new Float64Array(texts.length);
  const isUsed = new Uint8Array(texts.length);
  const lastDays = new Int8Array(texts.length).fill(-1);
  for (const [day, table] of days.entries())
    table?.each((value, counts) => {
      views[value] = (views[value] as number) + counts.views;
      isUsed[value] = 1;
      lastDays[value] = day;
    });
  for (const column of columnsOf(name))
    for (const detail of block.detail)
      for (const value of detail?.values[column]?.subarray(0, detail.rows) ?? [])
        if (value > 0) isUsed[value - 1] = 1;
  return { views, isUsed, lastDays };
}

/** @returns a dictionary without counts, and by each old place the new one */
function rename(
  { texts }: DimensionBlock,
  { views, isUsed, lastDays }: Use,
  today: number,
): { dimension: DimensionBlock; places: Uint16Array } {
  const used = [...texts.keys()].filter((value) => isUsed[value] === 1);
  used.sort((a, b) => (views[b] as number) - (views[a] as number) || a - b);
  const left = new Set<number>();
  let count = used.length;
  let bytes = used.reduce((sum, value) => sum + Buffer.byteLength(texts[value] ?? ""), 0);
  for (const value of used.toReversed()) {
    if (count <= MAX_VALUES && bytes <= MAX_TEXT_BYTES) break;
    if (texts[value] === OTHER || (lastDays[value] as number) >= today) continue;
    left.add(value);
    count--;
    bytes -= Buffer.byteLength(texts[value] ?? "");
  }
  const dimension = new DimensionBlock(
    used.filter((value) => !left.has(value)).map((value) => texts[value] as string),
  );
  const places = new Uint16Array(texts.length);
  for (const value of used)
    places[value] = dimension.placeOf(left.has(value) ? OTHER : (texts[value] as string));
  return { dimension, places };
}

/** Rows of detail name the values of a dimension by these places. @param places by each old place the new one */
export function renumber(block: Block, name: Dimension, places: Uint16Array): void {
  for (const column of columnsOf(name))
    for (const detail of block.detail) {
      const values = detail?.values[column];
      if (values === undefined) continue;
      for (const [row, value] of values.entries())
        if (value > 0) values[row] = (places[value - 1] as number) + 1;
    }
}
