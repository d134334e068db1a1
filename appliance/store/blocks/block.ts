import type { Counter } from "../counting.ts";
import { DIMENSIONS, type Dimension } from "../log/record.ts";
import { DayDetail, type Detail, noDetail, type Sample } from "./detail.ts";
import { DimensionBlock, MAX_DAYS } from "./dictionary.ts";
import { firstDayOf, type Month } from "./month.ts";

/** The dimensions of what has rows of detail and no counter: each event and each reading has a value of one. */
export const COUNTED_BESIDE: readonly Dimension[] = ["event", "time"];

/** The counters of a block, each by the hour. Blocks keep a counter's place in this list. */
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

/** The dimension and value that each of them is in answers, in backups and elsewhere. */
export const COUNTED_AS: Readonly<
  Record<BlockCounter, { readonly counter: Counter; readonly value: string }>
> = {
  pv: { counter: "pv", value: "_" },
  uv: { counter: "uv", value: "_" },
  sessions: { counter: "sessions", value: "_" },
  bounce: { counter: "bounce", value: "_" },
  engaged: { counter: "engaged", value: "_" },
  app: { counter: "app", value: "_" },
  crawler: { counter: "bot", value: "ua" },
  synthetic: { counter: "bot", value: "synthetic" },
};

/** The place after the last hour, for counts that are known by the day only. */
export const NO_HOUR = 24;
const HOURS = NO_HOUR + 1;

/** Facts that are known of a block besides the part of it that was read. */
interface Known {
  /** Days of the month that hold anything at all: bit 0 for the first. */
  days: number;
  /** The sample of each day of the month that keeps detail. */
  readonly samples: (Sample | undefined)[];
  /** The days of `isBare`, bit 0 for the first day. */
  bare: number;
}

/** The settled counts and detail of a site and month. */
export class Block {
  readonly month: Month;
  readonly dimensions = new Map<Dimension, DimensionBlock>();
  detail: Detail = noDetail();
  /** Counts by day of the month, counter and hour. Most blocks are of one day, so it begins empty. */
  readonly #counters: (Float64Array | undefined)[] = [];
  /** Memory of counters that were forgotten, all zero. */
  readonly #spare: Float64Array[] = [];
  /** The writer's knowledge of the block, of which perhaps not all was read. */
  readonly #known: Known;

  constructor(month: Month, known: Known = { days: 0, samples: [], bare: 0 }) {
    this.month = month;
    this.#known = known;
  }

  /** The views and events of a day kept as detail; undefined where there are none. */
  sample(day: number): Sample | undefined {
    return this.detail[day] ?? this.#known.samples[day];
  }

  /** Whether a day has views, sessions, events or readings but keeps no detail: a part of it would be taken for all. */
  isBare(day: number): boolean {
    if (this.sample(day) !== undefined) return false;
    const isNamed = COUNTED_BESIDE.some(
      (name) => (this.dimensions.get(name)?.days[day]?.values.length ?? 0) > 0,
    );
    const isCounted = this.dayOf("pv", day) > 0 || this.dayOf("sessions", day) > 0;
    return (this.#known.bare & (1 << day)) !== 0 || isNamed || isCounted;
  }

  /** Removes the detail of a day, which takes no detail from then on. */
  dropDetail(day: number): void {
    this.detail[day] = undefined;
    this.#known.samples[day] = undefined;
    this.#known.bare |= 1 << day;
  }

  /** Days as `days` has them hold something, of which perhaps not all is here. */
  hold(days: number): void {
    this.#known.days |= days;
  }

  /** Days of the month that hold anything at all: bit 0 for the first. */
  get days(): number {
    let { days } = this.#known;
    for (let day = 0; day < MAX_DAYS; day++) if (this.#holdsAny(day)) days |= 1 << day;
    return days;
  }

  /** Adds to a counter. `day` of the month from 0, `hour` 0–23 or NO_HOUR. */
  add(counter: BlockCounter, day: number, hour: number, n: number): void {
    const counters = this.countersOf(day);
    const at = BLOCK_COUNTERS.indexOf(counter) * HOURS + hour;
    counters[at] = (counters[at] ?? 0) + n;
  }

  /** The counts of all counters on a day: counter by counter, each by the hour; to be added to. */
  countersOf(day: number): Float64Array {
    let counters = this.#counters[day];
    if (counters === undefined) {
      counters = this.#spare.pop() ?? new Float64Array(BLOCK_COUNTERS.length * HOURS);
      this.#counters[day] = counters;
    }
    return counters;
  }

  /** Forgets its counters, so that it is filled anew, in the same memory. */
  empty(): void {
    for (const counters of this.#counters)
      if (counters !== undefined) this.#spare.push(counters.fill(0));
    this.#counters.length = 0;
    this.#known.days = 0;
  }

  hasCounters(day: number): boolean {
    return this.#counters[day] !== undefined;
  }

  /** The counts of a counter on a day, by the hour; NO_HOUR is the last. To be read. */
  hoursOf(counter: BlockCounter, day: number): Float64Array {
    const at = BLOCK_COUNTERS.indexOf(counter) * HOURS;
    return this.#counters[day]?.subarray(at, at + HOURS) ?? NO_COUNTS;
  }

  /** The sum of a counter on a day. */
  dayOf(counter: BlockCounter, day: number): number {
    let sum = 0;
    for (const n of this.hoursOf(counter, day)) sum += n;
    return sum;
  }

  dimension(name: Dimension): DimensionBlock {
    let dimension = this.dimensions.get(name);
    if (dimension === undefined) {
      dimension = new DimensionBlock();
      this.dimensions.set(name, dimension);
    }
    return dimension;
  }

  /** The views and events of a day, to be added to. */
  detailOf(day: number): DayDetail {
    let detail = this.detail[day];
    if (detail === undefined) {
      detail = new DayDetail(firstDayOf(this.month) + day);
      this.detail[day] = detail;
    }
    return detail;
  }

  /** Its dimensions in the order in which all are listed. */
  get inOrder(): [Dimension, DimensionBlock][] {
    return [...this.dimensions].sort(([a], [b]) => DIMENSIONS.indexOf(a) - DIMENSIONS.indexOf(b));
  }

  /** The bytes of memory that it takes, about. */
  get memory(): number {
    let bytes = 0;
    for (const counters of this.#counters) bytes += counters?.byteLength ?? 0;
    for (const detail of this.detail) bytes += detail?.memory ?? 0;
    for (const dimension of this.dimensions.values()) bytes += dimension.memory;
    return bytes;
  }

  #holdsAny(day: number): boolean {
    if (this.hasCounters(day) || this.detail[day] !== undefined) return true;
    for (const { days } of this.dimensions.values()) if (days[day] !== undefined) return true;
    return false;
  }
}

const NO_COUNTS = new Float64Array(HOURS);
