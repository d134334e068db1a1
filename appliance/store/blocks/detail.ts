import { DIMENSIONS, type Dimension, WITHOUT_DETAIL } from "../../base/text/dimensions.ts";
import { MAX_DIMENSIONS, mostValues, READING } from "../log/record.ts";
import { MAX_DAYS } from "./dictionary.ts";

/** A day of a site keeps at most so many rows of detail. Beyond that it samples one in two, four, eight … */
export const MAX_DETAIL_ROWS = 50_000;
/** The dimensions that views and events have. */
export const DETAIL_DIMENSIONS: readonly Dimension[] = DIMENSIONS.filter(
  (name) => !WITHOUT_DETAIL.has(name),
);
/** The dimensions of further columns: what events have several of, and the numbers that they carry. */
const FURTHER_COLUMNS: readonly Dimension[] = [
  "event_value",
  ...Array<Dimension>(mostValues("event_prop") - 1).fill("event_prop"),
];
/** The dimension of each column: a value of a row is one more than a place in its dictionary, or 0 for none. */
export const DETAIL_COLUMNS: readonly Dimension[] = [...DETAIL_DIMENSIONS, ...FURTHER_COLUMNS];

const COLUMNS_OF: ReadonlyMap<Dimension, readonly number[]> = new Map(
  DIMENSIONS.map((name) => [
    name,
    [...DETAIL_COLUMNS.keys()].filter((column) => DETAIL_COLUMNS[column] === name),
  ]),
);

/** The columns of a dimension, which are none where detail lacks it. */
export const columnsOf = (name: Dimension): readonly number[] => COLUMNS_OF.get(name) ?? [];

/** The name of a column as plain data: that of its dimension, with its number among several. */
export const COLUMN_NAMES: readonly string[] = DETAIL_COLUMNS.map((name, column) => {
  const nth = columnsOf(name).indexOf(column);
  return nth === 0 ? name : `${name}_${nth + 1}`;
});

/** The place that a column is stored by: that of its dimension, or of further columns from the last possible one down. */
export function placeOfColumn(column: number): number {
  const further = column - DETAIL_DIMENSIONS.length;
  return further < 0
    ? DIMENSIONS.indexOf(DETAIL_COLUMNS[column] as Dimension)
    : MAX_DIMENSIONS - 1 - further;
}

/** A row is of an event, not of a view: a bit above those of FLAG. */
export const IS_EVENT = 32;
/** A row is of a view that was read. */
export const IS_READING: number = IS_EVENT | READING;
const FIRST_ROOM = 64;

/** The number of views and events on a day, and of the rows that represent them. */
export interface Sample {
  readonly rows: number;
  /** Views and events, kept or not. */
  readonly seen: number;
  /** The sampling rate: of so many in a row one is kept, drawn at random. 1, 2, 4, 8 … */
  readonly every: number;
}

/** The number of views and events that a row represents; the last row may represent fewer than the others. */
export function weightOf({ rows, seen, every }: Sample, row: number): number {
  return row < rows - 1 ? every : seen - every * (rows - 1);
}

interface DetailColumns extends Sample {
  readonly hours: Uint8Array;
  /** FLAG and IS_EVENT. */
  readonly bits: Uint8Array;
  /** As in DETAIL_COLUMNS. */
  readonly values: Uint16Array[];
}

/** One day's views and events, a row each. */
export class DayDetail implements DetailColumns {
  rows: number;
  seen: number;
  every: number;
  hours: Uint8Array;
  bits: Uint8Array;
  values: Uint16Array[];
  /** The seed is the same for a day wherever it is folded, so that the same rows are drawn. */
  readonly #seed: number;
  /** Rows that there is memory for. */
  #room: number;

  /** @param columns one of length 0 stays empty */
  constructor(seed: number, columns: DetailColumns = noRows()) {
    const { rows, seen, every, hours, bits, values } = columns;
    this.#seed = seed;
    this.rows = rows;
    this.seen = seen;
    this.every = every;
    this.hours = hours;
    this.bits = bits;
    this.values = values;
    this.#room = Math.max(hours.length, ...values.map(({ length }) => length));
  }

