import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { fold } from "../blocks/fold.ts";
import type { Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import type { Snapshot } from "../snapshot.ts";
import { type Batch, readBatch, rowsBySite } from "./batch.ts";

/** What is read of the log in one go. */
const PIECE_BYTES = 1_048_576;
/** Sites whose records are kept folded. */
const MAX_FOLDED_SITES = 256;

interface TailBatch {
  readonly batch: Batch;
  readonly rows: ReadonlyMap<SiteKey, readonly number[]>;
}

/** What one site has in the log, folded as far as somebody asked. */
interface SiteTail {
  readonly blocks: Map<Month, Block>;
  readonly detailFrom: Day;
  /** As many batches are in `blocks`. */
  batches: number;
}

/**
 * The rest of the log that is not folded into blocks, decoded, as a reader keeps it between two
 * questions. It is of the moment of the snapshot that it followed last. One caller at a time.
 */
export class LogTail {
  #generation: number | undefined;
  readonly #seen = new Map<number, number>();
  readonly #batches: TailBatch[] = [];
  readonly #sites = new Map<SiteKey, SiteTail>();
  readonly #pending = new Map<SiteKey, number>();

  /** Takes in what the log has more than it had, and drops what is folded. */
  async follow(snapshot: Snapshot): Promise<void> {
    const generation = await snapshot.generation();
    if (generation !== this.#generation) this.#beginAt(await snapshot.folded());
    this.#generation = generation;
    for (;;) {
      const rows = await snapshot.log(this.#seen, PIECE_BYTES);
      if (rows.length === 0) return;
      for (const { node, n, body } of rows) {
        const batch = readBatch(body);
        if (batch !== undefined) this.#take(batch);
        this.#seen.set(node, n);
      }
    }
  }

  /** How many hits of a site wait for the clock. */
  pending(site: SiteKey): number {
    return this.#pending.get(site) ?? 0;
  }

  /**
   * What a site has in the log, by month; not to be changed.
   * @param detailFrom the first day whose views and events are kept, too; perhaps those of earlier ones are
   */
  blocks(site: SiteKey, detailFrom: Day): ReadonlyMap<Month, Block> {
    let tail = this.#sites.get(site);
    // Those who ask for counts alone do not mind that more is kept.
    if (tail === undefined || tail.detailFrom > detailFrom)
      tail = { blocks: new Map(), detailFrom, batches: 0 };
    for (const { batch, rows } of this.#batches.slice(tail.batches))
      fold(tail.blocks, batch, rows.get(site) ?? [], { detailFrom });
    tail.batches = this.#batches.length;
    // The one that was asked for last is the last to go.
    this.#sites.delete(site);
    this.#sites.set(site, tail);
    const [oldest] = this.#sites.keys();
    if (this.#sites.size > MAX_FOLDED_SITES && oldest !== undefined) this.#sites.delete(oldest);
    return tail.blocks;
  }

  #beginAt(folded: ReadonlyMap<number, number>): void {
    this.#seen.clear();
    for (const [node, n] of folded) this.#seen.set(node, n);
    this.#batches.length = 0;
    this.#sites.clear();
    this.#pending.clear();
  }

  #take(batch: Batch): void {
    const rows = rowsBySite(batch);
    if (batch.undated === undefined) {
      this.#batches.push({ batch, rows });
      return;
    }
    // There may be weeks of them: of what has no hour yet, only the number is kept.
    for (const [site, its] of rows)
      this.#pending.set(
        site,
        its.reduce((sum, row) => sum + (batch.times[row] as number), this.pending(site)),
      );
  }
}
