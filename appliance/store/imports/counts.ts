import type { Day } from "../../base/calendar.ts";
import { BLOCK_COUNTERS, Block, type BlockCounter, NO_HOUR } from "../blocks/block.ts";
import { encodeBlock } from "../blocks/codec.ts";
import { ALL_KEPT } from "../blocks/compact.ts";
import type { Counts } from "../blocks/day-table.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { fold } from "../blocks/fold.ts";
import { mergeRows } from "../blocks/merge.ts";
import { firstDayOf, type Month, monthOf } from "../blocks/month.ts";
import { soundBlock } from "../blocks/sound.ts";
import { BatchEncoder, decodeBatch, rowsBySite } from "../log/batch.ts";
import type { Dimension, HitRecord } from "../log/record.ts";
import type { BlockPieces } from "../snapshot.ts";
import { isShortText } from "../transfer/values.ts";
import { addDay, type DayContent } from "./days.ts";

/** The open blocks are packed when they take more memory than this, in bytes. */
const OPEN_BYTES = 8 * 1_048_576;
/** Their memory is measured after so many counts: measuring takes as long as adding hundreds. */
const MEASURED_AFTER = 20_000;
/** A batch has records of sites; an import is of one. */
const SITE = 1;

/** The sums of a day, by counter; what is not there is 0. */
export type DaySums = Readonly<Partial<Record<BlockCounter, number>>>;

/** A month of an import, as a database takes it. */
interface ImportedMonth {
  readonly month: Month;
  readonly pieces: BlockPieces;
  /** The days that it holds, ascending. */
  readonly days: readonly Day[];
}

/** The counts of a file from elsewhere, by month, in bounded memory and in any order. */
export class ImportedCounts {
  readonly #detailFrom: Day;
  readonly #days = new Map<Day, { [K in BlockCounter]?: number }>();
  readonly #open = new Map<Month, Block>();
  readonly #packed = new Map<Month, BlockPieces[]>();
  readonly #batch = new BatchEncoder();
  #counts = 0;

  /** @param detailFrom the first day whose views and events are kept one by one; Infinity for none */
  constructor(detailFrom: Day) {
    this.#detailFrom = detailFrom;
  }

  /** Adds to a counter. @param hour 0–23, unless only the day is known */
  count(day: Day, counter: BlockCounter, n: number, hour: number = NO_HOUR): void {
    const block = this.#blockOf(day);
    block.add(counter, day - firstDayOf(block.month), hour, n);
    this.#added(1);
  }

  /** Adds to the counts of a value. @param text as it may be stored */
  value(day: Day, dimension: Dimension, text: string, counts: Counts): void {
    const block = this.#blockOf(day);
    block.dimension(dimension).count(day - firstDayOf(block.month), text, counts);
    this.#added(1);
  }

  /** Adds requests. @param record its `moment` is the hour in the owner's zone */
  hit(record: Omit<HitRecord, "site">): void {
    const hit = { ...record, site: SITE };
    if (this.#batch.add(hit)) return;
    this.#fold();
    this.#batch.add(hit);
  }

  /**
   * Adds all that was kept of a day elsewhere.
   * @throws {RangeError} where it is none that could be kept
   */
  day(day: Day, content: DayContent): void {
    addDay(this.#blockOf(day), day, content);
    this.#added(content.detail?.hours.length ?? 0);
  }

  /** Ends the adding. @returns the sums of each day of the file, ascending */
  end(): ReadonlyMap<Day, DaySums> {
    this.#fold();
    this.#pack();
    return new Map([...this.#days].sort(([a], [b]) => a - b));
  }

  /** The months with some of the wanted days, each with those alone; to be called after `end`. */
  *months(isWanted: (day: Day) => boolean): Generator<ImportedMonth> {
    const days = [...this.#days.keys()].filter(isWanted).sort((a, b) => a - b);
    const kept = { ...ALL_KEPT, counts: isWanted };
    for (const [month, its] of Map.groupBy(days, monthOf)) {
      const { pieces } = mergeRows(month, this.#packed.get(month) ?? [], kept);
      yield { month, pieces, days: its };
    }
  }

  #blockOf(day: Day): Block {
    const month = monthOf(day);
    const block = this.#open.get(month) ?? new Block(month);
    this.#open.set(month, block);
    return block;
  }

  #fold(): void {
    const { records } = this.#batch;
    if (records === 0) return;
    const batch = decodeBatch(this.#batch.encode());
    this.#batch.clear();
    for (const rows of rowsBySite(batch).values())
      fold(this.#open, batch, rows, { detailFrom: this.#detailFrom });
    this.#added(records);
  }

  #added(n: number): void {
    this.#counts += n;
    if (this.#counts < MEASURED_AFTER) return;
    this.#counts = 0;
    const bytes = [...this.#open.values()].reduce((sum, { memory }) => sum + memory, 0);
    if (bytes > OPEN_BYTES) this.#pack();
  }

  #pack(): void {
    for (const [month, block] of this.#open) {
      this.#sum(block);
      const packed = this.#packed.get(month) ?? [];
      this.#packed.set(month, packed);
      packed.push(sound(month, encodeBlock(block)));
    }
    this.#open.clear();
  }

  #sum(block: Block): void {
    const { days } = block;
    for (let at = 0; at < MAX_DAYS; at++) {
      if ((days & (1 << at)) === 0) continue;
      const day = firstDayOf(block.month) + at;
      const sums = this.#days.get(day) ?? {};
      this.#days.set(day, sums);
      for (const counter of BLOCK_COUNTERS) {
        const n = block.dayOf(counter, at);
        if (n > 0) sums[counter] = (sums[counter] ?? 0) + n;
      }
    }
  }
}

/** @throws {RangeError} where it counts what nobody can */
function sound(month: Month, pieces: BlockPieces): BlockPieces {
  const rules = {
    isText: isShortText,
    refuse(why: string): never {
      throw new RangeError(why);
    },
  };
  return soundBlock({ ...pieces, month, isImported: true }, rules).pieces;
}
