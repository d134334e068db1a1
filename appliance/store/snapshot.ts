import type { Day } from "../base/calendar.ts";
import type { Month, Months } from "./blocks/month.ts";
import type { SiteKey } from "./counting.ts";
import type { Soon } from "./counts/site-counts.ts";

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

/** A source from elsewhere has a log of its own in a fleet, as if it were a node: beyond the ids of those. */
export const SOURCE_NODES: number = 2 ** 48;
/** The key in `meta` of the sum of the last numbers of nodes that are forgotten. */
export const FORGOTTEN_BATCHES = "forgotten_batches";

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

/** A row beside that of a block. */
export interface Piece {
  /** The day since 1970, of detail; below zero, a large dimension: see `pieceOf`. */
  readonly n: number;
  readonly bytes: Uint8Array;
}

/** An encoded block. What was not read, or does not exist, is empty. */
export interface BlockPieces {
  readonly counters: Uint8Array;
  /** Its small dimensions. */
  readonly counts: Uint8Array;
  /** Its pieces by number. */
  readonly pieces: ReadonlyMap<number, Uint8Array>;
}

/** The number of bytes that a block takes as it is kept. */
export function bytesOf({ counters, counts, pieces }: BlockPieces): number {
  return (
    [...pieces.values()].reduce((sum, { length }) => sum + length, 0) +
    counters.length +
    counts.length
  );
}

export interface BlockRow extends BlockKey, BlockPieces {}

export const BLOCK_COLUMNS = ["counters", "counts", "pieces"] as const;
/** A part of a block's row: of its pieces, the numbers. */
export type Column = (typeof BLOCK_COLUMNS)[number];

/** A block whose pieces are read when they are needed; of columns that were not asked for, nothing. */
export interface KeptBlock extends BlockKey {
  readonly counters: Uint8Array;
  readonly counts: Uint8Array;
  readonly pieces: ReadonlyMap<number, null> | undefined;
}

/** The blocks that are read in one go. */
export interface BlockPage {
  readonly after: BlockKey | null;
  /** The page ends at so many bytes; it has at least one block. */
  readonly maxBytes: number;
}

/** The part of whole blocks that is read: with their dimensions, or with detail, too. */
export type Depth = "counters" | "counts" | "detail";

/** Detail of a day in the blocks of a site. */
export interface DetailSize {
  readonly site: SiteKey;
  readonly bytes: number;
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
   * Some blocks of these sites and inclusive months, in the order of site, month, source and part; their memory is
   * the caller's. See `blocksIn` for all.
   */
  blocks(
    sites: readonly SiteKey[],
    months: Months,
    columns: readonly Column[],
    page: BlockPage,
  ): Soon<readonly KeptBlock[]>;
  /** Pieces of a block of these inclusive numbers, ascending, within `maxBytes`, at least one. */
  pieces(key: BlockKey, from: number, to: number, maxBytes: number): Soon<readonly Piece[]>;
  /** Whole blocks, in the same order. */
  rows(sites: readonly SiteKey[], months: Months, depth: Depth): Soon<readonly BlockRow[]>;
  /** The counts past retention of each site, by counter, which are kept for ever. */
  past(sites: readonly SiteKey[]): Soon<readonly ReadonlyMap<string, number>[]>;
  /** All sites that exist, retired ones too. */
  siteKeys(): Soon<ReadonlySet<SiteKey>>;
}

/** A document of a site's rules for its values. */
export interface RuleRow {
  readonly site: SiteKey;
  /** JSON. */
  readonly body: string;
}

/** A snapshot, with what settling looks for. */
export interface SettlingSnapshot extends Snapshot {
  /** The documents of VALUE_RULES. */
  valueRules(): Soon<readonly RuleRow[]>;
  /** Up to `limit` parts of days after a key, in the order of blocks. */
  parts(after: BlockKey | null, limit: number): Soon<readonly BlockKey[]>;
  /** The days that have detail, ascending. */
  detailDays(): Soon<readonly Day[]>;
  /** The bytes of all detail. */
  detailBytes(): Soon<number>;
  /** Detail of a day, in up to `limit` blocks, ascending by site. */
  detailOf(day: Day, limit: number): Soon<readonly DetailSize[]>;
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
  /** Detail that goes: of a day, in all blocks of the sites up to one. */
  readonly detail: readonly { readonly day: Day; readonly to: SiteKey }[];
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
  /** Rules of sites of which nothing is due any more, each with what takes its place unless it was changed meanwhile. */
  readonly merged?: readonly (RuleRow & { readonly after: string })[];
  /** The number of folded batches that cannot be read: their counts are lost. */
  readonly unreadable?: number;
}

/** All blocks of some sites, as `Snapshot.blocks` has them, a page of so many bytes at a time. */
export async function* blocksIn(
  snapshot: Snapshot,
  sites: readonly SiteKey[],
  months: Months,
  columns: readonly Column[],
  maxBytes: number = PAGE_BYTES,
): AsyncGenerator<KeptBlock> {
  for (let after: BlockKey | null = null; ; ) {
    const page: readonly KeptBlock[] = await snapshot.blocks(sites, months, columns, {
      after,
      maxBytes,
    });
    if (page.length === 0) return;
    yield* page;
    after = page.at(-1) ?? null;
  }
}

/** The bytes of blocks that are read in one go, unless one of them has more. */
const PAGE_BYTES = 2 * 1_048_576;
