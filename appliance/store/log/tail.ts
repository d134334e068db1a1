import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { fold } from "../blocks/fold.ts";
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

/** Records, and which are a site's. */
interface Batched {
  readonly batch: Batch;
  readonly rows: ReadonlyMap<SiteKey, readonly number[]>;
}

/** The blocks of one site's records in the log, folded. */
interface SiteTail {
  readonly blocks: Map<Month, Block>;
  readonly detailFrom: Day;
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
  readonly #sites = new Map<SiteKey, SiteTail>();
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
    await this.#each(snapshot, this.#seen, (batch) => this.#take(batch));
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
      tail = { blocks: new Map(), detailFrom };
      await this.#foldAll(snapshot, site, tail);
    }
    // The map is ordered by use: the site asked for last is dropped last.
    this.#sites.delete(site);
    this.#sites.set(site, tail);
    this.#dropOldest();
    return tail.blocks;
  }

  async #foldAll(snapshot: Snapshot, site: SiteKey, tail: SiteTail): Promise<void> {
    const take = ({ batch, rows }: Batched) => foldRows(tail, batch, rows.get(site));
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

  #dropOldest(): void {
    let left = MAX_FOLDED_BYTES;
    for (const [site, { blocks }] of [...this.#sites].reverse()) {
      for (const block of blocks.values()) left -= block.memory;
      // The site of this question stays, however large.
      if (left < 0 && site !== [...this.#sites.keys()].at(-1)) this.#sites.delete(site);
    }
  }

  #beginAt(folded: ReadonlyMap<number, number>): void {
    this.#folded = folded;
    this.#seen.clear();
    for (const [node, n] of folded) this.#seen.set(node, n);
    this.#dropRecords();
    this.#hasAll = true;
    this.#sites.clear();
    this.#pending.clear();
  }

  #dropRecords(): void {
    this.#full = [];
    this.#fullBytes = 0;
    this.#open = new BatchEncoder();
    this.#opened = undefined;
  }

  #take(batch: Batch): void {
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
      if (tail !== undefined) foldRows(tail, batch, its);
    }
    if (!this.#hasAll) return;
    this.#opened = undefined;
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
