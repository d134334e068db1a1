import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { countRows, fold } from "../blocks/fold.ts";
import type { Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import type { Snapshot, SourceNumber } from "../snapshot.ts";
import {
  type Batch,
  BatchEncoder,
  decodeBatch,
  readBatch,
  recordsOf,
  rowsBySite,
} from "./batch.ts";

/** The bytes of the log that are read in one go. */
const PIECE_BYTES = 1_048_576;
/** The memory that records may take; of more, the log is read again for each question. */
const MAX_RECORDS_BYTES = 16 * 1_048_576;
/**
 * The memory of sites that are kept folded, so that new batches are added and nothing is read
 * again.
 */
const MAX_FOLDED_BYTES = 12 * 1_048_576;
/** Bytes of the objects of a block, and of each of its dimensions, beside their content. */
const BLOCK_BYTES = 4_000;
const DIMENSION_BYTES = 2_000;

/** Records, and which are a site's. */
interface Batched {
  readonly batch: Batch;
  readonly rows: ReadonlyMap<SiteKey, readonly number[]>;
}

/** The blocks of one site's records in the log, folded. */
interface SiteTail {
  readonly blocks: Map<Month, Block>;
  readonly detailFrom: Day;
  /** The memory that they were found to take. */
  bytes: number;
}

/**
 * The end of the log that is not folded into blocks yet, as a reader caches it between questions. Its memory
 * depends on the records, and not on the number of batches. It matches the snapshot that it followed last. It has
 * one caller at a time.
 */
export class LogTail {
  #generation: number | undefined;
  #folded: ReadonlyMap<number, number> = new Map();
  readonly #seen = new Map<number, number>();
  /** Full batches, merged from those of the log; and the one that is being filled. */
  #full: Batched[] = [];
  #fullBytes = 0;
  #open = new BatchEncoder();
  #opened: Batched | undefined;
  /** Whether all records have fitted so far. */
  #hasAll = true;
  /** The sites that are kept folded, the one asked for last at the end. */
  readonly #sites = new Map<SiteKey, SiteTail>();
  #foldedBytes = 0;
  readonly #pending = new Map<SiteKey, number>();
  readonly #source: SourceNumber | undefined;

  /** @param source keeps the records of this source only */
  constructor(source?: SourceNumber) {
    this.#source = source;
  }

  /** Reads the new batches of the log, and starts again once older ones were folded. */
  async follow(snapshot: Snapshot): Promise<void> {
    const generation = await snapshot.generation();
    if (generation !== this.#generation) this.#beginAt(await snapshot.folded());
    this.#generation = generation;
    const grown = new Set<SiteTail>();
    await this.#each(snapshot, this.#seen, (batch) => this.#take(batch, grown));
    for (const tail of grown) this.#weigh(tail);
    this.#dropOldest();
  }

  /** The number of hits of a site that wait for the clock. */
  pending(site: SiteKey): number {
    return this.#pending.get(site) ?? 0;
  }

  /**
   * Folds a site's records of the log. Do not change the blocks; they are valid until the next question.
   * @param snapshot the one that was followed last
   * @param detailFrom the first day that must have detail; earlier ones may have it
   */
  async blocks(
    snapshot: Snapshot,
    site: SiteKey,
    detailFrom: Day,
  ): Promise<ReadonlyMap<Month, Block>> {
    let tail = this.#sites.get(site);
    // Blocks with more detail serve a question about counts as well.
    if (tail === undefined || tail.detailFrom > detailFrom) {
      this.#drop(site);
      const folded: SiteTail = { blocks: new Map(), detailFrom, bytes: 0 };
      await this.#visit(snapshot, ({ batch, rows }) => foldRows(folded, batch, rows.get(site)));
      this.#weigh(folded);
      tail = folded;
    }
    this.#sites.delete(site);
    this.#sites.set(site, tail);
    this.#dropOldest();
    return tail.blocks;
  }

  /**
   * Visits the counters of many sites, a batch at a time: they take no memory, and leave that of the sites that are kept
   * folded. A site's month comes as often as there are batches with it.
   * @param snapshot the one that was followed last
   */
  async counters(
    snapshot: Snapshot,
    sites: ReadonlySet<SiteKey>,
    visit: (site: SiteKey, block: Block) => void,
  ): Promise<void> {
    const blocks = new Map<Month, Block>();
    await this.#visit(snapshot, ({ batch, rows }) => {
      for (const [site, its] of batch.undated === undefined ? rows : []) {
        if (!sites.has(site)) continue;
        countRows(blocks, batch, its);
        for (const block of blocks.values()) {
          if (block.days !== 0) visit(site, block);
          block.empty();
        }
      }
    });
  }

  /** Visits all records: those in memory, or those of the log again. */
  async #visit(snapshot: Snapshot, take: (records: Batched) => void): Promise<void> {
    if (!this.#hasAll) {
      await this.#each(snapshot, new Map(this.#folded), (batch) =>
        take({ batch, rows: rowsBySite(batch) }),
      );
      return;
    }
    for (const full of this.#full) take(full);
    if (this.#open.records === 0) return;
    this.#opened ??= batched(decodeBatch(this.#open.encode()));
    take(this.#opened);
  }

  #weigh(tail: SiteTail): void {
    this.#foldedBytes -= tail.bytes;
    tail.bytes = 0;
    for (const block of tail.blocks.values())
      tail.bytes += block.memory + BLOCK_BYTES + block.dimensions.size * DIMENSION_BYTES;
    this.#foldedBytes += tail.bytes;
  }

  /** The site of the last question stays, however large. */
  #dropOldest(): void {
    for (const site of this.#sites.keys()) {
      if (this.#foldedBytes <= MAX_FOLDED_BYTES || this.#sites.size === 1) return;
      this.#drop(site);
    }
  }

  #drop(site: SiteKey): void {
    this.#foldedBytes -= this.#sites.get(site)?.bytes ?? 0;
    this.#sites.delete(site);
  }

  #beginAt(folded: ReadonlyMap<number, number>): void {
    this.#folded = folded;
    this.#seen.clear();
    for (const [node, n] of folded) this.#seen.set(node, n);
    this.#dropRecords();
    this.#hasAll = true;
    this.#sites.clear();
    this.#foldedBytes = 0;
    this.#pending.clear();
  }

  #dropRecords(): void {
    this.#full = [];
    this.#fullBytes = 0;
    this.#open = new BatchEncoder();
    this.#opened = undefined;
  }

  /** @param grown takes the sites that have more now */
  #take(batch: Batch, grown: Set<SiteTail>): void {
    const rows = rowsBySite(batch);
    if (batch.undated !== undefined) {
      // Undated hits are only a number: they may be weeks old, and have no hour yet to be counted in.
      for (const [site, its] of rows)
        this.#pending.set(
          site,
          its.reduce((sum, row) => sum + (batch.times[row] as number), this.pending(site)),
        );
      return;
    }
    for (const [site, its] of rows) {
      const tail = this.#sites.get(site);
      if (tail === undefined) continue;
      foldRows(tail, batch, its);
      grown.add(tail);
    }
    if (!this.#hasAll) return;
    this.#opened = undefined;
    if (!this.#open.addAll(batch, () => true))
      for (const record of recordsOf(batch)) {
        if (this.#open.add(record)) continue;
        this.#close();
        this.#open.add(record);
      }
    if (this.#fullBytes + this.#open.memory <= MAX_RECORDS_BYTES) return;
    this.#hasAll = false;
    this.#dropRecords();
  }

  /** Visits the batches that the log has beyond these numbers, which move on with them. */
  async #each(
    snapshot: Snapshot,
    seen: Map<number, number>,
    visit: (batch: Batch) => void,
  ): Promise<void> {
    for (;;) {
      const rows = await snapshot.log(seen, PIECE_BYTES);
      if (rows.length === 0) return;
      for (const { node, n, source, body } of rows) {
        const isMeant = this.#source === undefined || source === this.#source;
        const batch = isMeant ? readBatch(body) : undefined;
        if (batch !== undefined) visit(batch);
        seen.set(node, n);
      }
    }
  }

  #close(): void {
    this.#full.push(batched(decodeBatch(this.#open.encode())));
    this.#fullBytes += this.#open.memory;
    this.#open.clear();
  }
}

/** The tail for a question. One about a single source is not cached. */
export function tailOf(all: LogTail, source: SourceNumber | undefined): LogTail {
  return source === undefined ? all : new LogTail(source);
}

function batched(batch: Batch): Batched {
  return { batch, rows: rowsBySite(batch) };
}

function foldRows(
  { blocks, detailFrom }: SiteTail,
  batch: Batch,
  rows: readonly number[] | undefined,
): void {
  if (rows !== undefined && batch.undated === undefined) fold(blocks, batch, rows, { detailFrom });
}
