import type { Day } from "../base/calendar.ts";
import type { Month, Months } from "./blocks/month.ts";
import type { SiteKey } from "./counting.ts";
import type { Soon } from "./counts/source.ts";

/** A row of the log: a batch as it was committed. */
export interface LogRow {
  /** The node of the batch; 0 in a box. */
  readonly node: number;
  /** Numbers ascend within a node, perhaps with gaps. */
  readonly n: number;
  /** The source of its hits. */
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
  /** Part 0 is the settled part of a month; others have one day each, see settling/parts.ts. */
  readonly part: number;
}

/** An encoded block in three pieces. A piece that was not read, or does not exist, is empty. */
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

/** Bytes that are too many for memory, and are read in slices. */
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
  /** The page ends at so many bytes, with the first slice of a large piece; it has at least one block. */
  readonly maxBytes: number;
}

/** The size of a block. */
export interface BlockSize extends BlockKey {
  /** The bytes of all its pieces. */
  readonly bytes: number;
  readonly detailBytes: number;
}

/**
 * Months whose days may be past, so that there may be work besides parts; none where the first is after the last.
 */
export interface Due extends Months {
  /** The last month whose detail may be past. */
  readonly detailTo: Month;
}

/** The data of an engine, all of one moment. */
export interface Snapshot {
  /** A number that changes with the blocks: after settling, erasing, copying or restoring. */
  generation(): Soon<number>;
  /** Node → the number up to which its log is folded and removed; none is of a missing node. */
  folded(): Soon<ReadonlyMap<number, number>>;
  /**
   * The first rows of the log after these numbers, within `maxBytes`, at least one. Rows are in the order of node and
   * number; of a missing node all count.
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
   * Up to `limit` blocks after a key, in the same order. With `due`, others may be left out.
   */
  list(after: BlockKey | null, limit: number, due?: Due): Soon<readonly BlockSize[]>;
  /** The counts past retention of each site, by counter, which are kept for ever. */
  past(sites: readonly SiteKey[]): Soon<readonly ReadonlyMap<string, number>[]>;
  /** All sites that exist, retired ones too. */
  siteKeys(): Soon<ReadonlySet<SiteKey>>;
}

/** One transaction of settling: it folds a piece of the log, merges parts, or removes what is no longer kept. */
export interface Settlement {
  /** The generation of the snapshot it was prepared on. With another one, it is void. */
  readonly generation: number;
  /** The same of the epoch, where other servers may take the place of the one it was prepared on. */
  readonly epoch?: number;
  /** The log of these nodes is folded up to these numbers, and removed. */
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
