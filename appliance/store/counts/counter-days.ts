import { type Day, dowhourOf, formatDay, HOUR_MS, hourName } from "../../base/calendar.ts";
import type { CountsOf } from "../../base/text/dimensions.ts";
import {
  BLOCK_COUNTERS,
  type Block,
  type BlockCounter,
  COUNTED_AS,
  NO_HOUR,
} from "../blocks/block.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { firstDayOf } from "../blocks/month.ts";
import { type Counter, HOURLY_COUNTERS, hourDimension } from "../counting.ts";
import type { HourlyCounts, SeriesRow } from "../reports.ts";
import type { DayList } from "./values.ts";

const HOURS = 24;
const WEEKDAYS = 7;
/** The counter that `hour` and `dowhour` are of. */
const HOURS_OF = { views: "pv", visitors: "uv", sessions: "sessions" } as const;
/** The counters of blocks that each counter of answers sums. */
export const COUNTED_IN: ReadonlyMap<Counter, readonly BlockCounter[]> = Map.groupBy(
  BLOCK_COUNTERS,
  (name) => COUNTED_AS[name].counter,
);
/** Dimension → its counters, for counts by the hour beside views. */
export const COUNTED_BY_HOUR: ReadonlyMap<string, readonly BlockCounter[]> = new Map(
  HOURLY_COUNTERS.map((counter) => [hourDimension(counter), COUNTED_IN.get(counter) ?? []]),
);

const HOUR_NAMES = Array.from({ length: HOURS }, (_, hour) => hourName(hour));
/** Hours of a week, from the weekday of 1970-01-01 on. */
const HOURS_OF_WEEK = Array.from({ length: WEEKDAYS * HOURS }, (_, hour) =>
  dowhourOf(hour * HOUR_MS),
);

/** A value of an answer. In dimensions made of counters it is an hour, or `_`. */
export interface TableValue {
  readonly text: string;
  readonly total: number;
  readonly days: DayList;
}

/** The counts of counters on the days of a range, by the hour. */
export class CounterDays {
  readonly #from: Day;
  readonly #to: Day;
  /** Counters and hours in the form of a block, by offset. */
  readonly #days: (Float64Array | undefined)[] = [];

  /** Counters of the days from `from` to `to`, both included. */
  constructor({ from, to }: { readonly from: Day; readonly to: Day }) {
    this.#from = from;
    this.#to = to;
  }

  /** Adds the counts of a block on these days. */
  add(block: Block): void {
    const first = firstDayOf(block.month);
    for (let at = 0; at < MAX_DAYS; at++) {
      const day = first + at;
      if (day < this.#from || day > this.#to || !block.hasCounters(at)) continue;
      const sums = this.#days[day - this.#from];
      if (sums === undefined) this.#days[day - this.#from] = block.countersOf(at).slice();
      else for (const [i, n] of block.countersOf(at).entries()) sums[i] = (sums[i] as number) + n;
    }
  }

  /** A row for each day, ascending, zeros included. */
  series(): SeriesRow[] {
    const by = (offset: number, counter: Counter) => this.#sum(offset, COUNTED_IN.get(counter));
    return Array.from({ length: this.#to - this.#from + 1 }, (_, offset) => [
      formatDay(this.#from + offset),
      by(offset, "pv"),
      by(offset, "uv"),
      by(offset, "sessions"),
      by(offset, "bot"),
      by(offset, "app"),
    ]);
  }

  /** Counters by their value, `hour` and `dowhour`; the highest value of each first. */
  tables(of: CountsOf): Map<string, TableValue[]> {
    const tables = new Tables();
    this.#each((offset) => {
      for (const name of BLOCK_COUNTERS) {
        const { counter, value } = COUNTED_AS[name];
        tables.add(counter, value, offset, this.#sum(offset, [name]));
      }
      const hours = this.#hours(offset, [HOURS_OF[of]]);
      const weekday = (this.#from + offset) % WEEKDAYS;
      for (const [hour, n] of hours.entries()) {
        tables.add("hour", HOUR_NAMES[hour] as string, offset, n);
        tables.add("dowhour", HOURS_OF_WEEK[HOURS * weekday + hour] as string, offset, n);
      }
    });
    return tables.highestFirst();
  }

  /**
   * The days, ascending, on which each hourly counter counted. Views are among them where the
   * dimension `hour` is not of views.
   */
  hours(of: CountsOf): HourlyCounts {
    const tables: HourlyCounts = {};
    for (const counter of of === "views"
      ? HOURLY_COUNTERS
      : (["pv", ...HOURLY_COUNTERS] as const)) {
      const names = COUNTED_IN.get(counter) ?? [];
      this.#each((offset) => {
        const hours = this.#hours(offset, names);
        if (hours.every((n) => n === 0)) return;
        tables[counter] ??= [];
        tables[counter].push([offset, ...hours]);
      });
    }
    return tables;
  }

  #each(visit: (offset: number) => void): void {
    for (const [offset, counters] of this.#days.entries())
      if (counters !== undefined) visit(offset);
  }

  #sum(offset: number, names: readonly BlockCounter[] = []): number {
    let sum = 0;
    for (const name of names) for (const n of countersAt(this.#days[offset], name)) sum += n;
    return sum;
  }

  #hours(offset: number, names: readonly BlockCounter[]): number[] {
    const hours = Array<number>(HOURS).fill(0);
    for (const name of names) {
      const counters = countersAt(this.#days[offset], name);
      for (let hour = 0; hour < HOURS; hour++)
        hours[hour] = (hours[hour] ?? 0) + (counters[hour] ?? 0);
    }
    return hours;
  }
}

export const NO_COUNTS = new Float64Array();

function countersAt(day: Float64Array | undefined, name: BlockCounter): Float64Array {
  const at = BLOCK_COUNTERS.indexOf(name) * (NO_HOUR + 1);
  return day?.subarray(at, at + NO_HOUR + 1) ?? NO_COUNTS;
}

/** Counts by dimension, value and day. */
class Tables {
  readonly #tables = new Map<string, Map<string, { total: number; days: number[] }>>();

  /** Adds a count. Days have to come in ascending order. */
  add(name: string, text: string, offset: number, n: number): void {
    if (n === 0) return;
    const table = this.#tables.get(name) ?? new Map<string, { total: number; days: number[] }>();
    this.#tables.set(name, table);
    const value = table.get(text) ?? { total: 0, days: [] };
    table.set(text, value);
    value.total += n;
    value.days.push(offset, n);
  }

  highestFirst(): Map<string, TableValue[]> {
    return new Map(
      [...this.#tables].map(([name, table]) => [
        name,
        [...table]
          .map(([text, value]) => ({ text, ...value }))
          .sort((a, b) => b.total - a.total || (a.text < b.text ? -1 : 1)),
      ]),
    );
  }
}
