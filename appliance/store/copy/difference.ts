import type { Day } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import { BLOCK_COUNTERS, Block } from "../blocks/block.ts";
import { compactBlock } from "../blocks/compact.ts";
import type { Counts } from "../blocks/day-table.ts";
import { type DayDetail, DETAIL_DIMENSIONS } from "../blocks/detail.ts";
import type { DimensionBlock } from "../blocks/dictionary.ts";
import { mergeInto } from "../blocks/merge.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { Dimension } from "../log/record.ts";

const NONE: Counts = { views: 0, visitors: 0, sessions: 0 };
const MEASURES = ["views", "visitors", "sessions"] as const;

/** What a block holds of one day, counted from 1970, as a block of its own. */
export function sliceOf(block: Block, day: Day): Block {
  const isIt = (one: Day) => one === day;
  // None of its values becomes OTHER for it: that is for who keeps the month.
  const kept = { counts: isIt, detail: isIt, today: Number.NEGATIVE_INFINITY };
  return compactBlock(block, kept).block;
}

/** All of a month together; what there is only one of is that one. */
export function sumOf(month: Month, slices: readonly Block[]): Block {
  const [first, ...others] = slices;
  if (first !== undefined && others.length === 0) return first;
  const sum = new Block(month);
  for (const slice of slices) mergeInto(sum, slice);
  return sum;
}

/**
 * What is to be added to the target of a day, where `now` is what the source says today and `had` what was
 * brought before: all of it, for nothing is ever taken back. A value that was counted more often since counts
 * so much more. One that was counted less often was folded into OTHER there: its own count stays, and OTHER
 * counts more only by what that does not explain. So all sums grow by what they grew in the source, and by
 * nothing where counts are gone for good. Rows of detail are told apart by all they say.
 * @returns undefined where that is nothing
 */
export function difference(now: Block, had: Block, day: Day): Block | undefined {
  const at = day - firstDayOf(now.month);
  const missing = new Block(now.month);
  for (const counter of BLOCK_COUNTERS) {
    const before = had.hoursOf(counter, at);
    for (const [hour, n] of now.hoursOf(counter, at).entries())
      if (n > (before[hour] ?? 0)) missing.add(counter, at, hour, n - (before[hour] ?? 0));
  }
  for (const [name, dimension] of now.inOrder)
    addMissing(missing, name, at, countsOf(dimension, at), countsOf(had.dimensions.get(name), at));
  const [detail, before] = [now.detail[at], had.detail[at]];
  if (detail !== undefined) addMissingDetail(missing, at, { now, detail }, { had, before });
  return missing.days === 0 ? undefined : missing;
}

type ByText = Map<string, Counts>;

function countsOf(dimension: DimensionBlock | undefined, at: number): ByText {
  const byText: ByText = new Map();
  dimension?.days[at]?.each((value, counts) => byText.set(dimension.texts[value] ?? "", counts));
  return byText;
}

function addMissing(missing: Block, name: Dimension, at: number, now: ByText, had: ByText): void {
  const folded = { ...NONE };
  for (const [text, before] of had)
    for (const of of MEASURES)
      if (text !== OTHER) folded[of] += Math.max(0, before[of] - (now.get(text) ?? NONE)[of]);
  for (const [text, counts] of now) {
    const before = had.get(text) ?? NONE;
    const left = (of: keyof Counts) =>
      Math.max(0, counts[of] - before[of] - (text === OTHER ? folded[of] : 0));
    const more = { views: left("views"), visitors: left("visitors"), sessions: left("sessions") };
    if (MEASURES.some((of) => more[of] > 0)) missing.dimension(name).count(at, text, more);
  }
}

/** Of those that are sampled a row stands for several: what was brought counts as so many of them. */
function addMissingDetail(
  missing: Block,
  at: number,
  { now, detail }: { now: Block; detail: DayDetail },
  { had, before }: { had: Block; before: DayDetail | undefined },
): void {
  let left = detail.seen - (before?.seen ?? 0);
  if (left <= 0) return;
  const brought = new Map<string, number>();
  for (let row = 0; row < (before?.rows ?? 0); row++) {
    const key = keyOf(had, before as DayDetail, row);
    brought.set(key, (brought.get(key) ?? 0) + (before as DayDetail).every);
  }
  const added = missing.detailOf(at);
  while (added.every < detail.every) added.thin();
  for (let row = 0; row < detail.rows && left > 0; row++) {
    const key = keyOf(now, detail, row);
    const known = brought.get(key) ?? 0;
    if (known >= detail.every) {
      brought.set(key, known - detail.every);
      continue;
    }
    const times = Math.min(detail.every, left);
    const values = DETAIL_DIMENSIONS.map((name, column) => {
      const text = textOf(now, detail, row, column);
      const place = text === undefined ? undefined : missing.dimension(name).take(text);
      return place === undefined ? 0 : place + 1;
    });
    added.add(detail.hours[row] ?? 0, detail.bits[row] ?? 0, values, times);
    left -= times;
  }
}

function keyOf(block: Block, detail: DayDetail, row: number): string {
  const texts = DETAIL_DIMENSIONS.map((_, column) => textOf(block, detail, row, column));
  return JSON.stringify([detail.hours[row], detail.bits[row], texts]);
}

function textOf(block: Block, detail: DayDetail, row: number, column: number): string | undefined {
  const value = detail.values[column]?.[row] ?? 0;
  const name = DETAIL_DIMENSIONS[column];
  return value === 0 || name === undefined
    ? undefined
    : block.dimensions.get(name)?.texts[value - 1];
}
