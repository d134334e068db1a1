import { DIMENSIONS, type Dimension } from "../log/record.ts";
import { MAX_DAYS } from "./dictionary.ts";

/** A site and day keep at most so many rows of detail; of more, every second, fourth, eighth … */
export const MAX_DETAIL_ROWS = 50_000;
/** The dimensions that views and events have. */
export const DETAIL_DIMENSIONS: readonly Dimension[] = DIMENSIONS.slice(0, 17);
/** A row is of an event, not of a view: a bit above those of FLAG. */
export const IS_EVENT = 32;
const FIRST_ROOM = 64;

interface DetailColumns {
  rows: number;
  /** How many views and events the day had, kept or not. */
  seen: number;
  /** Of so many one is kept: 1, 2, 4, 8 … */
  every: number;
  hours: Uint8Array;
  /** FLAG and IS_EVENT. */
  bits: Uint8Array;
  /** By dimension, as in DETAIL_DIMENSIONS: one more than a place in its dictionary, or 0 for none. */
  values: Uint16Array[];
}

/** One day's views and events, a row each. */
export class DayDetail implements Readonly<DetailColumns> {
  rows: number;
  seen: number;
  every: number;
  hours: Uint8Array;
  bits: Uint8Array;
  values: Uint16Array[];

  constructor({ rows, seen, every, hours, bits, values }: DetailColumns = noRows()) {
    this.rows = rows;
    this.seen = seen;
    this.every = every;
    this.hours = hours;
    this.bits = bits;
    this.values = values;
  }

  /**
   * Adds so many views or events that are alike.
   * @param values as in `values`
   */
  add(hour: number, bits: number, values: ArrayLike<number>, times: number): void {
    // Those that are not kept are passed over at once: there may be billions.
    for (let left = times; left > 0; left--) {
      const passed = Math.min(left, (this.every - (this.seen % this.every)) % this.every);
      this.seen += passed;
      left -= passed;
      if (left === 0) return;
      if (this.rows === MAX_DETAIL_ROWS) this.thin();
      if (this.seen++ % this.every === 0) this.#push(hour, bits, values);
    }
  }

  #push(hour: number, bits: number, values: ArrayLike<number>): void {
    if (this.rows === this.hours.length) this.#grow();
    const row = this.rows++;
    this.hours[row] = hour;
    this.bits[row] = bits;
    for (const [i, column] of this.values.entries()) column[row] = values[i] ?? 0;
  }

  /** The same in memory of its own, and no more of it than its rows take. */
  clone(): DayDetail {
    const { rows, seen, every } = this;
    const [hours, bits] = [this.hours.slice(0, rows), this.bits.slice(0, rows)];
    const values = this.values.map((column) => column.slice(0, rows));
    return new DayDetail({ rows, seen, every, hours, bits, values });
  }

  /** Keeps every second row of those it has. */
  thin(): void {
    const kept = Math.ceil(this.rows / 2);
    for (const column of [this.hours, this.bits, ...this.values])
      for (let row = 1; row < kept; row++) column[row] = column[2 * row] as number;
    this.rows = kept;
    this.every *= 2;
  }

  #grow(): void {
    const room = 2 * Math.max(FIRST_ROOM, this.hours.length);
    this.hours = larger(this.hours, new Uint8Array(room));
    this.bits = larger(this.bits, new Uint8Array(room));
    for (const [i, column] of this.values.entries())
      this.values[i] = larger(column, new Uint16Array(room));
  }
}

function noRows(): DetailColumns {
  return {
    rows: 0,
    seen: 0,
    every: 1,
    hours: new Uint8Array(FIRST_ROOM),
    bits: new Uint8Array(FIRST_ROOM),
    values: DETAIL_DIMENSIONS.map(() => new Uint16Array(FIRST_ROOM)),
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
