import { OTHER } from "../../base/names.ts";
import type { DimensionBlock } from "../blocks/dictionary.ts";
import { COUNTERS, HOURLY_COUNTERS, hourDimension } from "../counting.ts";
import { DIMENSIONS } from "../log/record.ts";
import type { IdTable } from "./id-table.ts";
import type { VisitValue } from "./source.ts";

/** All there is to count, in the order in which answers have it. */
const ALL_DIMENSIONS: readonly string[] = [
  ...COUNTERS,
  ...DIMENSIONS,
  "hour",
  "dowhour",
  ...HOURLY_COUNTERS.map(hourDimension),
];
const PLACES: ReadonlyMap<string, number> = new Map(
  ALL_DIMENSIONS.map((dimension, place) => [dimension, place]),
);
/** Ids of a dimension follow one another: those of one are below all of the next. */
const IDS = 2 ** 24;
/** What the texts of one question may take in memory; beyond it, what is new counts as OTHER. */
const MAX_BYTES = 64 * 1_048_576;
/** What a text takes besides its letters. */
const TEXT_BYTES = 64;

/** The ids that values have for one question: blocks know none. */
export class ValueIds {
  readonly #texts = ALL_DIMENSIONS.map((): string[] => []);
  readonly #ids = ALL_DIMENSIONS.map(() => new Map<string, number>());
  /** Weakly: who asks may let a block go, and read it again. */
  readonly #ofBlocks = new WeakMap<DimensionBlock, Int32Array>();
  readonly #ofHours = new Map<string, readonly number[]>();
  #bytes = 0;

  /** The id of a value, which gets one where it has none. */
  of(dimension: string, text: string): number {
    const place = PLACES.get(dimension) as number;
    const ids = this.#ids[place] as Map<string, number>;
    const id = ids.get(text);
    if (id !== undefined) return id;
    const bytes = TEXT_BYTES + 2 * text.length;
    if (this.#bytes + bytes > MAX_BYTES && text !== OTHER) return this.of(dimension, OTHER);
    this.#bytes += bytes;
    // 0 is no id.
    const next = place * IDS + (this.#texts[place] as string[]).push(text);
    ids.set(text, next);
    return next;
  }

  /** By place in a block's dictionary the id of the value; 0 until `of` was asked for it. */
  ofBlock(block: DimensionBlock): Int32Array {
    let ids = this.#ofBlocks.get(block);
    if (ids === undefined) {
      ids = new Int32Array(block.texts.length);
      this.#ofBlocks.set(block, ids);
    }
    return ids;
  }

  /** The ids of a dimension whose values are always the same, in their order. */
  ofAll(dimension: string, texts: readonly string[]): readonly number[] {
    let ids = this.#ofHours.get(dimension);
    if (ids === undefined) {
      ids = texts.map((text) => this.of(dimension, text));
      this.#ofHours.set(dimension, ids);
    }
    return ids;
  }

  text(id: number): string {
    return this.#texts[Math.floor((id - 1) / IDS)]?.[(id - 1) % IDS] ?? "";
  }

  /** Visits those that `ids` has, dimension after dimension. */
  each(ids: IdTable, visit: VisitValue): void {
    for (const [place, texts] of this.#texts.entries())
      for (const [n, text] of texts.entries()) {
        const id = place * IDS + n + 1;
        if (ids.has(id))
          visit(id, ALL_DIMENSIONS[place] as string, Buffer.byteLength(text), text === OTHER);
      }
  }
}
