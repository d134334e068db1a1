import { BOUNDS, type Bound, COUNTABLE, MAX_PARTS_OF_MONTH } from "../../../base/bounds.ts";
import { Block } from "../../blocks/block.ts";
import { decodeBlock, encodeBlock } from "../../blocks/codec.ts";
import { MAX_DAYS } from "../../blocks/dictionary.ts";
import { countedBy, flawOf } from "../../blocks/flaw.ts";
import { mergeInto } from "../../blocks/merge.ts";
import { firstDayOf } from "../../blocks/month.ts";
import type { SiteKey } from "../../counting.ts";
import { type Batch, BatchEncoder, decodeBatch, recordsOf } from "../../log/batch.ts";
import { flawOfBatch } from "../../log/flaw.ts";
import { dayOfPart, SETTLED } from "../../settling/parts.ts";
import type { BlockRow } from "../../snapshot.ts";
import { markCounted } from "../counted-days.ts";
import type { Database } from "../database.ts";
import { putBlock } from "../settle.ts";

/** What a copy of counts has to know of the rest of the data. */
export interface CountedManner {
  /** The number that a site has here; undefined for one that is not copied. */
  siteOf(key: unknown): SiteKey | undefined;
  /** Whether a text may be a value. */
  isText(text: string): boolean;
  /** The last month, and the last millisecond, that a clock of ours may have. */
  readonly lastMonth: number;
  isTime(ms: number): boolean;
  /** False where days were brought from another database: values may count what counters had already. */
  readonly areSumsWhole: boolean;
  /** Of all that is counted. */
  readonly sum: Sum;
  /** @param why a row is refused, as a sentence's end @throws {DatabaseRefused} */
  refuse(why: string): never;
}

const SECOND_MS = 1_000;
const NOT_OURS = "not as Tallydeck writes it";

/** Sums up what is counted in all of a backup. */
export class Sum {
  #sum = 0;

  /** @returns false once it is more than can be counted */
  add(n: number): boolean {
    this.#sum += n;
    return this.#sum <= COUNTABLE.together;
  }
}

/** Bounds rows by number and by what they take together. */
class Room {
  #rows = 0;
  #bytes = 0;
  readonly #bound: Bound;

  constructor(bound: Bound) {
    this.#bound = bound;
  }

  /** @returns false once there are more than may be */
  take(bytes: number): boolean {
    this.#rows++;
    this.#bytes += bytes;
    return this.#rows <= this.#bound.count && this.#bytes <= this.#bound.together;
  }
}

/**
 * Writes the records of a log anew, as few batches as take them, in their order: what no site of here had
 * is left behind, and so are batches that hold nothing.
 */
export function copyLog(from: Database, to: Database, manner: CountedManner): void {
  const room = new Room(BOUNDS.log);
  const append = to.prepare("INSERT INTO log (body) VALUES (?)");
  let open = new BatchEncoder();
  let clock: string | undefined;
  const close = () => {
    if (open.records > 0) append.run(open.encode());
    open.clear();
  };
  const rows = from.prepare("SELECT body FROM log NOT INDEXED ORDER BY n").pluck().iterate();
  for (const body of rows as IterableIterator<Uint8Array>) {
    if (!room.take(body.length)) manner.refuse("one too many");
    const batch = soundBatch(body, manner);
    const itsClock = batch.undated && `${batch.undated.boot} ${batch.undated.savedZero}`;
    if (itsClock !== clock) {
      close();
      open = new BatchEncoder(batch.undated);
      clock = itsClock;
    }
    for (const each of recordsOf(batch)) {
      const site = manner.siteOf(each.site);
      if (site === undefined) continue;
      const record = { ...each, site };
      if (!manner.sum.add(record.times)) manner.refuse("more than anybody can count");
      if (open.add(record)) continue;
      close();
      open.add(record);
    }
  }
  close();
}

function soundBatch(body: Uint8Array, { isText, isTime, lastMonth, refuse }: CountedManner): Batch {
  let batch: Batch;
  try {
    batch = decodeBatch(body);
  } catch (error) {
    if (error instanceof RangeError) return refuse(NOT_OURS);
    throw error;
  }
  const { undated, moments, texts } = batch;
  const lastHour = 24 * firstDayOf(lastMonth + 1) - 1;
  // Those of a batch that is not dated are seconds of a clock that began at its zero.
  const isMoment = (moment: number) =>
    undated === undefined
      ? moment <= lastHour
      : isTime(Math.round(undated.savedZero) + moment * SECOND_MS);
  if (!texts.every(isText) || !moments.every(isMoment)) refuse(NOT_OURS);
  const flaw = flawOfBatch(batch);
  if (flaw !== undefined) refuse(`a batch that ${flaw}`);
  return batch;
}

