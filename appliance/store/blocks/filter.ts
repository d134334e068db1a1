import { OTHER } from "../../base/names.ts";
import { type Condition, rowsAsked } from "../../base/text/condition.ts";
import { type CountsOf, dimensionOf, type ListName, rowsOf } from "../../base/text/dimensions.ts";
import { type Dimension, FLAG, readEventValue } from "../log/record.ts";
import type { Block, BlockCounter } from "./block.ts";
import type { BlockReader } from "./block-reader.ts";
import {
  columnsOf,
  DETAIL_DIMENSIONS,
  IS_EVENT,
  IS_READING,
  MAX_DETAIL_ROWS,
  type Sample,
  weightOf,
} from "./detail.ts";
import { MAX_DICTIONARY, type Texts } from "./dictionary.ts";

/** A question to a block's detail. */
interface FilterQuestion {
  readonly where: readonly Condition[];
  readonly of: (list: ListName) => CountsOf;
  /** Inclusive days of the month, from 0. */
  readonly days: readonly [from: number, to: number];
  /** The dimensions whose values are counted. */
  readonly names: ReadonlySet<ListName>;
}

/** Counts of values of a day: only the first `length` are. To be read before the next are made. */
export interface ValueCounts {
  /** The day of the month, from 0. */
  readonly day: number;
  readonly length: number;
  /** Places in the dictionary. */
  readonly places: Uint16Array;
  readonly counts: Float64Array;
}

const LISTS: readonly ListName[] = [...DETAIL_DIMENSIONS, "event_value", "entry"];
/** The bits of rows, of IS_READING. */
const BITS = { views: 0, events: IS_EVENT, readings: IS_READING } as const;

/** A buffer for all days and columns, which are thousands. A thread answers one question at a time. */
const ROWS = new Uint32Array(MAX_DETAIL_ROWS);
const COLUMN = new Uint16Array(MAX_DETAIL_ROWS);
const NUMBERS = new Uint16Array(MAX_DETAIL_ROWS);
const MATCHES = new Uint8Array(MAX_DETAIL_ROWS);
const SUMS = new Float64Array(MAX_DICTIONARY + 1);
const PLACES = new Uint16Array(MAX_DETAIL_ROWS);
const COUNTS = new Float64Array(MAX_DETAIL_ROWS);

/**
 * Counts the rows of a block that match, day by day, as far as detail is kept. A sampled row counts as often as
 * its weight. Under a condition on the path or an event, visitors are those of the path.
 * @param counters takes the counters of matching rows
 * @param visit is called with the values of each dimension, unless `of` counts none
 * @throws {RangeError} when the bytes are no block
 */
export async function filterBlock(
  block: BlockReader,
  { where, of, days: [from, to], names }: FilterQuestion,
  counters: Block,
  visit: (name: ListName, counts: ValueCounts) => void,
): Promise<void> {
  const tests = await testsOf(block, where);
  // No row matches where no value does.
  if (tests.some(({ fits }) => !fits.includes(1))) return;
  const isOfPath = where.some(({ dimension }) => dimension === "path" || dimension === "event");
  const asked = rowsAsked(where);
  const numbers = await numbersOf(block, names);
  for (let day = from; day <= to; day++) {
    await block.loadDay(day);
    const rows = fittingRows(block, day, tests);
    const sample = block.sample(day);
    if (sample !== undefined && rows.length > 0) {
      const fitting = { day, rows, sample, bits: block.bits(day) };
      countDay(block, fitting, counters, isOfPath ? FLAG.pathVisitor : FLAG.visitor);
      for (const list of LISTS) {
        if (!names.has(list)) continue;
        const name = dimensionOf(list);
        const visitor = isOfPath || name === "path" ? FLAG.pathVisitor : FLAG.visitor;
        const flag = { views: 0, visitors: visitor, sessions: FLAG.session }[of(list)];
        const rows = rowsOf(name) === "views" ? asked : rowsOf(name);
        if (rows !== "views" && flag !== 0) continue;
        const counts =
          name === "event_value"
            ? sumNumbers(block, fitting, numbers)
            : countValues(block, fitting, name, { flag, of: BITS[rows] });
        if (counts.length > 0) visit(list, counts);
      }
    }
    block.release();
  }
}

/** The values of a dimension that match, as one more than their places, or 0 for none. */
interface Test {
  readonly dimension: Dimension;
  readonly fits: Uint8Array;
  /** Whether all values of a row have to match, and not one of them. */
  readonly isOfAll: boolean;
}

