import { randomInt } from "node:crypto";
import { OTHER } from "../../base/names.ts";
import type { Texts } from "../blocks/dictionary.ts";
import { NoBlock } from "../blocks/varints.ts";

const FIRST_ROOM = 256;
const FIRST_TEXT_ROOM = 4_096;
const OTHER_BYTES = Buffer.from(OTHER);
/** A secret seed of the hash, so that no sender can make up values that collide. */
const SECRET = randomInt(2 ** 32);

/** Hash of 64 bits → number, in flat arrays: a map of objects would take ten times as much. */
export class HashIndex {
  #low = new Uint32Array(FIRST_ROOM);
  #high = new Uint32Array(FIRST_ROOM);
  /** One more than a number, by slot; 0 is free. */
  #slots = new Uint32Array(2 * FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#low.byteLength + this.#high.byteLength + this.#slots.byteLength;
  }

  /** @returns the number of a hash, or -1 */
  find(low: number, high: number): number {
    return (this.#slots[this.#slotOf(low, high)] as number) - 1;
  }

  /** @returns the number of a hash, which is added if it is new */
  put(low: number, high: number): number {
    const slot = this.#slotOf(low, high);
    const known = this.#slots[slot] as number;
    if (known > 0) return known - 1;
    if (this.#size === this.#low.length) {
      this.#grow();
      return this.put(low, high);
    }
    this.#low[this.#size] = low;
    this.#high[this.#size] = high;
    this.#slots[slot] = ++this.#size;
    return this.#size - 1;
  }

  low(n: number): number {
    return this.#low[n] as number;
  }

  /** Gives its memory back; it is not used any more. */
  close(): void {
    for (const numbers of [this.#low, this.#high, this.#slots]) resized(numbers, 0);
  }

  high(n: number): number {
    return this.#high[n] as number;
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    const hash = Math.imul(low ^ SECRET, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b);
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const n = this.#slots[slot] as number;
      if (n === 0 || (this.#low[n - 1] === low && this.#high[n - 1] === high)) return slot;
    }
  }

  #grow(): void {
    this.#low = new Uint32Array(resized(this.#low, 8 * this.#size));
    this.#high = new Uint32Array(resized(this.#high, 8 * this.#size));
    resized(this.#slots, 0);
    this.#slots = new Uint32Array(4 * this.#size);
    for (let n = 0; n < this.#size; n++)
      this.#slots[this.#slotOf(this.low(n), this.high(n))] = n + 1;
  }
}

/** Texts one after the other. */
class TextList {
  #bytes = new Uint8Array(FIRST_TEXT_ROOM);
  #length = 0;
  #ends = new Uint32Array(FIRST_ROOM);
  #count = 0;

  get bytes(): number {
    return this.#bytes.byteLength + this.#ends.byteLength;
  }

  push(text: Uint8Array): void {
    const end = this.#length + text.length;
    if (end > this.#bytes.length)
      this.#bytes = new Uint8Array(resized(this.#bytes, Math.max(end, 2 * this.#bytes.length)));
    if (this.#count === this.#ends.length)
      this.#ends = new Uint32Array(resized(this.#ends, 8 * this.#count));
    this.#bytes.set(text, this.#length);
    this.#length = end;
    this.#ends[this.#count++] = end;
  }

  close(): void {
    for (const numbers of [this.#bytes, this.#ends]) resized(numbers, 0);
  }

  /** A view. */
  at(n: number): Buffer {
    const from = n === 0 ? 0 : (this.#ends[n - 1] as number);
    return Buffer.from(this.#bytes.buffer, from, (this.#ends[n] as number) - from);
  }
}

/** A part of a dimension's values, by their hashes, or all. */
export interface HashPart {
  readonly n: number;
  readonly of: number;
}

/** A value that was summed up. */
export interface ValueSum {
  readonly text: string;
  /** The length of its text in UTF-8. */
  readonly bytes: number;
  readonly total: number;
  /** The number of days with counts, or a few more. */
  readonly days: number;
  readonly low: number;
  readonly high: number;
}

/** Sums by place in a dictionary. */
export interface PlaceSums {
  readonly totals: Float64Array;
  /** The number of days on which each value was counted. */
  readonly days: Uint16Array;
  /** One more than the last place with a count. */
  size: number;
}

/** Sums of a dimension's values, each known by its hash. */
export class ValueTable {
  readonly part: HashPart;
  readonly #index = new HashIndex();
  readonly #texts = new TextList();
  #totals = new Float64Array(FIRST_ROOM);
  #days = new Uint32Array(FIRST_ROOM);
  /** The sum of OTHER; undefined where there is none. */
  #other: number | undefined;

  /** @param part of the others, nothing is taken */
  constructor(part: HashPart) {
    this.part = part;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#index.bytes + this.#texts.bytes + this.#totals.byteLength + this.#days.byteLength;
  }

  /**
   * Adds the sums of a dictionary's texts, and on how many days each was counted.
   * @throws {NoBlock} when something was counted that it has not
   */
  add(texts: Texts, { totals, days, size }: PlaceSums): void {
    const { n: wanted, of } = this.part;
    if (size > texts.size) throw new NoBlock("it counts what its dictionary has not");
    for (let place = 0; place < size; place++) {
      const total = totals[place] as number;
      if (total === 0) continue;
      if (texts.is(place, OTHER_BYTES)) {
        if (wanted === 0) this.#other = (this.#other ?? 0) + total;
        continue;
      }
      texts.hash(place, HASH);
      const [low, high] = [HASH[0] as number, HASH[1] as number];
      if (high % of === wanted && this.#add(low, high, total, days[place] as number))
        this.#texts.push(texts.bytes(place));
    }
  }

  /** Splits the table by hash. @returns a table with one half, and the part that the other half belongs to */
  half(): readonly [ValueTable, HashPart] {
    const { n, of } = this.part;
    const half = new ValueTable({ n, of: 2 * of });
    half.#other = this.#other;
    for (let i = 0; i < this.#index.size; i++) {
      const [low, high] = [this.#index.low(i), this.#index.high(i)];
      if (high % (2 * of) !== n) continue;
      const [total, days] = [this.#totals[i] as number, this.#days[i] as number];
      if (half.#add(low, high, total, days)) half.#texts.push(this.#texts.at(i));
    }
    return [half, { n: n + of, of: 2 * of }];
  }

  /**
   * The highest sums, and the sum of all others, undefined where there are none. Among equal sums at the limit, the
   * texts decide.
   */
  highest(max: number): { readonly kept: ValueSum[]; readonly other: number | undefined } {
    const { size } = this.#index;
    const sorted = this.#totals.slice(0, size).sort();
    const least = size <= max ? 0 : (sorted[size - max] as number);
    const kept: number[] = [];
    const equal: number[] = [];
    let other = this.#other;
    for (let n = 0; n < size; n++) {
      const total = this.#totals[n] as number;
      if (total > least) kept.push(n);
      else if (total === least) equal.push(n);
      else other = (other ?? 0) + total;
    }
    equal.sort(
      (a, b) =>
        this.#index.high(a) - this.#index.high(b) || this.#index.low(a) - this.#index.low(b),
    );
    const room = max - kept.length;
    kept.push(...equal.slice(0, room));
    if (equal.length > room) other = (other ?? 0) + (equal.length - room) * least;
    return { kept: kept.map((n) => this.#sum(n)), other };
  }

  /** Frees its memory at once. Do not use it afterwards. */
  close(): void {
    this.#index.close();
    this.#texts.close();
    for (const numbers of [this.#totals, this.#days]) resized(numbers, 0);
  }

  #sum(n: number): ValueSum {
    const text = this.#texts.at(n);
    return {
      text: text.toString(),
      bytes: text.length,
      total: this.#totals[n] as number,
      days: this.#days[n] as number,
      low: this.#index.low(n),
      high: this.#index.high(n),
    };
  }

  /** @returns true for one that was not there: its text is to be put beside it */
  #add(low: number, high: number, total: number, days: number): boolean {
    const { size } = this.#index;
    const n = this.#index.put(low, high);
    if (n === this.#totals.length) this.#grow();
    this.#totals[n] = (this.#totals[n] as number) + total;
    this.#days[n] = (this.#days[n] as number) + days;
    return n === size;
  }

  #grow(): void {
    this.#totals = new Float64Array(resized(this.#totals, 16 * this.#totals.length));
    this.#days = new Uint32Array(resized(this.#days, 8 * this.#days.length));
  }
}

const HASH = new Uint32Array(2);

/** Moves numbers to memory of another size, and frees the old memory at once. */
function resized(numbers: { readonly buffer: ArrayBuffer }, bytes: number): ArrayBuffer {
  return numbers.buffer.transfer(bytes);
}
