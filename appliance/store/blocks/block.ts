import { type Day, dayOf } from "../../base/calendar.ts";
import { DIMENSIONS, type Dimension } from "../log/record.ts";
import { type Detail, noDetail } from "./detail.ts";
import { DimensionBlock, MAX_DAYS } from "./dictionary.ts";

/** What a block counts by the hour. A place in this list is what blocks keep. */
export const BLOCK_COUNTERS = [
  "pv",
  "uv",
  "sessions",
  "bounce",
  "engaged",
  "app",
  "crawler",
  "synthetic",
] as const;
export type BlockCounter = (typeof BLOCK_COUNTERS)[number];

/** The place after the last hour is for what is known by the day only. */
export const NO_HOUR = 24;
const HOURS = NO_HOUR + 1;

/** A month as it is numbered: years since 1970, times 12, and months since January. */
export type Month = number;

export function monthOf(day: Day): Month {
  const date = new Date(day * 86_400_000);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

export function firstDayOf(month: Month): Day {
  return dayOf(Date.UTC(1970, month, 1));
}

/** What is settled of a site and month. */
export class Block {
  readonly month: Month;
  /** By counter, day of the month, and hour. */
  readonly counters = new Float64Array(BLOCK_COUNTERS.length * MAX_DAYS * HOURS);
  readonly dimensions = new Map<Dimension, DimensionBlock>();
  detail: Detail = noDetail();

  constructor(month: Month) {
    this.month = month;
  }

  /** Adds to a counter. `day` of the month from 0, `hour` 0–23 or NO_HOUR. */
  add(counter: BlockCounter, day: number, hour: number, n: number): void {
    const at = this.#place(counter, day) + hour;
    this.counters[at] = (this.counters[at] ?? 0) + n;
  }

  /** Forgets what was counted on a day by the hour. */
  clearDay(day: number): void {
    for (const counter of BLOCK_COUNTERS) this.hoursOf(counter, day).fill(0);
  }

  /** What a counter counted on a day, by the hour; NO_HOUR is the last. */
  hoursOf(counter: BlockCounter, day: number): Float64Array {
    const at = this.#place(counter, day);
    return this.counters.subarray(at, at + HOURS);
  }

  /** What a counter counted on a day. */
  dayOf(counter: BlockCounter, day: number): number {
    return this.hoursOf(counter, day).reduce((sum, n) => sum + n, 0);
  }

  dimension(name: Dimension): DimensionBlock {
    let dimension = this.dimensions.get(name);
    if (dimension === undefined) {
      dimension = new DimensionBlock();
      this.dimensions.set(name, dimension);
    }
    return dimension;
  }

  /** Its dimensions in the order in which all are listed. */
  get inOrder(): [Dimension, DimensionBlock][] {
    return [...this.dimensions].sort(([a], [b]) => DIMENSIONS.indexOf(a) - DIMENSIONS.indexOf(b));
  }

  #place(counter: BlockCounter, day: number): number {
    return (BLOCK_COUNTERS.indexOf(counter) * MAX_DAYS + day) * HOURS;
  }
}