  /**
   * Adds several equal views or events.
   * @param values as in `values`
   */
  add(hour: number, bits: number, values: ArrayLike<number>, times: number): void {
    for (let left = times; left > 0; ) {
      const filled = this.seen % this.every;
      if (filled === 0 && this.rows === MAX_DETAIL_ROWS) {
        this.thin();
        continue;
      }
      const some = Math.min(left, this.every - filled);
      if (filled === 0) this.#put(this.rows++, hour, bits, values);
      // Reservoir sampling: each has the same chance to be kept.
      else if (this.#draw(this.seen) * (filled + some) < some)
        this.#put(this.rows - 1, hour, bits, values);
      this.seen += some;
      left -= some;
    }
  }

  /** The bytes of memory that it takes, about. */
  get memory(): number {
    return this.#room * (2 + 2 * this.values.length);
  }

  #put(row: number, hour: number, bits: number, values: ArrayLike<number>): void {
    if (row === this.#room) this.#grow();
    this.hours[row] = hour;
    this.bits[row] = bits;
    for (let i = 0; i < this.values.length; i++) {
      const value = values[i] ?? 0;
      // Hardly a day has all columns.
      if (value > 0 && this.values[i]?.length === 0) this.values[i] = new Uint16Array(this.#room);
      (this.values[i] as Uint16Array)[row] = value;
    }
  }

  /** A detail of the same day without rows, and without the columns that this one omits. */
  begun(): DayDetail {
    const none = noRows();
    const isLeft = ({ length }: Uint8Array | Uint16Array) => length < this.rows;
    return new DayDetail(this.#seed, {
      ...none,
      hours: isLeft(this.hours) ? this.hours : none.hours,
      bits: isLeft(this.bits) ? this.bits : none.bits,
      values: none.values.map((column, i) => {
        const of = this.values[i];
        return of !== undefined && isLeft(of) ? of : column;
      }),
    });
  }

  /** A copy in memory of its own, as long as its rows. */
  clone(): DayDetail {
    const { rows, seen, every } = this;
    const [hours, bits] = [this.hours.slice(0, rows), this.bits.slice(0, rows)];
    const values = this.values.map((column) => column.slice(0, rows));
    return new DayDetail(this.#seed, { rows, seen, every, hours, bits, values });
  }

  /**
   * Keeps one of every two rows, drawn by weight. Keeping every second row would sample a rhythm in the traffic
   * entirely or not at all.
   */
  thin(): void {
    const rows = Math.ceil(this.rows / 2);
    for (let row = 0; row < rows; row++) {
      const [one, other] = [2 * row, 2 * row + 1];
      const weight = other < this.rows ? weightOf(this, other) : 0;
      const kept = this.#draw(row) * (weightOf(this, one) + weight) < weight ? other : one;
      for (const column of [this.hours, this.bits, ...this.values])
        column[row] = column[kept] as number;
    }
    this.rows = rows;
    this.every *= 2;
  }

  /** @returns a number from 0 up to 1 for the n-th row */
  #draw(n: number): number {
    let h = Math.imul(this.#seed, 0x9e3779b1) ^ Math.imul(this.every, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15) ^ n, 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    h = Math.imul(h ^ (h >>> 15), 0x7feb352d);
    return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
  }

  #grow(): void {
    const room = 2 * Math.max(FIRST_ROOM, this.#room);
    const isLeft = ({ length }: Uint8Array | Uint16Array) => length === this.#room;
    if (isLeft(this.hours)) this.hours = larger(this.hours, new Uint8Array(room));
    if (isLeft(this.bits)) this.bits = larger(this.bits, new Uint8Array(room));
    for (const [i, column] of this.values.entries())
      if (isLeft(column)) this.values[i] = larger(column, new Uint16Array(room));
    this.#room = room;
  }
}

function noRows(): DetailColumns {
  return {
    rows: 0,
    seen: 0,
    every: 1,
    hours: new Uint8Array(FIRST_ROOM),
    bits: new Uint8Array(FIRST_ROOM),
    values: DETAIL_COLUMNS.map(
      (_, column) => new Uint16Array(column < DETAIL_DIMENSIONS.length ? FIRST_ROOM : 0),
    ),
  };
}

function larger<T extends Uint8Array | Uint16Array>(column: T, room: T): T {
  room.set(column);
  return room;
}

/** The views and events of a block's days that keep them. */
export type Detail = (DayDetail | undefined)[];

export function noDetail(): Detail {
  return Array<undefined>(MAX_DAYS).fill(undefined);
}
