import { isDeepStrictEqual } from "node:util";
import { BOUNDS, MAX_PARTS_OF_MONTH } from "../../../base/bounds.ts";
import { ALL_KEPT } from "../../blocks/compact.ts";
import { MAX_DAYS } from "../../blocks/dictionary.ts";
import { mergeRows } from "../../blocks/merge.ts";
import { firstDayOf, type Month, monthOf } from "../../blocks/month.ts";
import { giveBack } from "../../blocks/packed-row.ts";
import { soundBlock } from "../../blocks/sound.ts";
import type { SiteKey } from "../../counting.ts";
import { BatchEncoder, recordsOf } from "../../log/batch.ts";
import { SETTLED } from "../../settling/parts.ts";
import { BLOCK_BYTES } from "../../shared-snapshot.ts";
import {
  type BlockKey,
  type BlockPieces,
  bytesOf,
  OWN_SOURCE,
  type SourceNumber,
} from "../../snapshot.ts";
import { type CountRules, NOT_OURS, soundBatch } from "../../transfer/counts.ts";
import { isOtherDays } from "../../transfer/sound-snapshot.ts";
import { LAST_BELIEVED_DAY } from "../../transfer/values.ts";
import { markCounted } from "../counted-days.ts";
import type { Database } from "../database.ts";
import { putBlock } from "../settle.ts";
import { wholeBlock } from "../snapshot.ts";
import { prepared } from "../sql.ts";
import { RowLimit } from "./copy-rules.ts";

/** Facts about the rest of the data that copying counts depends on. */
export interface CountedManner extends CountRules {
  /** Maps the old number of a site to the new one; undefined for one that is not copied. */
  siteOf(key: unknown): SiteKey | undefined;
  /** The number that a source has here. @throws as `refuse` where there is none */
  sourceOf(number: unknown): SourceNumber;
}

/** Parts of a month are merged once they take more bytes. */
const HELD_BYTES = 8 * 1_048_576;

/**
 * Copies the records of a log in their order, into as few batches as possible. Records of sites that are not
 * copied are skipped.
 */
export function copyLog(from: Database, to: Database, manner: CountedManner): void {
  const room = new RowLimit(BOUNDS.log);
  const append = to.prepare("INSERT INTO log (source, body) VALUES (?, ?)");
  let open = new BatchEncoder();
  let clock: string | undefined;
  let source: unknown = OWN_SOURCE;
  const close = () => {
    if (open.records > 0) append.run(manner.sourceOf(source), open.encode());
    open.clear();
  };
  const rows = from.prepare("SELECT source, body FROM log NOT INDEXED ORDER BY n").iterate();
  for (const row of rows as IterableIterator<{ source: number; body: Uint8Array }>) {
    const { body } = row;
    if (!room.take(body.length)) manner.refuse("one too many");
    const batch = soundBatch(body, manner);
    const itsClock = batch.undated && `${batch.undated.boot} ${batch.undated.savedZero}`;
    if (itsClock !== clock || row.source !== source) {
      close();
      open = new BatchEncoder(batch.undated);
      clock = itsClock;
      source = row.source;
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

/**
 * Copies blocks, merged into one settled block for each site, month and source: the number of a part says when
 * it came, and a backup is not trusted with that. One month is in memory at a time.
 */
export function copyBlocks(from: Database, to: Database, manner: CountedManner): void {
  const room = new RowLimit(BOUNDS.blocks);
  // Sorted are numbers only: an index of theirs is not believed, and blocks are large.
  const keys = from
    .prepare(
      "SELECT site, month, source, part FROM block NOT INDEXED ORDER BY site, month, source, part",
    )
    .iterate() as IterableIterator<BlockKey>;
  const month = new MonthSum(to, manner);
  for (const row of keys) {
    const site = manner.siteOf(row.site);
    if (site === undefined) continue;
    if (!(row.month >= 0 && row.month <= monthOf(LAST_BELIEVED_DAY))) manner.refuse(NOT_OURS);
    month.begin({ site, month: row.month, source: manner.sourceOf(row.source) });
    const pieces = soundlyRead(from, row, manner.refuse);
    if (!room.take(bytesOf(pieces))) manner.refuse("one too many");
    month.add(row.part, pieces);
  }
  month.end();
  markCounted(to, month.days);
}

/** A whole block, whose size is known before it is read. @throws as `refuse` where it is too large */
function soundlyRead(db: Database, row: BlockKey, refuse: CountedManner["refuse"]): BlockPieces {
  const { site, month, source, part } = row;
  const isLarge = prepared(
    db,
    `SELECT 1 FROM block WHERE (site, month, source, part) = (?, ?, ?, ?) AND ${BLOCK_BYTES} > ?`,
  );
  if (isLarge.get(site, month, source, part, BOUNDS.blocks.bytes) !== undefined)
    refuse("a block that is too large");
  return wholeBlock(db, row) ?? refuse(NOT_OURS);
}

/** The blocks of a site, month and source, as one. */
class MonthSum {
  readonly days = new Set<number>();
  readonly #to: Database;
  readonly #manner: CountedManner;
  readonly #imports: ReadonlySet<unknown>;
  #key: Omit<BlockKey, "part"> | undefined;
  #parts = 0;
  /** The merged row, then rows that wait to be merged into it; with the bytes of the latter. */
  #rows: BlockPieces[] = [];
  #bytes = 0;

  constructor(to: Database, manner: CountedManner) {
    this.#to = to;
    this.#imports = new Set(
      to.prepare("SELECT number FROM source WHERE kind = 'import'").pluck().all(),
    );
    this.#manner = manner;
  }

  /** Rows that are added from now on are of this site, month and source. */
  begin(key: Omit<BlockKey, "part">): void {
    if (isDeepStrictEqual(this.#key, key)) return;
    this.end();
    this.#key = key;
    this.#parts = 0;
  }

  add(part: number, row: BlockPieces): void {
    const { refuse, sum } = this.#manner;
    if (++this.#parts > MAX_PARTS_OF_MONTH) refuse("one of more parts than a month has hours");
    const { pieces, days, counted } = this.#read((month) =>
      soundBlock({ ...row, month, isImported: this.#imports.has(this.#key?.source) }, this.#manner),
    );
    if (isOtherDays(part, days)) refuse("a part of a day that holds others");
    if (!sum.add(counted)) refuse("more than anybody can count");
    if (this.#rows.push(pieces) > 1) this.#bytes += bytesOf(pieces);
    if (this.#bytes > HELD_BYTES) this.#merge();
  }

  /** Writes the last block. */
  end(): void {
    const key = this.#key;
    if (key === undefined || this.#rows.length === 0) return;
    const { days, ...block } = this.#merge();
    this.#rows = [];
    if (days === 0) return;
    for (let day = 0; day < MAX_DAYS; day++)
      if ((days >> day) & 1) this.days.add(firstDayOf(key.month) + day);
    putBlock(this.#to, { ...key, part: SETTLED, ...block.pieces });
  }

  #merge(): { readonly pieces: BlockPieces; readonly days: number } {
    const { pieces, days } = this.#read((month) => mergeRows(month, this.#rows, ALL_KEPT));
    for (const { counters, counts, pieces: others } of this.#rows)
      for (const bytes of [counters, counts, ...others.values()]) giveBack(bytes);
    this.#rows = [pieces];
    this.#bytes = 0;
    return { pieces, days };
  }

  #read<T>(read: (month: Month) => T): T {
    try {
      return read(this.#key?.month ?? 0);
    } catch (error) {
      if (error instanceof RangeError) return this.#manner.refuse(NOT_OURS);
      throw error;
    }
  }
}
