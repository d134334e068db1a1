import { OTHER } from "../../base/names.ts";
import type { HashSeed, Texts } from "../blocks/texts.ts";

const FIRST_ROOM = 256;
const OTHER_BYTES = Buffer.from(OTHER);

/** Numbers of what is known by 64 bits, in flat arrays: as a map of objects it would take ten times as much. */
export class HashIndex {
  #low = new Uint32Array(FIRST_ROOM);
  #high = new Uint32Array(FIRST_ROOM);
  /** By slot one more than a number; 0 is free. */
  #slots = new Uint32Array(2 * FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of what is there, or -1. */
  find(low: number, high: number): number {
    return (this.#slots[this.#slotOf(low, high)] as number) - 1;
  }

  /** The same of what is put there if it is not: the next number. */
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

  hash(n: number): readonly [low: number, high: number] {
    return [this.#low[n] as number, this.#high[n] as number];
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const n = this.#slots[slot] as number;
      if (n === 0 || (this.#low[n - 1] === low && this.#high[n - 1] === high)) return slot;
    }
  }

  #grow(): void {
    this.#low = larger(this.#low, new Uint32Array(2 * this.#size));
    this.#high = larger(this.#high, new Uint32Array(2 * this.#size));
    this.#slots = new Uint32Array(4 * this.#size);
    for (let n = 0; n < this.#size; n++) {
      const [low, high] = this.hash(n);
      this.#slots[this.#slotOf(low, high)] = n + 1;
    }
  }
}

/** Texts one after the other, as long as there is room. */
export class TextRoom {
  readonly #max: number;
  #bytes = new Uint8Array(65_536);
  /** 0 stands for none. */
  #length = 1;

  /** @param max bytes */
  constructor(max: number) {
    this.#max = max;
  }

  /** Where it is; 0 where there was no room. */
  put(text: Uint8Array): number {
    const at = this.#length;
    const end = at + 2 + text.length;
    if (end > this.#max) return 0;
    if (end > this.#bytes.length)
      this.#bytes = larger(this.#bytes, new Uint8Array(Math.max(end, 2 * this.#bytes.length)));
    this.#bytes[at] = text.length & 0xff;
    this.#bytes[at + 1] = text.length >> 8;
    this.#bytes.set(text, at + 2);
    this.#length = end;
    return at;
  }

  get(at: number): Buffer {
    const length = (this.#bytes[at] as number) + 256 * (this.#bytes[at + 1] as number);
    return Buffer.from(this.#bytes.buffer, at + 2, length);
  }
}

/** All values of a dimension are not held at once: only those of which a part of the hashes is. */
export interface HashPart {
  readonly n: number;
  readonly of: number;
}

/** A value that was summed up. */
export interface ValueSum {
  readonly low: number;
  readonly high: number;
  readonly total: number;
  /** On so many days it was counted, or a few more. */
  readonly days: number;
  /** Its UTF-8; undefined where there was no room for it. */
  readonly text: Buffer | undefined;
}

/** Sums of a dimension's values, each known by its hash. */
export class ValueTable {
  readonly #index = new HashIndex();
  readonly #texts: TextRoom;
  #totals = new Float64Array(FIRST_ROOM);
  #days = new Uint32Array(FIRST_ROOM);
  #textAt = new Uint32Array(FIRST_ROOM);
  /** What was counted as OTHER; undefined where nothing was. */
  other: number | undefined;

  constructor(texts: TextRoom) {
    this.#texts = texts;
  }

  get size(): number {
    return this.#index.size;
  }

  /**
   * Adds the sums of a dictionary's texts, and on how many days each was counted.
   * @param part of the others, nothing is taken
   */
  add(
    texts: Texts,
    { totals, days }: { readonly totals: Float64Array; readonly days: Uint16Array },
    seed: HashSeed,
    part: HashPart,
  ): void {
    const [lows, highs] = texts.hashes(seed);
    for (let place = 0; place < texts.size; place++) {
      const total = totals[place] as number;
      if (total === 0) continue;
      if (texts.is(place, OTHER_BYTES)) {
        if (part.n === 0) this.other = (this.other ?? 0) + total;
        continue;
      }
      const [low, high] = [lows[place] as number, highs[place] as number];
      if (high % part.of !== part.n) continue;
      const n = this.#index.put(low, high);
      if (n === this.#totals.length) this.#grow();
      if ((this.#totals[n] as number) === 0) this.#textAt[n] = this.#texts.put(texts.bytes(place));
      this.#totals[n] = (this.#totals[n] as number) + total;
      this.#days[n] = (this.#days[n] as number) + (days[place] as number);
    }
  }

  /** The highest sums, highest first; those that are equal in the order of their texts. What is left goes to `other`. */
  highest(max: number): ValueSum[] {
    const order = Uint32Array.from({ length: this.size }, (_, n) => n).sort(
      (a, b) => (this.#totals[b] as number) - (this.#totals[a] as number) || this.#compare(a, b),
    );
    for (const n of order.subarray(max))
      this.other = (this.other ?? 0) + (this.#totals[n] as number);
    return [...order.subarray(0, max)].map((n) => {
      const [low, high] = this.#index.hash(n);
      const at = this.#textAt[n] as number;
      return {
        ...{ low, high, total: this.#totals[n] as number, days: this.#days[n] as number },
        text: at === 0 ? undefined : Buffer.from(this.#texts.get(at)),
      };
    });
  }

  #compare(a: number, b: number): number {
    const [one, other] = [this.#textAt[a] as number, this.#textAt[b] as number];
    if (one === 0 || other === 0) return other - one || a - b;
    return Buffer.compare(this.#texts.get(one), this.#texts.get(other));
  }

  #grow(): void {
    const room = 2 * this.#totals.length;
    this.#totals = larger(this.#totals, new Float64Array(room));
    this.#days = larger(this.#days, new Uint32Array(room));
    this.#textAt = larger(this.#textAt, new Uint32Array(room));
  }
}

function larger<T extends Uint8Array | Uint32Array | Float64Array>(numbers: T, room: T): T {
  room.set(numbers);
  return room;
}
