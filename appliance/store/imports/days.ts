import { type Day, formatDay } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import { BLOCK_COUNTERS, type Block, type BlockCounter } from "../blocks/block.ts";
import { decodeBlock } from "../blocks/codec.ts";
import {
  COLUMN_NAMES,
  DayDetail,
  DETAIL_COLUMNS,
  DETAIL_DIMENSIONS,
  type Sample,
} from "../blocks/detail.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { Dimension } from "../log/record.ts";
import type { Gap, Lack } from "../reports.ts";
import type { BlockPieces } from "../snapshot.ts";

/** All that is kept of a day of a site, as plain data. */
export interface DayContent {
  /** Counts by hour, from 00 to 23, then those of which only the day is known. */
  readonly counters: { readonly [K in BlockCounter]?: readonly number[] };
  /** Rows of text, views, visitors, sessions. */
  readonly values: { readonly [K in Dimension]?: readonly ValueRow[] };
  /** Its views and events one by one, where these are kept. */
  readonly detail?: DetailContent | undefined;
}

export type ValueRow = readonly [text: string, views: number, visitors: number, sessions: number];

/** Views and events, a place in each list for every one. */
interface DetailContent extends Omit<Sample, "rows"> {
  readonly hours: readonly number[];
  /** The bits of FLAG, and 32 for an event; 33 are of a view that was read. */
  readonly bits: readonly number[];
  /** By the names of columns. */
  readonly values: {
    readonly [column: string]: {
      readonly texts: readonly string[];
      /** One more than a place in `texts`; 0 for none. */
      readonly rows: readonly number[];
    };
  };
}

/** The days of a month that hold anything, ascending. @throws {RangeError} where the bytes are no block */
export function* daysOfMonth(
  month: Month,
  pieces: BlockPieces,
): Generator<readonly [day: string, content: DayContent]> {
  const block = decodeBlock({ month, ...pieces });
  for (let at = 0; at < MAX_DAYS; at++)
    if ((block.days & (1 << at)) !== 0)
      yield [formatDay(firstDayOf(month) + at), contentOf(block, at)];
}

function contentOf(block: Block, at: number): DayContent {
  const counters: { [K in BlockCounter]?: number[] } = {};
  for (const counter of BLOCK_COUNTERS) {
    const hours = block.hoursOf(counter, at);
    if (hours.some((n) => n > 0)) counters[counter] = [...hours];
  }
  const values: { [K in Dimension]?: ValueRow[] } = {};
  for (const [name, { texts, days }] of block.inOrder) {
    const rows: ValueRow[] = [];
    days[at]?.each((value, { views, visitors, sessions }) =>
      rows.push([texts[value] ?? "", views, visitors, sessions]),
    );
    if (rows.length > 0) values[name] = rows;
  }
  const detail = block.detail[at];
  return { counters, values, detail: detail && detailOf(block, detail) };
}

function detailOf(block: Block, detail: DayDetail): DetailContent {
  const { rows, seen, every, hours, bits } = detail;
  const values: { [column: string]: { texts: string[]; rows: number[] } } = {};
  for (const [column, name] of DETAIL_COLUMNS.entries()) {
    const places = detail.values[column]?.subarray(0, rows) ?? [];
    if (!places.some((place) => place > 0)) continue;
    const all = block.dimension(name).texts;
    /** By place: one more than that in `texts`. */
    const known = new Uint32Array(all.length + 1);
    const texts: string[] = [];
    const own: number[] = [];
    // `Array.from` with a map would take most of the time of an export.
    for (const place of places) {
      if (place > 0 && known[place] === 0) known[place] = texts.push(all[place - 1] ?? "");
      own.push(known[place] ?? 0);
    }
    values[COLUMN_NAMES[column] as string] = { texts, rows: own };
  }
  return {
    seen,
    every,
    hours: Array.from(hours.subarray(0, rows)),
    bits: Array.from(bits.subarray(0, rows)),
    values,
  };
}

/** Adds a day to a block that has nothing of it. @param content within the bounds of a block */
export function addDay(block: Block, day: Day, { counters, values, detail }: DayContent): void {
  const at = day - firstDayOf(block.month);
  for (const counter of BLOCK_COUNTERS)
    for (const [hour, n] of (counters[counter] ?? []).entries()) block.add(counter, at, hour, n);
  for (const [name, rows] of Object.entries(values) as [Dimension, readonly ValueRow[]][])
    for (const [text, views, visitors, sessions] of rows)
      block.dimension(name).count(at, text, { views, visitors, sessions });
  if (detail === undefined) return;
  const { seen, every, hours, bits } = detail;
  block.detail[at] = new DayDetail(day, {
    rows: hours.length,
    seen,
    every,
    hours: Uint8Array.from(hours),
    bits: Uint8Array.from(bits),
    values: DETAIL_COLUMNS.map((name, at) => {
      const column = detail.values[COLUMN_NAMES[at] as string];
      if (column === undefined)
        return new Uint16Array(at < DETAIL_DIMENSIONS.length ? hours.length : 0);
      const dimension = block.dimension(name);
      const places = column.texts.map((text) => dimension.take(text) ?? dimension.placeOf(OTHER));
      const own = new Uint16Array(column.rows.length);
      for (const [at, row] of column.rows.entries())
        own[at] = row === 0 ? 0 : (places[row - 1] ?? 0) + 1;
      return own;
    }),
  });
}

/** A day of which something is not known. */
export interface DayGap {
  readonly day: Day;
  readonly lacks: readonly Lack[];
}

/** Days that follow each other and lack the same, together. */
export function runsOf(days: readonly DayGap[]): Gap[] {
  const runs: { from: Day; to: Day; lacks: readonly Lack[] }[] = [];
  for (const { day, lacks } of days) {
    const last = runs.at(-1);
    if (last !== undefined && last.to >= day - 1 && last.lacks.join() === lacks.join())
      last.to = day;
    else runs.push({ from: day, to: day, lacks });
  }
  return runs.map(({ from, to, lacks }) => ({ from: formatDay(from), to: formatDay(to), lacks }));
}