/** The tests that conditions mean for the dictionaries of a block. */
async function testsOf(block: BlockReader, where: readonly Condition[]): Promise<Test[]> {
  const tests: Test[] = [];
  for (const [dimension, conditions] of Map.groupBy(where, ({ dimension: of }) => of)) {
    await block.load(dimension);
    const texts = block.dimension(dimension)?.texts;
    for (const together of judgedTogether(dimension, conditions)) {
      const alternatives = together.filter(({ test }) => test === "is").map(bytesOf);
      const others = together.filter(({ test }) => test !== "is");
      const fitting = others.map(textTest);
      const fits = new Uint8Array(1 + (texts?.size ?? 0));
      // A row without a value is equal to none, and neither begins with anything nor contains it.
      const isOfAll = alternatives.length === 0 && others.every(({ test }) => test === "not");
      if (isOfAll) fits[0] = 1;
      for (let n = 0; texts !== undefined && n < texts.size; n++)
        if (
          (alternatives.length === 0 || alternatives.some((bytes) => texts.is(n, bytes))) &&
          fitting.every((isFitting) => isFitting(texts, n))
        )
          fits[n + 1] = 1;
      tests.push({ dimension, fits, isOfAll });
    }
    block.release();
  }
  return tests;
}

/** Conditions of a dimension that one value has to match. Where a row has several values, each may match another one. */
function judgedTogether(dimension: Dimension, conditions: readonly Condition[]) {
  if (columnsOf(dimension).length === 1) return [conditions];
  const alternatives = conditions.filter(({ test }) => test === "is");
  const others = conditions.filter(({ test }) => test !== "is").map((one) => [one]);
  return alternatives.length > 0 ? [alternatives, ...others] : others;
}

function bytesOf({ value }: Condition): Uint8Array {
  return Buffer.from(value);
}

/** A condition, of any test but `is`, for one text of a dictionary. */
function textTest(condition: Condition): (texts: Texts, n: number) => boolean {
  const bytes = bytesOf(condition);
  if (condition.test === "not") return (texts, n) => !texts.is(n, bytes);
  if (condition.test === "begins") return (texts, n) => texts.begins(n, bytes);
  const part = withoutCase(condition.value);
  return (texts, n) => withoutCase(texts.text(n)).includes(part);
}

/** A text in lower case, where a sigma that ends a word is one like any other. */
function withoutCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** The matching rows of a day, ascending. */
function fittingRows(block: BlockReader, day: number, tests: readonly Test[]): Uint32Array {
  let left = block.sample(day)?.rows ?? 0;
  for (let row = 0; row < left; row++) ROWS[row] = row;
  for (const { dimension, fits, isOfAll } of tests) {
    if (left === 0) break;
    const [first = 0, ...more] = columnsOf(dimension);
    if (more.length > 0) {
      left = keepFitting(block, day, { columns: [first, ...more], fits, isOfAll }, left);
      continue;
    }
    if (!block.column(day, first, COLUMN, ROWS.subarray(0, left))) {
      if (fits[0] === 0) left = 0;
      continue;
    }
    let kept = 0;
    for (let i = 0; i < left; i++)
      if (fits[COLUMN[i] as number] === 1) ROWS[kept++] = ROWS[i] as number;
    left = kept;
  }
  return ROWS.subarray(0, left);
}

/** Keeps those of the first `left` rows of ROWS whose values of several columns match. @returns how many these are */
function keepFitting(
  block: BlockReader,
  day: number,
  { columns, fits, isOfAll }: Omit<Test, "dimension"> & { readonly columns: readonly number[] },
  left: number,
): number {
  MATCHES.fill(isOfAll ? 1 : 0, 0, left);
  for (const column of columns) {
    // A row lacks the values of a column that the day lacks, which changes nothing either way.
    if (!block.column(day, column, COLUMN, ROWS.subarray(0, left))) continue;
    for (let i = 0; i < left; i++)
      if ((fits[COLUMN[i] as number] === 1) !== isOfAll) MATCHES[i] = isOfAll ? 0 : 1;
  }
  let kept = 0;
  for (let i = 0; i < left; i++) if (MATCHES[i] === 1) ROWS[kept++] = ROWS[i] as number;
  return kept;
}

