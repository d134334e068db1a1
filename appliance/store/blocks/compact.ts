import type { Day } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import { MAX_TEXT_BYTES, MAX_VALUES } from "../counting.ts";
import type { Dimension } from "../log/record.ts";
import { Block, firstDayOf } from "./block.ts";
import { DETAIL_DIMENSIONS } from "./detail.ts";
import { DimensionBlock, MAX_DAYS } from "./dictionary.ts";

interface Kept {
  /** Days before it are gone, counts and all. */
  readonly countsFrom: Day;
  /** Days before it keep no detail. */
  readonly detailFrom: Day;
  /** What was counted since this day is not of the past: none of its values becomes OTHER. */
  readonly today: Day;
}

/**
 * A block of what is kept, and of nothing else: no text stays that neither a count nor a row of detail
 * names. Where a dimension has more values than a month may hold, the rarest of past days count as
 * OTHER; no sum changes. Frequent values come first, which packs best.
 */
export function compactBlock(block: Block, kept: Kept): Block {
  const first = firstDayOf(block.month);
  const compact = new Block(block.month);
  compact.counters.set(block.counters);
  for (let day = 0; day < Math.min(MAX_DAYS, kept.countsFrom - first); day++) compact.clearDay(day);
  compact.detail = block.detail.map((detail, day) =>
    first + day >= Math.max(kept.detailFrom, kept.countsFrom) ? detail?.clone() : undefined,
  );
  for (const [name, dimension] of block.inOrder) {
    const use = useOf(compact, name, dimension, kept.countsFrom - first);
    const renamed = rename(dimension, use, kept.today - first);
    if (renamed.dimension.texts.length === 0) continue;
    compact.dimensions.set(name, renamed.dimension);
    for (const [day, table] of dimension.days.entries())
      if (day >= kept.countsFrom - first)
        table?.each((value, counts) =>
          renamed.dimension.table(day).add(renamed.places[value] as number, counts),
        );
    renumber(compact, name, renamed.places);
  }
  return compact;
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
  { texts, days }: DimensionBlock,
  fromDay: number,
): Use {
  const views = new Float64Array(texts.length);
  const isUsed = new Uint8Array(texts.length);
  const lastDays = new Int8Array(texts.length).fill(-1);
  for (const [day, table] of days.entries()) {
    if (day < fromDay) continue;
    table?.each((value, counts) => {
      views[value] = (views[value] as number) + counts.views;
      isUsed[value] = 1;
      lastDays[value] = day;
    });
  }
  const column = DETAIL_DIMENSIONS.indexOf(name);
  for (const detail of column < 0 ? [] : block.detail)
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

function renumber(block: Block, name: Dimension, places: Uint16Array): void {
  const column = DETAIL_DIMENSIONS.indexOf(name);
  for (const detail of column < 0 ? [] : block.detail) {
    const values = detail?.values[column];
    if (values === undefined) continue;
    for (const [row, value] of values.entries())
      if (value > 0) values[row] = (places[value - 1] as number) + 1;
  }
}
