import { COUNTABLE } from "../../base/bounds.ts";

/** The counts of a value, or of a whole day. */
export interface Counts {
  readonly views: number;
  readonly visitors: number;
  readonly sessions: number;
}

const FIRST_ROOM = 64;
/** A restore refuses more. No traffic reaches it; numbers that events carry may. */
const MOST = 24 * COUNTABLE.ofHour;

const sum = (one = 0, other: number) => Math.min(MOST, one + other);

/**
 * The counts of each value of a dimension on one day: a row for each value, in the order of arrival. A value is
 * its place in the dictionary of the dimension.
 */
export class DayTable {
  readonly values: number[];
  readonly views: number[];
  readonly visitors: number[];
  readonly sessions: number[];
  /** Value → its row, plus one. It is built for the first look-up, since most tables are only iterated. */
  #rows: Uint16Array | undefined;

  constructor(
    values: number[] = [],
    views: number[] = [],
    visitors: number[] = [],
    sessions: number[] = [],
  ) {
    this.values = values;
    this.views = views;
    this.visitors = visitors;
    this.sessions = sessions;
  }

  has(value: number): boolean {
    return this.#rowOf(value) !== undefined;
  }

  add(value: number, { views, visitors, sessions }: Counts): void {
    const row = this.#rowOf(value);
    if (row === undefined) {
      this.push(value, views, visitors, sessions);
      return;
    }
    this.views[row] = sum(this.views[row], views);
    this.visitors[row] = sum(this.visitors[row], visitors);
    this.sessions[row] = sum(this.sessions[row], sessions);
  }

  /** Adds a row for a value that has none. */
  push(value: number, views: number, visitors: number, sessions: number): void {
    this.values.push(value);
    if (this.#rows !== undefined) this.#setRow(this.#rows, value, this.values.length);
    this.views.push(sum(0, views));
    this.visitors.push(sum(0, visitors));
    this.sessions.push(sessions);
  }

  /** The same, its values ascending. */
  sorted(): DayTable {
    if (this.values.every((value, row) => row === 0 || value > (this.values[row - 1] as number)))
      return this;
    const order = [...this.values.keys()].sort(
      (a, b) => (this.values[a] as number) - (this.values[b] as number),
    );
    const [values = [], views, visitors, sessions] = [
      this.values,
      this.views,
      this.visitors,
      this.sessions,
    ].map((column) => order.map((row) => column[row] as number));
    return new DayTable(values, views, visitors, sessions);
  }

  /** Calls `visit` with each row. */
  each(visit: (value: number, counts: Counts) => void): void {
    for (const [row, value] of this.values.entries())
      visit(value, {
        views: this.views[row] ?? 0,
        visitors: this.visitors[row] ?? 0,
        sessions: this.sessions[row] ?? 0,
      });
  }

  #rowOf(value: number): number | undefined {
    if (this.#rows === undefined) {
      this.#rows = new Uint16Array(FIRST_ROOM);
      for (const [row, each] of this.values.entries()) this.#setRow(this.#rows, each, row + 1);
    }
    const next = this.#rows[value];
    return next === undefined || next === 0 ? undefined : next - 1;
  }

  #setRow(rows: Uint16Array, value: number, next: number): void {
    if (value >= rows.length) {
      const larger = new Uint16Array(2 * value);
      larger.set(rows);
      this.#rows = larger;
    }
    (this.#rows as Uint16Array)[value] = next;
  }
}
