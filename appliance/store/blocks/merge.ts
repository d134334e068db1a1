import { OTHER } from "../../base/names.ts";
import type { Block } from "./block.ts";
import { type DayDetail, DETAIL_DIMENSIONS, weightOf } from "./detail.ts";
import { MAX_DAYS } from "./dictionary.ts";

/**
 * Adds a part of a month to a block of that month, within the bounds of folding: where none is met, the
 * block counts as if what is in both had been folded at once. A day keeps detail only where both keep it of
 * all they have of it. The part stays as it is.
 */
export function mergeInto(block: Block, part: Block): void {
  const columns: MergedColumn[] = [];
  const bare = Array.from({ length: MAX_DAYS }, (_, day) => block.isBare(day) || part.isBare(day));
  block.hold(part.days);
  for (let day = 0; day < MAX_DAYS; day++)
    if (part.hasCounters(day)) {
      const sums = block.countersOf(day);
      for (const [at, n] of part.countersOf(day).entries()) sums[at] = (sums[at] ?? 0) + n;
    }
  for (const [name, { texts, days }] of part.inOrder) {
    const dimension = block.dimension(name);
    for (const [day, table] of days.entries())
      table?.each((value, counts) => dimension.count(day, texts[value] as string, counts));
    const column = DETAIL_DIMENSIONS.indexOf(name);
    if (column < 0) continue;
    const places: (number | undefined)[] = [];
    columns.push({
      column,
      // Only once a row needs it: what none has is not taken in.
      placeOf(value) {
        const text = texts[value] as string;
        places[value] ??= dimension.take(text) ?? dimension.placeOf(OTHER);
        return places[value];
      },
    });
  }
  for (const [day, detail] of part.detail.entries())
    if (bare[day]) block.dropDetail(day);
    else if (detail !== undefined) {
      block.detail[day] ??= detail.begun();
      mergeDetail(block.detail[day], detail, columns);
    }
}

interface MergedColumn {
  readonly column: number;
  /** Where the block's dictionary has a value of the part's: as OTHER where it is full. */
  readonly placeOf: (value: number) => number;
}

function mergeDetail(into: DayDetail, detail: DayDetail, columns: readonly MergedColumn[]): void {
  // Adding would come to the same, row by row.
  while (into.every < detail.every) into.thin();
  const found = new Uint16Array(DETAIL_DIMENSIONS.length);
  for (let row = 0; row < detail.rows; row++) {
    for (const { column, placeOf } of columns) {
      const value = detail.values[column]?.[row] ?? 0;
      found[column] = value === 0 ? 0 : placeOf(value - 1) + 1;
    }
    into.add(detail.hours[row] ?? 0, detail.bits[row] ?? 0, found, weightOf(detail, row));
  }
}
