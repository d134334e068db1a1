import { BOUNDS, COUNTABLE } from "../../base/bounds.ts";
import { OTHER } from "../../base/names.ts";
import { COUNTED_OF, OF_EVENTS, OF_READINGS } from "../../base/text/dimensions.ts";
import { type Dimension, mostValues } from "../log/record.ts";
import type { BlockPieces } from "../snapshot.ts";
import { BLOCK_COUNTERS, Block, COUNTED_BESIDE } from "./block.ts";
import { BlockReader, type DimensionReader } from "./block-reader.ts";
import { BlockWriter } from "./codec.ts";
import { DayDetail, DETAIL_COLUMNS, MAX_DETAIL_ROWS } from "./detail.ts";
import { MAX_DAYS, MAX_DICTIONARY_BYTES } from "./dictionary.ts";
import { firstDayOf, type Month } from "./month.ts";
import { NoBlock } from "./varints.ts";

/** Counters that each value of a dimension is counted beside. */
const BESIDE_VALUES = ["pv", "app", "crawler", "synthetic"] as const;
/** Dimensions without a counter. */
const WITHOUT_COUNTER: ReadonlySet<Dimension> = new Set([
  ...OF_EVENTS,
  ...OF_READINGS,
  "hi",
  "left_out",
]);
const HOURS = 24;
const TOO_MUCH = "a block that counts more than anybody can";

/** The rules that a block is judged by. */
export interface SoundRules {
  /** Whether a text may be a value. */
  isText(text: string): boolean;
  /** @param why no fold could have made it, as a sentence's end */
  refuse(why: string): never;
}

/** A block that is judged. */
interface JudgedBlock extends BlockPieces {
  readonly month: Month;
  /** Its counts are of another tool, which may know visits without views, and values by samples. */
  readonly isImported?: boolean;
}

/** A block whose counters are computed again and match its contents. */
interface Sound {
  readonly pieces: BlockPieces;
  /** Days of the month that hold anything: bit 0 for the first. */
  readonly days: number;
  /** The sum of its counters. */
  readonly counted: number;
}

/**
 * Checks a block that a stranger may have made, one dimension at a time: as objects, the largest month takes
 * hundreds of megabytes. The summary that it has of its contents is not trusted.
 * @throws as `refuse` where no fold could have made it
 * @throws {RangeError} when the bytes are no block
 */
export function soundBlock(row: JudgedBlock, rules: SoundRules): Sound {
  const reader = new BlockReader(row);
  if (reader.largest > BOUNDS.blocks.bytes)
    rules.refuse("a block that takes more memory than there is for one");
  const look = new Look(reader, rules, row.isImported === true);
  for (const dimension of reader.dimensions()) {
    look.values(dimension);
    reader.release();
  }
  for (let day = 0; day < MAX_DAYS; day++) {
    look.rows(day);
    reader.release();
  }
  const { block, counted } = look.end();
  reader.close();
  const writer = new BlockWriter();
  writer.begin(block);
  const { counters } = writer.end();
  const { counts, pieces } = row;
  return { pieces: { counters, counts, pieces }, days: block.days, counted };
}

/** A buffer for all days. */
const COLUMN = new Uint16Array(MAX_DETAIL_ROWS);
const NO_ROWS = {
  hours: new Uint8Array(),
  bits: new Uint8Array(),
  values: DETAIL_COLUMNS.map(() => new Uint16Array()),
};

/** Collects the contents of a block. */
class Look {
  readonly #reader: BlockReader;
  readonly #rules: SoundRules;
  readonly #known = { days: 0, samples: [], bare: 0 };
  /** The block with its counters and the sampling of detail. */
  readonly #block: Block;
  /** Sums by day of the counters that values go with, and of events and readings. */
  readonly #beside = new Float64Array(MAX_DAYS);
  readonly #events = new Float64Array(MAX_DAYS);
  readonly #isImported: boolean;
  #counted = 0;