/** The rows of a day that fit. */
interface FittingRows {
  readonly day: number;
  /** Ascending. */
  readonly rows: Uint32Array;
  readonly sample: Sample;
  /** A bit for each row of the day. */
  readonly bits: Uint8Array;
}

function countDay(
  block: BlockReader,
  { day, rows, sample, bits }: FittingRows,
  counters: Block,
  visitor: number,
): void {
  const flagged: readonly (readonly [BlockCounter, number])[] = [
    ["pv", 0],
    ["uv", visitor],
    ["sessions", FLAG.session],
    ["bounce", FLAG.bounce],
    ["engaged", FLAG.engaged],
  ];
  const hours = block.hours(day);
  for (const row of rows) {
    const flags = bits[row] as number;
    if (flags & IS_EVENT) continue;
    const weight = weightOf(sample, row);
    for (const [counter, flag] of flagged)
      if ((flags & flag) === flag) counters.add(counter, day, hours[row] as number, weight);
  }
}

/** Sums up the rows of a day by the values of a dimension. */
function countValues(
  block: BlockReader,
  { day, rows, sample, bits }: FittingRows,
  name: Dimension,
  { flag, of }: { readonly flag: number; readonly of: number },
): ValueCounts {
  const { every } = sample;
  // The bits that a row must have, and the mask of the bits that matter. Views have flags of visitors.
  const [wanted, mask] = [flag | of, flag | (of === 0 ? IS_EVENT : IS_READING)];
  let highest = 0;
  for (const column of columnsOf(name)) {
    if (!block.column(day, column, COLUMN, rows)) continue;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      if (((bits[row] as number) & mask) !== wanted) continue;
      const value = COLUMN[i] as number;
      SUMS[value] = (SUMS[value] as number) + every;
      if (value > highest) highest = value;
    }
    const last = sample.rows - 1;
    if (rows.at(-1) === last && ((bits[last] as number) & mask) === wanted) {
      const value = COLUMN[rows.length - 1] as number;
      SUMS[value] = (SUMS[value] as number) - every + weightOf(sample, last);
    }
  }
  return taken(day, highest);
}

/** Takes the sums by value out of SUMS. */
function taken(day: number, highest: number): ValueCounts {
  SUMS[0] = 0;
  let length = 0;
  for (let value = 1; value <= highest; value++) {
    const n = SUMS[value] as number;
    if (n === 0) continue;
    SUMS[value] = 0;
    PLACES[length] = value - 1;
    COUNTS[length++] = n;
  }
  return { day, length, places: PLACES, counts: COUNTS };
}

/** The numbers that events carry, by place in the dictionary of `event_value`, and the places of their names there. */
interface EventNumbers {
  readonly values: Float64Array;
  /** By place in the dictionary of `event`: one more than the place, or 0 for none. */
  readonly names: Uint32Array;
}

async function numbersOf(
  block: BlockReader,
  names: ReadonlySet<ListName>,
): Promise<EventNumbers | undefined> {
  if (!names.has("event_value")) return undefined;
  await block.load("event_value");
  const texts = block.dimension("event_value")?.texts.all() ?? [];
  const places = new Map(texts.map((text, place) => [text, place + 1]));
  const other = places.get(OTHER) ?? 0;
  block.release();
  await block.load("event");
  const events = block.dimension("event")?.texts.all() ?? [];
  block.release();
  return {
    values: Float64Array.from(texts, (text) => readEventValue(text) ?? 0),
    names: Uint32Array.from(events, (name) => places.get(name) ?? other),
  };
}

/** Sums up the numbers that the events of a day carry, by the event, in thousandths. */
function sumNumbers(
  block: BlockReader,
  { day, rows, sample }: FittingRows,
  numbers: EventNumbers | undefined,
): ValueCounts {
  const [column = 0] = columnsOf("event_value");
  const [event = 0] = columnsOf("event");
  let highest = 0;
  if (
    numbers !== undefined &&
    block.column(day, column, NUMBERS, rows) &&
    block.column(day, event, COLUMN, rows)
  )
    for (let i = 0; i < rows.length; i++) {
      const number = numbers.values[(NUMBERS[i] as number) - 1] ?? 0;
      const name = numbers.names[(COLUMN[i] as number) - 1] ?? 0;
      if (number === 0 || name === 0) continue;
      SUMS[name] = (SUMS[name] as number) + number * weightOf(sample, rows[i] as number);
      if (name > highest) highest = name;
    }
  return taken(day, highest);
}
