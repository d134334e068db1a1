import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { encodeBlock } from "../blocks/codec.ts";
import type { Month, Months } from "../blocks/month.ts";
import { giveBack } from "../blocks/packed-row.ts";
import { NoBlock } from "../blocks/varints.ts";
import type { SiteKey } from "../counting.ts";
import type { LogTail } from "../log/tail.ts";
import {
  blocksIn,
  type Column,
  type KeptBlock,
  type Snapshot,
  type SourceNumber,
} from "../snapshot.ts";
import type { Soon } from "./site-counts.ts";

/** The number of sites whose counters are read at once. */
const SITES = 500;
/** The most sites that a question asks for one by one, and whose part of the log is kept folded. */
const FEW_SITES = 8;
/** The bytes of a block's pieces that are read in one go, unless one of them has more. */
const PIECES_BYTES = 1_048_576;

/** Is called for a month of a site with bytes that cannot be read. */
export type PassedOver = (site: SiteKey, month: Month) => void;

/**
 * Reads blocks and the unfolded log for one question, from one snapshot, a few blocks at a time. A block that
 * cannot be read is skipped, so that the others still answer.
 */
export class BlockReading {
  readonly #snapshot: Snapshot;
  readonly #tail: LogTail;
  readonly #passedOver: PassedOver;
  readonly #source: SourceNumber | undefined;
  #following: Promise<void> | undefined;

  /** @param source limits the blocks to one source, which the tail has to have, too */
  constructor(
    snapshot: Snapshot,
    tail: LogTail,
    passedOver: PassedOver = () => {},
    source?: SourceNumber,
  ) {
    this.#snapshot = snapshot;
    this.#tail = tail;
    this.#passedOver = passedOver;
    this.#source = source;
  }

  /** Reads something of a block. @returns undefined where a card has bent it */
  async read<T>(site: SiteKey, month: Month, read: () => Soon<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof NoBlock)) throw error;
      this.#passedOver(site, month);
      return undefined;
    }
  }

  /** The number of hits of a site that wait for the clock. */
  async pending(site: SiteKey): Promise<number> {
    await this.#follow();
    return this.#tail.pending(site);
  }

  /**
   * Visits blocks of sites with all of their counters. Do not change them; each is valid until the next.
   * @param detailFrom the first day whose sampling is needed; Infinity for none
   */
  async counters(
    sites: readonly SiteKey[],
    months: Months,
    visit: (site: SiteKey, block: Block) => void,
    detailFrom = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    await this.#follow();
    for (let at = 0; at < sites.length; at += SITES) {
      const some = sites.slice(at, at + SITES).sort((a, b) => a - b);
      const columns = detailFrom === Number.POSITIVE_INFINITY ? COUNTERS : SAMPLES;
      for await (const row of this.#rows(some, months, columns)) await this.#visit(row, visit);
    }
    if (sites.length > FEW_SITES && detailFrom === Number.POSITIVE_INFINITY) {
      const isWithin = ({ month }: Block) => month >= months.from && month <= months.to;
      await this.#tail.counters(this.#snapshot, new Set(sites), (site, block) => {
        if (isWithin(block)) visit(site, block);
      });
      return;
    }
    for (const site of sites)
      for (const block of await this.#left(site, months, detailFrom)) visit(site, block);
  }

  /**
   * The blocks of a site, ascending by month. Read each before the next.
   * @param detailFrom the first day whose detail is needed; Infinity for none
   */
  async *blocks(
    site: SiteKey,
    months: Months,
    columns: readonly Column[],
    detailFrom = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<BlockReader> {
    await this.#follow();
    const left = await this.#left(site, months, detailFrom);
    for await (const row of this.#rows([site], months, columns)) {
      while (left[0] !== undefined && left[0].month < row.month)
        yield readerOfTail(left.shift() as Block);
      const reader = await this.read(site, row.month, () => openBlock(this.#snapshot, row));
      if (reader === undefined) continue;
      yield reader;
      reader.close();
      for (const bytes of [row.counters, row.counts]) giveBack(bytes);
    }
    for (const block of left) yield readerOfTail(block);
  }

  async #visit(row: KeptBlock, visit: (site: SiteKey, block: Block) => void): Promise<void> {
    const reader = await this.read(row.site, row.month, () => new BlockReader(row));
    if (reader !== undefined) visit(row.site, reader.counters);
  }

  #follow(): Promise<void> {
    this.#following ??= this.#tail.follow(this.#snapshot);
    return this.#following;
  }

  /** The unfolded log as blocks, ascending by month. */
  async #left(site: SiteKey, { from, to }: Months, detailFrom: Day): Promise<Block[]> {
    const blocks = await this.#tail.blocks(this.#snapshot, site, detailFrom);
    return [...blocks.values()]
      .filter(({ month }) => month >= from && month <= to)
      .sort((a, b) => a.month - b.month);
  }

  async *#rows(
    sites: readonly SiteKey[],
    months: Months,
    columns: readonly Column[],
  ): AsyncGenerator<KeptBlock> {
    for await (const row of blocksIn(this.#snapshot, sites, months, columns))
      if (this.#source === undefined || row.source === this.#source) yield row;
  }
}

const COUNTERS = ["counters"] as const;
/** Which days lost their detail is known by its pieces. */
const SAMPLES = ["counters", "pieces"] as const;

/** Reads a block of a snapshot. @throws {RangeError} when the bytes are no block */
export function openBlock(snapshot: Snapshot, block: KeptBlock): BlockReader {
  return new BlockReader(block, (from, to) => snapshot.pieces(block, from, to, PIECES_BYTES));
}

function readerOfTail(block: Block): BlockReader {
  return new BlockReader({ month: block.month, ...encodeBlock(block, false) });
}