/**
 * Writes blocks anew, one for each site and month, as what is settled: a part of a day has a number that says
 * when it came, which nobody here believes. One block is held at a time, and the sum of its month.
 */
export function copyBlocks(from: Database, to: Database, manner: CountedManner): void {
  const room = new Room(BOUNDS.blocks);
  const read = from.prepare(
    "SELECT site, month, part, counters, counts, detail FROM block NOT INDEXED WHERE rowid = ?",
  );
  // Sorted are numbers only: an index of theirs is not believed, and blocks are large.
  const keys = from
    .prepare("SELECT rowid, site, month FROM block NOT INDEXED ORDER BY site, month, part")
    .raw()
    .iterate() as IterableIterator<[rowid: number, site: number, month: number]>;
  const month = new MonthSum(to, manner);
  for (const [rowid, key, itsMonth] of keys) {
    const site = manner.siteOf(key);
    if (site === undefined) continue;
    if (!(itsMonth >= 0 && itsMonth <= manner.lastMonth)) manner.refuse(NOT_OURS);
    month.begin(site, itsMonth);
    const row = read.get(rowid) as BlockRow;
    if (!room.take(row.counters.length + row.counts.length + row.detail.length))
      manner.refuse("one too many");
    month.add(row);
  }
  month.end();
  markCounted(to, month.days);
}

/** The blocks of a site and month, as one. */
class MonthSum {
  readonly days = new Set<number>();
  readonly #to: Database;
  readonly #manner: CountedManner;
  #site = 0;
  #block: Block | undefined;
  #parts = 0;

  constructor(to: Database, manner: CountedManner) {
    this.#to = to;
    this.#manner = manner;
  }

  /** What is added from now on is of this site and month. */
  begin(site: SiteKey, month: number): void {
    if (this.#site === site && this.#block?.month === month) return;
    this.end();
    this.#site = site;
    this.#block = new Block(month);
    this.#parts = 0;
  }

  add(row: BlockRow): void {
    if (++this.#parts > MAX_PARTS_OF_MONTH)
      this.#manner.refuse("one of more parts than a month has hours");
    const part = soundBlock(row, this.#manner);
    // It would be as large as a month, and there may be many.
    if (row.part !== SETTLED && part.days !== (part.days & (2 ** Math.max(0, dayOfPart(row.part)))))
      this.#manner.refuse("a part of a day that holds others");
    if (!this.#manner.sum.add(countedBy(part))) this.#manner.refuse("more than anybody can count");
    if (this.#parts === 1) this.#block = part;
    else mergeInto(this.#block as Block, part);
  }

  /** Writes what was added. */
  end(): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined || block.days === 0) return;
    const { month, days } = block;
    for (let day = 0; day < MAX_DAYS; day++)
      if ((days >> day) & 1) this.days.add(firstDayOf(month) + day);
    putBlock(this.#to, { site: this.#site, month, part: SETTLED, ...encodeBlock(block) });
  }
}

/**
 * A block as what it holds says, and nothing else.
 * @throws as `refuse` where no fold could have made it
 */
export function soundBlock(
  row: BlockRow,
  { isText, areSumsWhole, refuse }: Pick<CountedManner, "isText" | "areSumsWhole" | "refuse">,
): Block {
  let block: Block;
  try {
    block = decodeBlock(row);
  } catch (error) {
    if (error instanceof RangeError) return refuse(NOT_OURS);
    throw error;
  }
  for (const { texts } of block.dimensions.values()) if (!texts.every(isText)) refuse(NOT_OURS);
  const flaw = flawOf(block, areSumsWhole);
  if (flaw !== undefined) refuse(`a block that ${flaw}`);
  return ofItsContents(block);
}

/** The same without what whoever kept it said of what it holds; both share their columns. */
function ofItsContents(block: Block): Block {
  const anew = new Block(block.month);
  for (let day = 0; day < MAX_DAYS; day++)
    if (block.hasCounters(day)) anew.countersOf(day).set(block.countersOf(day));
  for (const [name, dimension] of block.dimensions) anew.dimensions.set(name, dimension);
  anew.detail = block.detail;
  return anew;
}
