import type { Day } from "../base/calendar.ts";
import type { Month, Months } from "./blocks/month.ts";
import type { SiteKey } from "./counting.ts";
import type { Soon } from "./counts/source.ts";

/** A row of the log: a batch as it was committed. */
export interface LogRow {
  /** Whose batch it is; 0 in a box. */
  readonly node: number;
  /** Ascending by node, perhaps with gaps. */
  readonly n: number;
  /** Of which its hits are. */
  readonly source: SourceNumber;
  readonly body: Uint8Array;
}

/** A source of counts: those counted here, or a row of the table `source`. */
export type SourceNumber = number;

/**
 * The source of counts from here. In a database in which a server took the place of another, its
 * `generation` says which one that is.
 */
export const OWN_SOURCE: SourceNumber = 0;

export interface BlockKey {
  readonly site: SiteKey;
  readonly month: Month;
  readonly source: SourceNumber;
  /** Part 0 is what is settled of a month; others are of one day each, see settling/parts.ts. */
  readonly part: number;
}

/** The bytes of a block as it is kept, in three pieces; one that was not asked for, or that is not there, is empty. */
export interface BlockPieces {
  readonly counters: Uint8Array;
  readonly counts: Uint8Array;
  readonly detail: Uint8Array;
}

export const PIECES = ["counters", "counts", "detail"] as const satisfies (keyof BlockPieces)[];
export type Piece = (typeof PIECES)[number];

/** The number of bytes that a block takes as it is kept. */
export function bytesOf(block: Readonly<Record<Piece, { readonly length: number }>>): number {
  return PIECES.reduce((sum, piece) => sum + block[piece].length, 0);
}

export interface BlockRow extends BlockKey, BlockPieces {}

/** A piece that is longer is read in slices of as many bytes. */
export const SLICE_BYTES = 1_048_576;

/** Bytes that are too many to be there at once. */
export interface SlicedBytes {
  readonly length: number;
  /** The first slice. */
  readonly first: Uint8Array;
  /** A later one, from 1 on; the memory is the caller's. */
  slice(n: number): Soon<Uint8Array>;
}

/** A block of which large pieces are read slice by slice. */
export interface SlicedBlock extends BlockKey {
  readonly counters: Uint8Array;
  readonly counts: Uint8Array | SlicedBytes;
  readonly detail: Uint8Array | SlicedBytes;
}

/** The blocks that are read in one go. */
export interface BlockPage {
  readonly after: BlockKey | null;
  /** As many as take so much, of large pieces the first slice; and one at least where there is any. */
  readonly maxBytes: number;
}

/** How large a block is. */
export interface BlockSize extends BlockKey {
  /** Of all its pieces. */
  readonly bytes: number;
  readonly detailBytes: number;
}

/**
 * Months whose days may be past, none where the first is after the last: there may be anything to
 * do, besides parts.
 */
export interface Due extends Months {
  /** Up to this month detail may be past. */
  readonly detailTo: Month;
}

/** The data of an engine, all of one moment. */
export interface Snapshot {
  /** Another number once blocks were changed: settled, erased, copied, restored. */
  generation(): Soon<number>;
  /** By node, the number up to which its log is folded and gone; a node that is missing: nothing. */
  folded(): Soon<ReadonlyMap<number, number>>;
  /**
   * Rows of the log beyond these numbers (of a node that is missing: all), in the order of node and
   * number: the first ones, as many as take `maxBytes`, and one at least where there is any.
   */
  log(after: ReadonlyMap<number, number>, maxBytes: number): Soon<readonly LogRow[]>;
  /**
   * The blocks of these sites and inclusive months, in the order of site, month, source and part; their memory is
   * the caller's.
   */
  blocks(
    sites: readonly SiteKey[],
    months: Months,
    pieces: readonly Piece[],
  ): Soon<readonly BlockRow[]>;
  /** The same some at a time. */
  slicedBlocks(
    sites: readonly SiteKey[],
    months: Months,
    pieces: readonly Piece[],
    page: BlockPage,
  ): Soon<readonly SlicedBlock[]>;
  /**
   * Blocks there are, in the same order: as many as `limit`, after a key. With `due` those that are not may
   * be left out.
   */
  list(after: BlockKey | null, limit: number, due?: Due): Soon<readonly BlockSize[]>;
  /** Of each of these sites, by counter: counts of days past retention, kept for ever. */
  past(sites: readonly SiteKey[]): Soon<readonly ReadonlyMap<string, number>[]>;
  /** All sites that exist, retired ones too. */
  siteKeys(): Soon<ReadonlySet<SiteKey>>;
}

/** One transaction: it moves a piece of the log into blocks, merges parts, or takes out what is not kept. */
export interface Settlement {
  /** Of the snapshot it was prepared on; where there is another one by now, nothing is done. */
  readonly generation: number;
  /** The same of the epoch, where other servers may take the place of the one it was prepared on. */
  readonly epoch?: number;
  /** The log of these nodes is folded up to these numbers, and goes. */
  readonly folded: readonly (readonly [node: number, n: number])[];
  /** Added, or put in the place of the block that has the same key. */
  readonly puts: readonly BlockRow[];
  readonly drops: readonly BlockKey[];
  /** Counters that go past retention, to be added to those of the past. */
  readonly past: readonly {
    readonly site: SiteKey;
    readonly source: SourceNumber;
    readonly counters: ReadonlyMap<string, number>;
  }[];
  /** Days that something was counted on. */
  readonly days: readonly Day[];
  /** Days of which nothing is left. */
  readonly gone: readonly Day[];
  /** The number of folded batches that cannot be read: their counts are lost. */
  readonly unreadable?: number;
}