  constructor(reader: BlockReader, rules: SoundRules, isImported: boolean) {
    this.#reader = reader;
    this.#rules = rules;
    this.#isImported = isImported;
    this.#block = new Block(reader.month, this.#known);
    for (let day = 0; day < MAX_DAYS; day++) {
      this.#counters(day);
      this.#sample(day);
    }
  }

  /** Judges the rows of a day. Call it after all dimensions, whose values they name. */
  rows(day: number): void {
    if (this.#reader.sample(day) === undefined) return;
    this.#reader.hours(day);
    this.#reader.bits(day);
    for (const column of DETAIL_COLUMNS.keys()) this.#reader.column(day, column, COLUMN);
  }

  /** @returns the block without its dimensions. Call it last. */
  end(): { readonly block: Block; readonly counted: number } {
    const block = this.#block;
    for (let day = 0; day < MAX_DAYS; day++) {
      const seen = block.detail[day]?.seen ?? 0;
      const most = block.dayOf("pv", day) + (this.#events[day] as number);
      if (seen > most) this.#rules.refuse("a block that keeps detail of more than it counts");
    }
    return { block, counted: this.#counted };
  }

  #counters(day: number): void {
    const { counters } = this.#reader;
    if (!counters.hasCounters(day)) return;
    this.#block.countersOf(day).set(counters.countersOf(day));
    for (const counter of BLOCK_COUNTERS) {
      for (const n of counters.hoursOf(counter, day))
        if (n > COUNTABLE.ofHour) this.#rules.refuse(TOO_MUCH);
      this.#counted += counters.dayOf(counter, day);
    }
    for (const counter of BESIDE_VALUES)
      this.#beside[day] = (this.#beside[day] as number) + counters.dayOf(counter, day);
  }

  #sample(day: number): void {
    const sample = this.#reader.sample(day);
    if (sample === undefined) return;
    const seed = firstDayOf(this.#block.month) + day;
    this.#block.detail[day] = new DayDetail(seed, { ...sample, ...NO_ROWS });
    if (sample.seen > HOURS * COUNTABLE.ofHour) this.#rules.refuse(TOO_MUCH);
  }

  /** Judges a dimension. */
  values({ name, texts, counts }: DimensionReader): void {
    const { isText, refuse } = this.#rules;
    const all = texts.all();
    if (!all.every(isText)) throw new NoBlock("a text is none of ours");
    const bytes = all.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > MAX_DICTIONARY_BYTES + OTHER.length)
      refuse("a block that has more text than a month may");
    if (new Set(all).size < all.length) refuse("a block that names a value twice");
    counts([0, MAX_DAYS], COUNTED_OF, ({ day, length, columns }) => {
      const [views = 0, visitors = 0, sessions = 0] = columns.map((column) =>
        column.subarray(0, length).reduce((sum, n) => sum + n, 0),
      );
      this.#holds(name, day, length);
      if (COUNTED_BESIDE.includes(name)) this.#events[day] = (this.#events[day] as number) + views;
      this.#sums(name, day, { views, others: Math.max(visitors, sessions) });
    });
  }

  /** Notes the number of values counted on a day; an event or a reading without detail has lost it. */
  #holds(name: Dimension, day: number, values: number): void {
    if (values === 0) return;
    this.#known.days |= 1 << day;
    if (COUNTED_BESIDE.includes(name) && this.#block.detail[day] === undefined)
      this.#known.bare |= 1 << day;
  }

  #sums(
    name: Dimension,
    day: number,
    { views, others }: { readonly views: number; readonly others: number },
  ): void {
    const { refuse } = this.#rules;
    if (Math.max(views, others) > HOURS * COUNTABLE.ofHour) refuse(TOO_MUCH);
    if (this.#isImported) return;
    // Its columns are sums of numbers above and below zero.
    if (others > views && name !== "event_value")
      refuse("a block that has more visitors than views of a value");
    if (!WITHOUT_COUNTER.has(name) && views > mostValues(name) * (this.#beside[day] as number))
      refuse("a block that counts more by value than in all");
  }
}
